// SPDX-License-Identifier: Apache-2.0
//
// Kept runs as docs/runs.schema.json says.
#pragma once

#include <cstddef>
#include <vector>

#include "base/json_writer.h"
#include "model/machine/kept_run.h"

namespace proofline {

// The first `limit` of them; 0: all.
void write_runs_json(const std::vector<KeptRun>& runs, std::size_t limit, JsonWriter& json);
void write_run_details_json(const KeptRunDetails& details, JsonWriter& json);
void write_pruned_json(const PrunedRuns& pruned, JsonWriter& json);

}  // namespace proofline

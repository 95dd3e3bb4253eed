// SPDX-License-Identifier: Apache-2.0
//
// Makes room: whole runs are removed, never what something speaks of (run_references.h), a play
// that is not finished, or what another process holds. A run gets a hidden name before anything of
// it is deleted, so a killed prune leaves whole runs and leftovers that the next prune deletes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "model/machine/kept_run.h"
#include "workflow/runs/kept_runs.h"

namespace proofline {

// One of the first three says which runs go.
struct PrunePlan {
  std::optional<std::chrono::seconds> older_than;
  std::optional<std::size_t> keep;         // the newest stay
  std::optional<std::uint64_t> max_bytes;  // the oldest go until all take no more than that
  RunPlaces places;
  std::string journal;
  bool dry_run = false;
};

// "30d", "12h", "2w". kUsage.
Result<std::chrono::seconds> parse_age(const std::string& text);

Result<PrunedRuns> prune_runs(const PrunePlan& plan);

}  // namespace proofline

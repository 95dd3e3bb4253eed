// SPDX-License-Identifier: Apache-2.0
//
// Kept runs for people: the list, one of them, and what became of them when room was made.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/machine/kept_run.h"
#include "views/document.h"

namespace proofline {

// The first `limit` of them; 0: all.
Document compose_runs(const std::vector<KeptRun>& runs, std::size_t limit);
Document compose_runs_rows(const std::vector<KeptRun>& runs, std::size_t limit);

Document compose_run_details(const KeptRunDetails& details);
Document compose_run_files_rows(const KeptRunDetails& details);

// "Freed 1.2 GB: removed 3 runs."
std::string pruned_headline(const PrunedRuns& pruned);
Document compose_pruned(const PrunedRuns& pruned);
Document compose_pruned_rows(const PrunedRuns& pruned);

}  // namespace proofline

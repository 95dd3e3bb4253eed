// SPDX-License-Identifier: Apache-2.0
//
// What `check` says: the verdict in a line, each check with its numbers, tasks, the way through the
// tree, and the playbook's own deliverables.
#pragma once

#include <string>

#include "playbook/check.h"
#include "playbook/lint.h"
#include "views/document.h"

namespace proofline {

// "FAIL: 1 of 3 checks fails, 1 unknown; transpose_tiled<0> on NVIDIA H200 (cc 9.0)"
std::string check_headline(const CheckRun& run);

// "accepted: memory.shared.load.wavefronts 17.0 M -> 0.58 M, wanted <= 1.7 M"
std::string task_text(const TaskResult& task);

// With all its tables, or without those that stand elsewhere in the result of `check`.
void add_deliverable(const DeliverableResult& deliverable, bool all, Document& document);

Document compose_checks(const CheckRun& run);
// One row for each check.
Document compose_check_rows(const CheckRun& run);

// "file:11:9: error: message", the line and a mark below the place, for each problem.
std::string problems_text(const std::vector<PlaybookProblem>& problems);

}  // namespace proofline

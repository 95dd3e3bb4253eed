// SPDX-License-Identifier: Apache-2.0
//
// A playbook read, joined with those that it uses, and looked over: ids, references, circles,
// types, regular expressions, patterns, nodes that nothing leads to, tasks without acceptance. All
// that is wrong is told at once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "playbook/playbook.h"

namespace proofline {

struct LintedPlaybook {
  Playbook playbook;
  std::vector<PlaybookProblem> problems;

  // Warnings leave it fit for use.
  bool ok() const;
};

// `told` are the keys that the command line adds to the workload.
LintedPlaybook lint_playbook(std::string_view text, const std::string& path,
                             const Workload& told = {});

}  // namespace proofline

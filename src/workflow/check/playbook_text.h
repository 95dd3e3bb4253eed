// SPDX-License-Identifier: Apache-2.0
//
// What a command is told of a playbook: which one, by its shipped id or else by its path, and of
// what workload.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/input.h"
#include "base/result.h"
#include "playbook/lint.h"
#include "playbook/playbook.h"

namespace proofline {

struct PlaybookText {
  std::string name;  // what problems call it
  std::string text;
};

// `skeleton` is one too. kInput, with the shipped ids.
Result<PlaybookText> find_playbook(const std::string& name, const InputLimits& limits);

// "KEY=VALUE" of the flag; `form` says how it must be. kUsage.
Result<std::pair<std::string, std::string>> split_pair(const std::string& word,
                                                       std::string_view flag,
                                                       std::string_view form);

// KEY=VALUE, or a file with a [workload] table or such lines.
Result<Workload> parse_workload(const std::vector<std::string>& words, const InputLimits& limits);

// The playbook, looked over with what is told of the workload. Its problems are in the result.
Result<LintedPlaybook> find_linted_playbook(const std::string& name,
                                            const std::vector<std::string>& workload,
                                            const InputLimits& limits);

// The playbook's first error in a line; --lint has all of them with their place marked.
std::string first_error(const LintedPlaybook& linted);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// A playbook's text to its structs. All problems are found in one go, each with its place: wrong
// TOML, unknown keys, missing ones, values of the wrong kind, expressions that cannot be parsed.
// Whether the parts fit together is lint's job (playbook/lint.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "playbook/playbook.h"

namespace proofline {

struct ReadPlaybook {
  Playbook playbook;
  std::vector<PlaybookProblem> problems;
};

// `path` is what problems name.
ReadPlaybook read_playbook(std::string_view text, const std::string& path);

// Where more is wrong, somebody gave us something else than a playbook.
inline constexpr std::size_t kMostProblems = 100;

// The views are those of the text; ends of lines are cut off.
std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// How a text names an option of ours. The code that writes "raise the limit with ..." does not know
// who asked: on the command line the option is a flag ("--max-size"), for an agent it is a tool's
// parameter and in the library a member ("max_size").
//
//   fail(ErrorKind::kInput, fmt::format("{} is too large; raise {}", path, option("max-size")));
//
// tests/layers holds that the stages below `cli` name no flag in any other way, and that a
// command has each option.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace proofline {

enum class OptionStyle { kMember, kFlag };

// The style of the whole process: the program of the command line sets it before anything runs.
inline OptionStyle option_style = OptionStyle::kMember;

// `name` is the flag's, without its dashes.
inline std::string option(std::string_view name) {
  if (option_style == OptionStyle::kFlag) return "--" + std::string(name);
  std::string member(name);
  std::replace(member.begin(), member.end(), '-', '_');
  return member;
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// Words of our own that results print: verdicts, states, what bounds a kernel and where, and the
// heads of tables.
#pragma once

#include <span>
#include <string_view>

namespace proofline {

struct ScreenWord {
  std::string_view word;  // as it is printed: "NO DIFFERENCE"
  std::string_view kind;  // "verdict"
  std::string_view meaning;
};

std::span<const ScreenWord> screen_words();
std::span<const ScreenWord> column_heads();

}  // namespace proofline

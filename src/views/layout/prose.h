// SPDX-License-Identifier: Apache-2.0
//
// Text that fills one line after the other; where one is full, the next starts below the text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/output.h"

namespace proofline {

// What a terminal obeys; "" where nothing is styled.
inline constexpr std::string_view kResetStyle = "\x1b[0m";

// Without blanks at its end.
void write_line(std::string_view line, Output& output);

class Prose {
 public:
  // Lines have at most `limit` columns; what has no blank to break at is broken where the line
  // ends.
  Prose(std::size_t indent, std::size_t limit, Output& output)
      : indent_(indent), limit_(limit), output_(output) {}

  // What is before the text; as wide as the indent.
  void label(std::string_view styled_label) { line_ = styled_label; }

  // Of escaped text; a style is switched off at the end of each line.
  void add(std::string_view text, std::string_view style);

  void finish() { write_line(line_, output_); }

 private:
  void add_word(std::string_view word, std::string_view style);
  void break_line(std::string_view style);

  std::size_t indent_;
  std::size_t limit_;
  Output& output_;
  std::string line_;
  std::size_t used_ = indent_;
  bool empty_ = true;
};

}  // namespace proofline

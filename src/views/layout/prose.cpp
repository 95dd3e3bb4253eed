// SPDX-License-Identifier: Apache-2.0
#include "views/layout/prose.h"

#include <algorithm>

#include "base/text.h"

namespace proofline {
namespace {

// So few columns would make a ladder of letters; a line that has no more sticks out instead.
constexpr std::size_t kLeastColumns = 8;

// The bytes of the longest start that fits; at least one character.
std::size_t bytes_that_fit(std::string_view word, std::size_t columns) {
  std::size_t fits = 0;
  for (std::size_t end = 1; end <= word.size(); ++end) {
    const bool inside = end < word.size() && (static_cast<unsigned char>(word[end]) & 0xc0) == 0x80;
    if (inside) continue;
    if (fits != 0 && display_width(word.substr(0, end)) > columns) break;
    fits = end;
  }
  return fits;
}

}  // namespace

void write_line(std::string_view line, Output& output) {
  output.write(line.substr(0, line.find_last_not_of(' ') + 1));
  output.put('\n');
}

void Prose::add(std::string_view text, std::string_view style) {
  line_ += style;
  for (std::size_t start = 0; start < text.size();) {
    std::size_t end = std::min(text.find(' ', start), text.size());
    // A number stays with its per cent.
    if (text.substr(end).starts_with(" %")) end = std::min(text.find(' ', end + 1), text.size());
    add_word(text.substr(start, end - start), style);
    start = end + 1;
  }
  if (!style.empty()) line_ += kResetStyle;
}

void Prose::break_line(std::string_view style) {
  if (!style.empty()) line_ += kResetStyle;
  write_line(line_, output_);
  line_.assign(indent_, ' ').append(style);
  used_ = indent_;
}

void Prose::add_word(std::string_view word, std::string_view style) {
  // Of two spaces the second one is an empty word, which may stand beyond the end.
  if (!empty_ && !word.empty() && used_ + 1 + display_width(word) > limit_) {
    break_line(style);
  } else if (!empty_) {
    line_ += ' ';
    ++used_;
  }
  while (!word.empty() && limit_ >= indent_ + kLeastColumns &&
         used_ + display_width(word) > limit_) {
    const std::size_t bytes = bytes_that_fit(word, limit_ - used_);
    line_ += word.substr(0, bytes);
    word.remove_prefix(bytes);
    break_line(style);
  }
  line_ += word;
  used_ += display_width(word);
  empty_ = false;
}

}  // namespace proofline

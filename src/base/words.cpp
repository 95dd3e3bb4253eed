// SPDX-License-Identifier: Apache-2.0
#include "base/words.h"

#include "base/text.h"

namespace proofline {

Result<std::vector<std::string>> split_words(std::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quoted_by = '\0';
  const auto current = [&]() -> std::string& {
    if (!in_word) words.emplace_back();
    in_word = true;
    return words.back();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool has_next = i + 1 < text.size();
    if (quoted_by == '\'') {
      if (c == '\'') {
        quoted_by = '\0';
      } else {
        current() += c;
      }
    } else if (c == '\\' && has_next &&
               (quoted_by == '\0' || text[i + 1] == '"' || text[i + 1] == '\\')) {
      current() += text[++i];
    } else if (c == quoted_by) {
      quoted_by = '\0';
    } else if (quoted_by == '\0' && (c == '\'' || c == '"')) {
      current();  // '' is a word, too
      quoted_by = c;
    } else if (quoted_by == '\0' && (c == ' ' || c == '\t' || c == '\n')) {
      in_word = false;
    } else {
      current() += c;
    }
  }
  if (quoted_by != '\0') {
    return fail(ErrorKind::kUsage, quote(text) + " has a quote that is not closed");
  }
  return words;
}

}  // namespace proofline

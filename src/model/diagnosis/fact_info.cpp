// SPDX-License-Identifier: Apache-2.0
//
// Placeholders in the names of declared facts: filled in, and matched.
#include "model/diagnosis/fact_info.h"

#include <algorithm>
#include <cstddef>

#include "base/characters.h"

namespace proofline {

std::string fill_placeholder(std::string_view pattern, std::string_view word) {
  const std::size_t open = pattern.find('<');
  const std::size_t close = pattern.find('>', open);
  std::string name(pattern.substr(0, open));
  name += word;
  return name.append(pattern.substr(close + 1));
}

bool matches_fact(std::string_view pattern, std::string_view name) {
  // Nearly always the first character decides.
  if (!pattern.empty() && pattern[0] != '<' && (name.empty() || pattern[0] != name[0]))
    return false;
  const std::size_t open = pattern.find('<');
  const std::size_t close = pattern.find('>', std::min(open, pattern.size()));
  if (close == pattern.npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, open))) return false;
  std::string_view choices = pattern.substr(open + 1, close - open - 1);
  const std::string_view after = pattern.substr(close + 1);
  name.remove_prefix(open);
  if (choices.find('|') != choices.npos) {
    while (!choices.empty()) {
      const std::string_view word = take_until('|', choices);
      if (name.starts_with(word) && matches_fact(after, name.substr(word.size()))) return true;
    }
    return false;
  }
  const std::size_t longest = std::min(name.find('.'), name.size());
  for (std::size_t size = 1; size <= longest; ++size) {
    if (matches_fact(after, name.substr(size))) return true;
  }
  return false;
}

}  // namespace proofline

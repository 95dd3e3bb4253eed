// SPDX-License-Identifier: Apache-2.0
//
// Two linear passes over the distinct names: count in how many each namespace occurs, then rewrite.
#include "model/profile/display_name.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/characters.h"
#include "model/profile/kernel_name.h"

namespace proofline {
namespace {

bool is_word(char c) { return is_alphanumeric(c) || c == '_'; }

std::size_t word_end(std::string_view text, std::size_t at) {
  while (at < text.size() && is_word(text[at])) ++at;
  return at;
}

// The qualifiers at `at`: each a word followed by "::". Moves `at` past them.
std::vector<std::string_view> take_qualifiers(std::string_view text, std::size_t& at) {
  std::vector<std::string_view> qualifiers;
  for (std::size_t end = word_end(text, at); end > at && text.substr(end, 2) == "::";
       end = word_end(text, at)) {
    qualifiers.push_back(text.substr(at, end - at));
    at = end + 2;
  }
  return qualifiers;
}

// The end of a cast such as "(unsigned int)" before a digit at `at`; 0 if there is
// none.
std::size_t cast_end(std::string_view text, std::size_t at) {
  if (text[at] != '(') return 0;
  const std::size_t end = text.find_first_of("()", at + 1);
  const bool closed = end != std::string_view::npos && end > at + 1 && text[end] == ')';
  return closed && end + 1 < text.size() && is_digit(text[end + 1]) ? end + 1 : 0;
}

using Frequency = std::unordered_map<std::string_view, std::size_t>;

void count_qualifiers(std::string_view name, Frequency& frequency) {
  std::set<std::string_view> seen;
  for (std::size_t at = 0; at < name.size();) {
    for (const std::string_view qualifier : take_qualifiers(name, at)) {
      if (seen.insert(qualifier).second) ++frequency[qualifier];
    }
    at = std::max(at + 1, word_end(name, at));
  }
}

std::string shorten(std::string_view name, const Frequency& frequency, std::size_t names) {
  std::string result;
  for (std::size_t at = 0; at < name.size();) {
    if (const std::size_t end = cast_end(name, at); end != 0) {
      at = end;
      continue;
    }
    const std::string_view* rarest = nullptr;
    const auto qualifiers = take_qualifiers(name, at);
    for (const std::string_view& qualifier : qualifiers) {
      const std::size_t count = frequency.at(qualifier);
      if (count == names) continue;
      if (rarest == nullptr || count < frequency.at(*rarest)) rarest = &qualifier;
    }
    if (rarest != nullptr) result.append(*rarest).append("::");
    const std::size_t end = std::min(std::max(at + 1, word_end(name, at)), name.size());
    result.append(name.substr(at, end - at));
    at = end;
  }
  return result;
}

std::string_view without_parameters(std::string_view name) {
  if (name.empty() || name.back() != ')') return name;
  std::size_t depth = 0;
  for (std::size_t at = name.size(); at-- > 1;) {
    if (name[at] == ')') ++depth;
    if (name[at] == '(' && --depth == 0) return name.substr(0, at);
  }
  return name;
}

}  // namespace

std::vector<std::string> display_names(const Profile& profile) {
  std::unordered_map<std::string_view, std::string> shortened;
  for (const Launch& launch : profile.launches) shortened.try_emplace(launch.name);
  Frequency frequency;
  for (const auto& [name, text] : shortened) count_qualifiers(name, frequency);
  for (auto& [name, text] : shortened) text = shorten(name, frequency, shortened.size());
  std::vector<std::string> names;
  names.reserve(profile.launches.size());
  for (const Launch& launch : profile.launches) names.push_back(shortened.at(launch.name));
  return names;
}

std::string_view without_signature(std::string_view display_name) {
  constexpr std::string_view kVoid = "void ";
  std::string_view name = display_name;
  if (name.substr(0, kVoid.size()) == kVoid) name.remove_prefix(kVoid.size());
  name = without_parameters(name);
  if (name.empty() || name.back() != ']') return name;
  const std::string_view untagged = name.substr(0, abi_tags(name));
  return untagged.empty() ? name : untagged;
}

}  // namespace proofline

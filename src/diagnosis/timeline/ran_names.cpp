// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/timeline/ran_names.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/characters.h"
#include "base/demangle.h"
#include "diagnosis/comparison/match.h"
#include "model/profile/display_name.h"
#include "model/profile/kernel_name.h"

namespace proofline {
namespace {

bool is_name_part(char c) { return is_alphanumeric(c) || c == '_' || c == '$'; }

// A number without its suffix, a truth value as the number it is, any other word itself.
std::string_view plain_word(std::string_view word) {
  if (word == "true") return "1";
  if (word == "false") return "0";
  const std::size_t digits =
      static_cast<std::size_t>(std::find_if_not(word.begin(), word.end(), is_digit) - word.begin());
  const bool is_number =
      digits > 0 && word.find_first_not_of("uUlL", digits) == std::string_view::npos;
  return is_number ? word.substr(0, digits) : word;
}

// Where the cast that begins here ends, "(unsigned long)3" -> at the 3; 0 where there is none.
std::size_t end_of_cast(std::string_view text, std::size_t open) {
  const std::size_t close = text.find_first_of("()", open + 1);
  if (close == std::string_view::npos || text[close] != ')' || close + 1 == text.size()) return 0;
  const char next = text[close + 1];
  return is_digit(next) || next == '-' ? close + 1 : 0;
}

// What the passes compare, made once for each name.
struct RanNameKeys {
  std::string mangled;
  std::string demangled;  // as our own demangler writes it
  std::string name;       // as the file has it
  std::string neutral;
  std::string normalised;
  std::string function;
  bool is_bare = false;  // the file has no more than the function
};

void add_derived(RanNameKeys& keys) {
  keys.neutral = name_of_any_demangler(keys.name);
  keys.normalised = normalise_kernel_name(keys.neutral, keys.function);
  keys.is_bare = keys.name == keys.function;
}

RanNameKeys keys_of(const ReportedName& reported) {
  RanNameKeys keys;
  keys.mangled = reported.mangled;
  if (!keys.mangled.empty()) keys.demangled = demangle(keys.mangled).text;
  keys.name = reported.name;
  keys.function = reported.function;
  add_derived(keys);
  return keys;
}

RanNameKeys keys_of(const std::string& ran) {
  RanNameKeys keys;
  keys.mangled = ran;
  keys.demangled = demangle(ran).text;
  keys.name = keys.demangled;
  keys.function = short_function_name(keys.name);
  add_derived(keys);
  return keys;
}

class NamePairs {
 public:
  NamePairs(const std::vector<ReportedName>& reported, const std::vector<std::string>& ran)
      : position_(reported.size()), is_taken_(ran.size()) {
    for (const ReportedName& one : reported) reported_.push_back(keys_of(one));
    for (const std::string& one : ran) ran_.push_back(keys_of(one));
  }

  // Pairs those whose key is unique on their side, paired or not.
  void pass(std::string RanNameKeys::*key, bool one_is_bare = false) {
    std::map<std::string_view, std::pair<std::vector<std::size_t>, std::vector<std::size_t>>>
        by_key;
    for (std::size_t i = 0; i < reported_.size(); ++i) {
      by_key[reported_[i].*key].first.push_back(i);
    }
    for (std::size_t i = 0; i < ran_.size(); ++i) by_key[ran_[i].*key].second.push_back(i);
    for (const auto& [text, positions] : by_key) {
      const auto& [reported, ran] = positions;
      if (text.empty() || reported.size() != 1 || ran.size() != 1) continue;
      if (position_[reported[0]] || is_taken_[ran[0]]) continue;
      if (one_is_bare && !reported_[reported[0]].is_bare && !ran_[ran[0]].is_bare) continue;
      position_[reported[0]] = ran[0];
      is_taken_[ran[0]] = true;
    }
  }

  std::vector<std::optional<std::size_t>> positions() && { return std::move(position_); }

 private:
  std::vector<RanNameKeys> reported_;
  std::vector<RanNameKeys> ran_;
  std::vector<std::optional<std::size_t>> position_;
  std::vector<bool> is_taken_;
};

}  // namespace

std::string name_of_any_demangler(std::string_view demangled) {
  constexpr std::string_view kUnnamed[] = {"(anonymous namespace)", "<unnamed>"};
  const std::string_view text = without_signature(demangled);
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto* unnamed =
        std::find_if(std::begin(kUnnamed), std::end(kUnnamed),
                     [&](std::string_view one) { return text.substr(at).starts_with(one); });
    if (unnamed != std::end(kUnnamed)) {
      result += "{}";
      at += unnamed->size();
    } else if (text[at] == ' ') {
      ++at;
    } else if (const std::size_t cast = text[at] == '(' ? end_of_cast(text, at) : 0; cast != 0) {
      at = cast;
    } else if (is_name_part(text[at])) {
      std::size_t end = at;
      while (end < text.size() && is_name_part(text[end])) ++end;
      result += plain_word(text.substr(at, end - at));
      at = end;
    } else {
      result += text[at++];
    }
  }
  return result;
}

std::vector<std::optional<std::size_t>> match_ran_names(const std::vector<ReportedName>& reported,
                                                        const std::vector<std::string>& ran) {
  NamePairs pairs(reported, ran);
  pairs.pass(&RanNameKeys::mangled);
  pairs.pass(&RanNameKeys::demangled);
  pairs.pass(&RanNameKeys::name);
  pairs.pass(&RanNameKeys::neutral);
  pairs.pass(&RanNameKeys::normalised);
  pairs.pass(&RanNameKeys::function, true);
  return std::move(pairs).positions();
}

}  // namespace proofline

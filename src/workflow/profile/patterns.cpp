// SPDX-License-Identifier: Apache-2.0
//
// Patterns are compiled once; one that makes no sense is the user's error, with RE2's reason.
#include "workflow/profile/patterns.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "base/propagate.h"
#include "base/regex_text.h"
#include "base/text.h"

namespace proofline {
namespace {

Result<std::shared_ptr<const RE2>> compile_regex(const std::string& pattern,
                                                 std::string_view flag) {
  RE2::Options options;
  options.set_log_errors(false);
  auto regex = std::make_shared<const RE2>(pattern, options);
  if (regex->ok()) return regex;
  return fail(ErrorKind::kUsage, fmt::format("{} {} is no regular expression: {}", flag,
                                             quote(pattern), escape_terminal(regex->error())));
}

std::string name_regex(std::string_view pattern) {
  constexpr std::string_view kRegex = "regex:";
  if (pattern.substr(0, kRegex.size()) == kRegex) return std::string(pattern.substr(kRegex.size()));
  std::string regex = "^";
  for (const char c : pattern) {
    if (c == '*') {
      regex += ".*";
    } else if (c == '?') {
      regex += '.';
    } else {
      regex += RE2::QuoteMeta(std::string(1, c));
    }
  }
  return regex + "(\\..*)?$";
}

}  // namespace

Result<KernelPattern> KernelPattern::compile(const std::string& pattern, std::string_view flag) {
  ASSIGN_OR_RETURN(auto regex, compile_regex(pattern, flag));
  KernelPattern result;
  result.regex_ = std::move(regex);
  return result;
}

bool KernelPattern::matches(const Launch& launch) const {
  return RE2::PartialMatch(launch.name, *regex_) || RE2::PartialMatch(launch.function, *regex_) ||
         RE2::PartialMatch(launch.mangled, *regex_);
}

Result<NamePatterns> NamePatterns::compile(const std::vector<std::string>& patterns,
                                           std::string_view flag) {
  NamePatterns result;
  for (const std::string& pattern : patterns) {
    ASSIGN_OR_RETURN(auto regex, compile_regex(name_regex(pattern), flag));
    result.regexes_.push_back(std::move(regex));
  }
  return result;
}

bool NamePatterns::matches(std::string_view name) const {
  return std::any_of(regexes_.begin(), regexes_.end(), [&](const auto& regex) {
    return RE2::PartialMatch(regex_text(name), *regex);
  });
}

std::string known_kernels(const Profile& profile) {
  constexpr std::size_t kMost = 10;
  std::vector<std::string> names;
  for (const Launch& launch : profile.launches) names.push_back(launch.name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) text += "\n  " + quote(names[i]);
  if (names.size() > kMost) text += fmt::format("\n  and {} more", names.size() - kMost);
  return text;
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "workflow/profile/select_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/nearest.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "views/profile/raw_page.h"
#include "vocabulary/metric_catalogue.h"
#include "vocabulary/metric_name.h"
#include "vocabulary/ncu_sections.h"
#include "vocabulary/outdated_names.h"
#include "workflow/profile/patterns.h"

namespace proofline {
namespace {

Result<std::vector<MetricId>> metrics_matching(const Profile& profile, const std::string& pattern) {
  ASSIGN_OR_RETURN(const auto compiled, NamePatterns::compile({pattern}, option("metrics")));
  std::vector<MetricId> found;
  for (MetricId id = 0; id < profile.metric_names.size(); ++id) {
    if (compiled.matches(profile.metric_names[id].name)) found.push_back(id);
  }
  return found;
}

// What else the user may have meant, or which flags would have brought it; "" where nothing is
// known.
std::string hint(const Profile& profile, const std::string& pattern) {
  constexpr std::size_t kMost = 3;
  const MetricNameParts parts = split_metric_name(pattern);
  const auto metric = find_known_metric(parts.base);
  std::string problem = metric ? wrong_form(*metric, parts) : "";
  if (!problem.empty()) return problem;
  if (metric || !sections_with(pattern).empty()) {
    return fmt::format("the report was taken without it; ncu {} brings it",
                       capture_flags({&pattern, 1}));
  }
  // A base name is compared with base names.
  const bool with_suffix = pattern.find('.') != pattern.npos;
  std::vector<std::string_view> known;
  for (MetricId id = 0; id < profile.metric_names.size(); ++id) {
    const std::string_view name = profile.metric_names[id].name;
    known.push_back(with_suffix ? name : name.substr(0, name.find('.')));
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  std::string letters = pattern;
  std::erase_if(letters, [](char c) { return c == '*' || c == '?'; });
  std::string text;
  for (const std::string_view name : nearest(letters, known, kMost)) {
    text += (text.empty() ? "nearest: " : ", ") + escape_terminal(name);
  }
  if (!text.empty()) return text;
  const std::vector<std::string_view> elsewhere = nearest(parts.base, known_metric_names(), 1);
  if (elsewhere.empty()) return "";
  return fmt::format("nearest: {}, which the report was taken without", elsewhere.front());
}

std::string_view verdict(NameFault fault) {
  switch (fault) {
    case NameFault::kOutdated: return "is outdated";
    case NameFault::kUnknown: return "is not a name of ncu's";
    case NameFault::kMisread: return "is rarely what is wanted";
  }
  return "is outdated";
}

std::string outdated_text(const OutdatedName& entry, const std::string& pattern) {
  return fmt::format("{} {}; take {}. {}", quote(pattern), verdict(entry.fault),
                     right_name(entry, pattern), entry.why);
}

// The metrics that one pattern means: those that match, or under the right name where the one that
// was typed is outdated.
Result<std::vector<MetricId>> select_pattern(const Profile& profile, const std::string& pattern,
                                             Announcer& announcer) {
  auto found = metrics_matching(profile, pattern);
  if (!found) return found;
  const OutdatedName* entry = find_outdated(pattern);
  if (entry == nullptr) return found;
  if (!found->empty()) {
    // A misread name is a right one to ask for.
    if (entry->fault != NameFault::kMisread)
      announcer.say("note: " + outdated_text(*entry, pattern));
    return found;
  }
  if (!entry->same_meaning) {
    return fail(ErrorKind::kUsage,
                fmt::format("{}: {}", option("metrics"), outdated_text(*entry, pattern)));
  }
  announcer.say("note: " + outdated_text(*entry, pattern));
  const std::string right = right_name(*entry, pattern);
  return metrics_matching(profile,
                          entry->kind == "stall reason" ? "*issue_stalled_" + right + "*" : right);
}

}  // namespace

Result<std::vector<MetricId>> select_metrics(const Profile& profile,
                                             const std::vector<std::string>& patterns,
                                             Announcer& announcer) {
  std::vector<MetricId> chosen;
  if (patterns.empty()) {
    for (MetricId id = 0; id < profile.metric_names.size(); ++id) {
      if (on_raw_page(profile.metric_names[id].name)) chosen.push_back(id);
    }
  }
  std::vector<std::string> without_match;
  for (const std::string& typed : patterns) {
    const std::string pattern(trim(typed));  // of "a, b"
    auto found = select_pattern(profile, pattern, announcer);
    if (!found) return found;
    if (found->empty()) without_match.push_back(pattern);
    chosen.insert(chosen.end(), found->begin(), found->end());
  }
  const bool nothing = chosen.empty() && !patterns.empty();
  std::string hints;
  for (const std::string& pattern : without_match) {
    const std::string text = hint(profile, pattern);
    if (nothing) {
      if (!text.empty()) hints += fmt::format("\n  {}: {}", quote(pattern), text);
    } else {
      announcer.say(fmt::format("note: no metric matches {}{}{}", quote(pattern),
                                text.empty() ? "" : "; ", text));
    }
  }
  if (nothing) {
    return fail(ErrorKind::kInput,
                fmt::format("{}: none of its {} metrics matches {}; list them with {}{}",
                            quote(profile.path), profile.metric_names.size(), option("metrics"),
                            option("all"), hints));
  }
  std::sort(chosen.begin(), chosen.end(), [&](MetricId a, MetricId b) {
    return profile.metric_names[a].name < profile.metric_names[b].name;
  });
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

}  // namespace proofline

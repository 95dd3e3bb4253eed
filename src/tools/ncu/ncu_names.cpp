// SPDX-License-Identifier: Apache-2.0

#include "tools/ncu/ncu_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/characters.h"
#include "base/nearest.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "vocabulary/ncu_sections.h"
#include "vocabulary/outdated_names.h"

namespace proofline {
namespace {

constexpr std::size_t kMostNear = 3;

// The rows of the tables that ncu prints:
//
//   ---------- --------
//   Identifier Sections
//   ---------- --------
//   basic      LaunchStats, Occupancy, SpeedOfLig
//              ht
//
// A row that goes on begins with a blank; a blank line or a title ends the table.
std::vector<std::string_view> table_rows(std::string_view printed) {
  std::vector<std::string_view> rows;
  int rules = 0;
  while (!printed.empty()) {
    const std::string_view line = printed.substr(0, printed.find('\n'));
    printed.remove_prefix(std::min(line.size() + 1, printed.size()));
    if (line.starts_with("---")) {
      ++rules;
    } else if (trim(line).empty() || line.starts_with("Device ") || line.starts_with("Chip ")) {
      rules = 0;
    } else if (rules == 2 && line.front() != ' ') {
      rows.push_back(line);
    }
  }
  return rows;
}

std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

template <class Names>
std::vector<std::string_view> views(const Names& names) {
  return {names.begin(), names.end()};
}

std::string near_text(std::string_view name, const std::vector<std::string_view>& known) {
  const auto near = nearest(name, known, kMostNear);
  if (near.empty()) return "";
  return "; nearest: " + escape_terminal(fmt::format("{}", fmt::join(near, ", ")));
}

// The entry for a name of this kind that is not right as it was typed.
const OutdatedName* find_entry(std::string_view name, std::string_view kind) {
  const OutdatedName* entry = find_outdated(name);
  if (entry == nullptr || entry->kind != kind || entry->fault == NameFault::kMisread) {
    return nullptr;
  }
  return entry;
}

tl::unexpected<Error> refuse(std::string_view what, std::string_view name,
                             const OutdatedName* entry, const std::string& near,
                             std::string_view listed_by) {
  if (entry != nullptr) {
    return fail(ErrorKind::kUsage, fmt::format("{} is no {} of ncu: {} Take {}", quote(name), what,
                                               entry->why, right_name(*entry, name)));
  }
  return fail(ErrorKind::kUsage, fmt::format("the installed ncu knows no {} {}{} (ncu {} has all)",
                                             what, quote(name), near, listed_by));
}

void take_instead(std::string_view typed, std::string right, std::string_view why,
                  CheckedNames& checked) {
  checked.notes.push_back(
      {NoteKind::kInfo, "",
       fmt::format("taking {} for {}: {}", escape_terminal(right), quote(typed), why)});
  checked.names.push_back(std::move(right));
}

// Sections and sets, which are plain lists of names.
Result<CheckedNames> check_list(const std::vector<std::string>& typed,
                                const std::vector<std::string>& known, std::string_view what,
                                std::string_view listed_by) {
  CheckedNames checked;
  const auto has = [&](std::string_view name) {
    return std::find(known.begin(), known.end(), name) != known.end();
  };
  for (const std::string& name : typed) {
    const auto other_case = std::find_if(known.begin(), known.end(), [&](const std::string& one) {
      return equal_but_case(one, name);
    });
    const OutdatedName* entry = find_entry(name, what);
    if (has(name) || name.starts_with("regex:")) {
      checked.names.push_back(name);
    } else if (other_case != known.end()) {
      take_instead(name, *other_case, "ncu tells upper from lower case", checked);
    } else if (entry != nullptr && entry->same_meaning && has(right_name(*entry, name))) {
      take_instead(name, right_name(*entry, name), entry->why, checked);
    } else {
      return refuse(what, name, entry, near_text(name, views(known)), listed_by);
    }
  }
  return checked;
}

class MetricCheck {
 public:
  explicit MetricCheck(const std::vector<NcuMetric>& known) {
    for (const NcuMetric& metric : known) known_.emplace(metric.name, metric.kind);
  }

  Result<CheckedNames> run(const std::vector<std::string>& typed);

 private:
  // Why it cannot be asked for, though there is a metric of that base name; "" where it can;
  // nothing where the name is unknown.
  std::optional<std::string> trouble(std::string_view name) const;
  Result<void> check(const std::string& name);

  std::map<std::string_view, MetricKind> known_;
  CheckedNames checked_;
};

bool is_expanded_by_ncu(std::string_view name) {
  for (const std::string_view prefix : {"regex:", "group:", "breakdown:", "pmsampling:"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

std::optional<std::string> MetricCheck::trouble(std::string_view name) const {
  const MetricNameParts parts = split_metric_name(name);
  // With the domain of a counter for sampling, as ncu lists it.
  const std::string_view base = name.substr(0, parts.base.end() - name.begin());
  const auto found = known_.find(base);
  if (found == known_.end()) {
    // Attributes, samples and counts by instruction, which --query-metrics does not list.
    if (is_in_every_capture(name) || !sections_with(name).empty()) return "";
    return std::nullopt;
  }
  const KnownMetric metric{found->first, found->second, {}};
  std::string wrong = wrong_form(metric, parts);
  if (!wrong.empty() || parts.submetric.empty()) return wrong;
  if (metric.kind == MetricKind::kThroughput && !parts.submetric.starts_with("pct_of_peak_")) {
    return "a throughput has the forms .pct_of_peak_sustained_elapsed and _active only";
  }
  const bool known_form = !decode_metric_name(parts).back().meaning.empty();
  return known_form ? "" : fmt::format("no metric has a form .{}", parts.submetric);
}

Result<void> MetricCheck::check(const std::string& name) {
  // What ncu's section files compute, only they bring.
  if (name.starts_with("derived__") && !sections_with(name).empty()) {
    const std::string section(sections_with(name).front());
    checked_.notes.push_back({NoteKind::kInfo, "",
                              fmt::format("{} is computed by a section of ncu: taking {} {}",
                                          quote(name), option("section"), section)});
    checked_.sections.push_back(section);
    return {};
  }
  const auto why = is_expanded_by_ncu(name) ? std::optional<std::string>("") : trouble(name);
  if (why && why->empty()) {
    checked_.names.push_back(name);
    return {};
  }
  if (why) {
    return fail(ErrorKind::kUsage,
                fmt::format("ncu cannot collect {}: {}", quote(name), escape_terminal(*why)));
  }
  const OutdatedName* entry = find_entry(name, "metric");
  if (entry == nullptr) entry = find_entry(name, "word");
  if (entry != nullptr && entry->same_meaning && trouble(right_name(*entry, name)) == "") {
    take_instead(name, right_name(*entry, name), entry->why, checked_);
    return {};
  }
  std::vector<std::string_view> bases;
  bases.reserve(known_.size());
  for (const auto& [base, kind] : known_) bases.push_back(base);
  return refuse("metric", name, entry, near_text(split_metric_name(name).base, bases),
                "--query-metrics");
}

Result<CheckedNames> MetricCheck::run(const std::vector<std::string>& typed) {
  for (const std::string& name : typed) {
    RETURN_IF_ERROR(check(name));
  }
  return std::move(checked_);
}

}  // namespace

std::vector<std::string> parse_ncu_list(std::string_view printed) {
  std::vector<std::string> names;
  for (std::string_view row : table_rows(printed)) names.emplace_back(take_word(row));
  return names;
}

std::vector<NcuMetric> parse_ncu_metrics(std::string_view printed) {
  std::vector<NcuMetric> metrics;
  for (std::string_view row : table_rows(printed)) {
    const std::string_view name = take_word(row);
    const std::string_view kind = take_word(row);
    if (kind == "Counter") metrics.push_back({std::string(name), MetricKind::kCounter});
    if (kind == "Ratio") metrics.push_back({std::string(name), MetricKind::kRatio});
    if (kind == "Throughput") metrics.push_back({std::string(name), MetricKind::kThroughput});
  }
  return metrics;
}

Result<CheckedNames> check_ncu_sections(const std::vector<std::string>& typed,
                                        const std::vector<std::string>& known) {
  return check_list(typed, known, "section", "--list-sections");
}

Result<CheckedNames> check_ncu_metrics(const std::vector<std::string>& typed,
                                       const std::vector<NcuMetric>& known) {
  return MetricCheck(known).run(typed);
}

}  // namespace proofline

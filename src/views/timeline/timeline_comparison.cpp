// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/timeline_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/option.h"
#include "views/notes.h"
#include "views/quantity.h"

namespace proofline {
namespace {

constexpr std::size_t kMostChangeRows = 10;
// What changed by less is the same: two runs of one program differ by as much.
constexpr double kSameShare = 0.01;

std::string time_change_text(double ns) {
  return (ns < 0 ? "-" : ns > 0 ? "+" : "") + time_text(std::abs(ns));
}

std::string count_cell(double count) {
  return count == std::floor(count) ? fmt::format("{:.0f}", count) : fmt::format("{:.1f}", count);
}

struct Section {
  std::string_view key;  // in rows
  std::string_view title;
  std::string_view what;  // head of its first column
  std::vector<TimelineChange> TimelineComparison::*rows;
  bool counted;
};

constexpr Section kSections[] = {
    {"parts", "Where the time of the GPU goes", "Part", &TimelineComparison::parts, false},
    {"kernels", "Kernels", "Kernel", &TimelineComparison::kernels, true},
    {"copies", "Copies", "Copy", &TimelineComparison::copies, true},
    {"calls", "Calls of the host", "Call", &TimelineComparison::calls, true},
    {"operators", "Operators, by the GPU time that they asked for", "Operator",
     &TimelineComparison::operators, true},
    {"steps", "Steps", "Step", &TimelineComparison::steps, false},
};

void add_section(const Section& section, const std::vector<TimelineChange>& changes, bool all,
                 Document& document) {
  if (changes.empty()) return;
  const bool is_cut = !all && section.rows != &TimelineComparison::parts;
  Table table;
  table.columns = {{std::string(section.what), Align::kLeft, true},
                   {"A", Align::kRight},
                   {"B", Align::kRight},
                   {"Change", Align::kRight}};
  if (section.counted) {
    table.columns.push_back({"Count A", Align::kRight, false, true});
    table.columns.push_back({"Count B", Align::kRight, false, true});
  }
  std::size_t left_out = 0;
  for (const TimelineChange& change : changes) {
    if (is_cut && (table.rows.size() == kMostChangeRows || change.change_ns() == 0)) {
      ++left_out;
      continue;
    }
    std::vector<Cell> row = {{shown_name(change.name)},
                             {time_text(change.a_ns), true},
                             {time_text(change.b_ns), true},
                             {time_change_text(change.change_ns()), true}};
    if (section.counted) {
      row.push_back({count_cell(change.a_count), true});
      row.push_back({count_cell(change.b_count), true});
    }
    table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) return;
  document.blocks.emplace_back(Heading{std::string(section.title)});
  document.blocks.emplace_back(std::move(table));
  if (left_out > 0) {
    document.blocks.emplace_back(
        Paragraph{fmt::format("{} more changed less or not at all ({})", left_out, option("all"))});
  }
}

}  // namespace

std::string timeline_comparison_headline(const TimelineComparison& comparison) {
  const double a = comparison.a.span_ns;
  const double b = comparison.b.span_ns;
  const std::string_view unit = comparison.by_step ? " per step" : "";
  if (a <= 0 || b <= 0) return "nothing to compare: one of the timelines has no GPU work";
  for (const auto& [name, side] : {std::pair("A", &comparison.a), std::pair("B", &comparison.b)}) {
    if (side->doubt.empty()) continue;
    return fmt::format("nothing to compare: {} is no whole timeline ({})", name, side->doubt);
  }
  const double change = b / a - 1;
  if (std::abs(change) < kSameShare) {
    return fmt::format("B takes as long as A: {}{} and {}", time_text(a), unit, time_text(b));
  }
  std::string text =
      fmt::format("B takes {:.3g} % {} time: {}{} instead of {}", 100 * std::abs(change),
                  change < 0 ? "less" : "more", time_text(b), unit, time_text(a));
  // The part that went the same way the most.
  const auto most = std::max_element(comparison.parts.begin(), comparison.parts.end(),
                                     [&](const TimelineChange& one, const TimelineChange& other) {
                                       return change < 0 ? one.change_ns() > other.change_ns()
                                                         : one.change_ns() < other.change_ns();
                                     });
  if (most != comparison.parts.end() && (most->change_ns() < 0) == (change < 0)) {
    text +=
        fmt::format("; most of that is {} ({})", most->name, time_change_text(most->change_ns()));
  }
  return text;
}

Document compose_timeline_comparison(const TimelineComparison& comparison, bool all) {
  Document document;
  Point point{"", timeline_comparison_headline(comparison), "", {}};
  point.lines.push_back({"A", comparison.a.headline});
  point.lines.push_back({"B", comparison.b.headline});
  document.blocks.emplace_back(Points{{std::move(point)}});
  Properties properties;
  properties.rows.emplace_back("A", comparison.a.path);
  properties.rows.emplace_back("B", comparison.b.path);
  if (comparison.by_step) {
    properties.rows.emplace_back("times", fmt::format("of a mean step: A has {}, B has {}",
                                                      comparison.a.steps, comparison.b.steps));
  }
  document.blocks.emplace_back(std::move(properties));
  for (const Section& section : kSections) {
    add_section(section, comparison.*section.rows, all, document);
  }
  add_notes(comparison.notes, document);
  return document;
}

Document compose_timeline_comparison_rows(const TimelineComparison& comparison) {
  Table table;
  for (const std::string_view title : {"table", "name", "a_ns", "b_ns", "a_count", "b_count"}) {
    table.columns.push_back({std::string(title)});
  }
  for (const Section& section : kSections) {
    for (const TimelineChange& change : comparison.*section.rows) {
      table.rows.push_back({{std::string(section.key)},
                            {change.name},
                            {fmt::format("{}", change.a_ns), true},
                            {fmt::format("{}", change.b_ns), true},
                            {fmt::format("{}", change.a_count), true},
                            {fmt::format("{}", change.b_count), true}});
    }
  }
  Document document;
  document.blocks.emplace_back(std::move(table));
  return document;
}

}  // namespace proofline

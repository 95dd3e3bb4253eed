// SPDX-License-Identifier: Apache-2.0
#include "views/code/code_comparison_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/option.h"
#include "base/text.h"
#include "model/profile/display_name.h"
#include "views/code/code_diff_table.h"
#include "views/notes.h"
#include "views/quantity.h"

namespace proofline {
namespace {

// One screen.
constexpr std::size_t kMostPairs = 5;
constexpr std::size_t kMostChanges = 14;
constexpr std::size_t kMostUnpairedFunctions = 5;
constexpr CodeDiffCut kScreenOfDiff{5, 12};
// Beside two profiles.
constexpr std::size_t kMostProfiledPairs = 3;
constexpr CodeDiffCut kGlanceOfDiff{2, 8};

std::string value_text(double value, std::string_view unit) {
  if (unit == kShare) return share_text(value);
  const std::string number = group_digits(static_cast<std::uint64_t>(value));
  return unit.empty() ? number : fmt::format("{} {}", number, unit);
}

std::string change_text(const CodeChange& change) {
  if (change.unit == kShare) {
    return fmt::format("{:+.1f} points", 100 * (change.b - change.a));
  }
  const double difference = change.b - change.a;
  const std::string sign = difference > 0 ? "+" : "-";
  return sign + value_text(std::abs(difference), change.unit);
}

std::string sameness_text(const CodeDiff& diff) {
  switch (diff.sameness) {
    case Sameness::kIdentical: return diff.by_bytes ? "same code, byte for byte" : "same code";
    case Sameness::kRenamed: return "same code; registers have other names";
    case Sameness::kRescheduled:
      return fmt::format("same instructions; the control bits of {} differ", diff.control_changed);
    case Sameness::kSameOpcodes:
      return "same opcodes in the same order; operands are not compared, since one side is a "
             "listing and the other encodings";
    case Sameness::kBytesDiffer:
      return fmt::format("differs ({} of {} instructions differ in their bytes; {})",
                         diff.bytes_changed,
                         diff.by_bytes ? diff.common + diff.bytes_changed : diff.common,
                         diff.by_bytes ? "not decoded" : "decoding leaves out in what");
    case Sameness::kUnknown: return "not known whether it is the same code: not all of it was read";
    case Sameness::kDifferent: break;
  }
  std::string text = fmt::format("{} instructions in common, {} removed, {} added", diff.common,
                                 diff.removed, diff.added);
  if (diff.moved > 0) text += fmt::format(", {} moved within their block", diff.moved);
  if (diff.rewired > 0)
    text += fmt::format(", {} read another value or go elsewhere", diff.rewired);
  if (diff.bytes_changed > 0) text += fmt::format(", {} differ in their bytes", diff.bytes_changed);
  if (diff.estimated) {
    text += " (parts are too different to be aligned: all of them count as removed and added)";
  }
  if (diff.control_known) {
    text += fmt::format("; stall cycles {} -> {}", group_digits(diff.stall_cycles_a),
                        group_digits(diff.stall_cycles_b));
  }
  return text;
}

// What people look at first: resources and the hot loop.
bool is_foremost(const CodeChange& change) { return change.aspect != CodeAspect::kFunction; }

void add_pair(const CodeSide& b, const FunctionComparison& pair, bool all, Document& document) {
  const FunctionReport& function = b.report.functions[pair.b];
  document.blocks.emplace_back(Heading{shown_name(function.shown)});
  document.blocks.emplace_back(Paragraph{sameness_text(pair.diff)});
  std::vector<const CodeChange*> changes;
  for (const CodeChange& change : pair.changes) changes.push_back(&change);
  std::stable_sort(changes.begin(), changes.end(), [](const auto* x, const auto* y) {
    return is_foremost(*x) && !is_foremost(*y);
  });
  Table table{{{"What", Align::kLeft, true},
               {"A", Align::kRight},
               {"B", Align::kRight},
               {"Change", Align::kRight}},
              {}};
  const std::size_t shown = all ? changes.size() : std::min(kMostChanges, changes.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const CodeChange& change = *changes[i];
    table.rows.push_back({{change.what},
                          {value_text(change.a, change.unit), true},
                          {value_text(change.b, change.unit), true},
                          {change_text(change), true}});
  }
  if (!table.rows.empty()) document.blocks.emplace_back(std::move(table));
  if (shown < changes.size()) {
    document.blocks.emplace_back(Paragraph{
        fmt::format("and {} more changes; {} lists them", changes.size() - shown, option("all"))});
  }
  add_code_diff(pair, all ? kWholeCodeDiff : kScreenOfDiff, document);
  if (!pair.unknown.empty()) {
    document.blocks.emplace_back(Paragraph{fmt::format(
        "not compared, since a side does not tell: {}", fmt::join(pair.unknown, ", "))});
  }
}

void add_alone(std::string_view side, const CodeReport& report,
               const std::vector<CodeComparison::Alone>& alone, Document& document) {
  for (std::size_t i = 0; i < std::min(kMostUnpairedFunctions, alone.size()); ++i) {
    document.blocks.emplace_back(
        Callout{true, fmt::format("only in {}: {}", side,
                                  shown_name(report.functions[alone[i].function].shown))});
  }
  if (alone.size() > kMostUnpairedFunctions) {
    document.blocks.emplace_back(Callout{true, fmt::format("only in {}: {} more functions", side,
                                                           alone.size() - kMostUnpairedFunctions)});
  }
}

bool is_same_code(const FunctionComparison& pair) { return is_same(pair.diff.sameness); }

// ", 2 not known": functions that could not be compared.
std::string unknown_text(const std::vector<FunctionComparison>& pairs) {
  const auto unknown = std::count_if(
      pairs.begin(), pairs.end(),
      [](const FunctionComparison& pair) { return pair.diff.sameness == Sameness::kUnknown; });
  return unknown > 0 ? fmt::format(", {} not known", unknown) : "";
}

}  // namespace

Document compose_code_comparison(const CodeSide& a, const CodeSide& b,
                                 const CodeComparison& comparison,
                                 const CodeComparisonParts& parts) {
  Document document;
  document.blocks.emplace_back(
      Properties{{{"A", fmt::format("{} ({})", a.report.path, a.report.format)},
                  {"B", fmt::format("{} ({})", b.report.path, b.report.format)}}});
  const auto same = std::count_if(comparison.pairs.begin(), comparison.pairs.end(), is_same_code);
  document.blocks.emplace_back(Paragraph{fmt::format("{} on both sides, {} of them the same code{}",
                                                     plural(comparison.pairs.size(), "function"),
                                                     same, unknown_text(comparison.pairs))});
  std::size_t shown = 0;
  std::size_t left_out = 0;
  for (const FunctionComparison& pair : comparison.pairs) {
    const bool quiet = is_same_code(pair) && pair.changes.empty() && comparison.pairs.size() > 1;
    if (!parts.all && quiet) continue;
    if (!parts.all && shown == kMostPairs) {
      ++left_out;
      continue;
    }
    ++shown;
    add_pair(b, pair, parts.all, document);
  }
  if (left_out > 0) {
    document.blocks.emplace_back(Paragraph{fmt::format(
        "and {} with changes; {} shows them", plural(left_out, "more function"), option("all"))});
  }
  add_alone("A", a.report, comparison.only_in_a, document);
  add_alone("B", b.report, comparison.only_in_b, document);
  for (const CodeSide* side : {&a, &b}) {
    for (const Note& note : side->report.notes) {
      document.blocks.emplace_back(
          Callout{note.kind == NoteKind::kLoss,
                  fmt::format("{}: {}", side == &a ? "A" : "B", note_text(note))});
    }
  }
  return document;
}

Document compose_code_comparison_rows(const CodeSide& a, const CodeComparison& comparison) {
  Table table{{{"Function"},
               {"Sameness"},
               {"What"},
               {"Unit"},
               {"A"},
               {"B"},
               {"Block"},
               {"Loop"},
               {"Samples A"},
               {"Samples B"}},
              {}};
  const std::size_t columns = table.columns.size();
  for (const FunctionComparison& pair : comparison.pairs) {
    const auto add = [&](std::vector<Cell> cells) {
      auto& row = table.rows.emplace_back();
      row = {{a.report.functions[pair.a].shown}, {std::string(to_string(pair.diff.sameness))}};
      std::move(cells.begin(), cells.end(), std::back_inserter(row));
      row.resize(columns);
    };
    if (pair.changes.empty() && pair.blocks.empty()) add({});
    for (const CodeChange& change : pair.changes) {
      add({{change.what},
           {change.unit},
           {fmt::format("{}", change.a), true},
           {fmt::format("{}", change.b), true}});
    }
    for (const ChangedBlock& block : pair.blocks) {
      for (const ChangedInstruction& one : block.instructions) add(code_diff_row(block, one));
    }
  }
  return Document{{std::move(table)}};
}

void add_profiled_code(const ComparedCode& code, bool all, Document& document) {
  const auto& pairs = code.comparison.pairs;
  if (pairs.empty()) return;
  const auto same = std::count_if(pairs.begin(), pairs.end(), is_same_code);
  const bool all_same = static_cast<std::size_t>(same) == pairs.size();
  document.blocks.emplace_back(Paragraph{
      all_same ? fmt::format("Machine code: the same on both sides ({})",
                             plural(pairs.size(), "profiled function"))
               : fmt::format("Machine code: {} of {} the same on both sides{}", same,
                             plural(pairs.size(), "profiled function"), unknown_text(pairs))});
  std::size_t shown = 0;
  for (const FunctionComparison& pair : pairs) {
    if (is_same_code(pair)) continue;
    if (!all && shown == kMostProfiledPairs) break;
    ++shown;
    document.blocks.emplace_back(Paragraph{fmt::format(
        "{}: {}", shown_name(code.b.report.functions[pair.b].shown), sameness_text(pair.diff))});
    add_code_diff(pair, all ? kWholeCodeDiff : kGlanceOfDiff, document);
  }
  const std::size_t left_out = pairs.size() - static_cast<std::size_t>(same) - shown;
  if (left_out > 0) {
    document.blocks.emplace_back(
        Paragraph{fmt::format("and {} that differ; {} or {} shows them",
                              plural(left_out, "more function"), option("all"), option("code"))});
  }
}

}  // namespace proofline

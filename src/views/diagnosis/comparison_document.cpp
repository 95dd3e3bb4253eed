// SPDX-License-Identifier: Apache-2.0
//
// Composes what a comparison says. Nothing is computed here beyond choosing what is worth a line.
#include "views/diagnosis/comparison_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/option.h"
#include "base/text.h"
#include "diagnosis/comparison/compare.h"
#include "model/diagnosis/facts.h"
#include "views/diagnosis/evidence_words.h"
#include "views/notes.h"
#include "views/quantity.h"

namespace proofline {
namespace {

// Without --all: this many kernels in detail, and of each this many facts, the weighty ones.
constexpr std::size_t kMostDetails = 5;
constexpr std::size_t kMostFacts = 10;
constexpr double kLeastEffect = 0.02;
// Durations nearer than this are the same.
constexpr double kSameDuration = 0.01;

std::string kernel_text(const ComparedKernel& kernel) { return shown_name(kernel.display_name); }

std::string signed_percent(double share) { return fmt::format("{:+.1f} %", 100 * share); }

std::string fact_text(const std::optional<FactValue>& value, std::string_view unit) {
  return value ? quantity_text(*value, unit) : "absent";
}

// Shares in points, all else relative to A; a change from nothing has no relative size.
std::string change_text(const FactChange& fact) {
  if (!fact.a || !fact.b) return fact.absence;
  if (!fact.change) return *fact.a == *fact.b ? "same" : "";
  if (*fact.change == 0) return "same";
  if (fact.unit == kShare) return fmt::format("{:+.1f} points", 100 * *fact.change);
  if (fact.unit == "%") return fmt::format("{:+.1f} points", *fact.change);
  if (!fact.relative) return "from 0";
  constexpr double kDouble = 1;
  if (std::abs(*fact.relative) <= kDouble) return signed_percent(*fact.relative);
  return fmt::format("x{:.3g}", 1 + *fact.relative);
}

std::string gain_text(const std::optional<Gain>& gain) {
  if (!gain) return "-";
  return fmt::format("{:.0f} to {:.0f} %", 100 * gain->low, 100 * gain->high);
}

std::string refused_text(const KernelComparison& pair) {
  std::string text;
  for (const Difference& one : pair.differences) {
    if (one.refuses) text += (text.empty() ? "" : ", ") + one.what;
  }
  return "refused: " + text;
}

std::string outcome_text(const KernelComparison& pair) {
  if (pair.refused) return refused_text(pair);
  if (pair.ratio && std::abs(*pair.ratio - 1) < kSameDuration) return "same";
  switch (pair.spread) {
    case SpreadVerdict::kUnknown: return "spread unknown";
    case SpreadVerdict::kWithin: return "within the spread";
    case SpreadVerdict::kOutside: return "outside the spread";
  }
  return "";
}

std::string share_change(const KernelComparison& pair) {
  const auto text = [](std::optional<double> share) {
    return share ? share_text(*share) : std::string("-");
  };
  return text(pair.a.time_share) + " to " + text(pair.b.time_share);
}

void add_sources(const ProfileComparison& comparison, Document& document) {
  const auto line = [](const DiagnosisSource& source) {
    return source.producer.empty() ? source.path : source.path + ", " + source.producer;
  };
  document.blocks.emplace_back(Properties{{{"A", line(comparison.a)}, {"B", line(comparison.b)}}});
}

void add_differences(const std::vector<Difference>& differences, Document& document) {
  for (const Difference& one : differences) {
    std::string text = fmt::format("{}: {} in A, {} in B", one.what, one.a, one.b);
    if (one.refuses) text += "; durations of the two do not compare";
    document.blocks.emplace_back(Callout{false, std::move(text)});
  }
}

void add_kernels(const ProfileComparison& comparison, Document& document) {
  Table table{{{"Kernel", Align::kLeft, true},
               {"Grid", Align::kRight},
               {"Block", Align::kRight},
               {"Launches", Align::kRight},
               {"A", Align::kRight},
               {"B", Align::kRight},
               {"Change", Align::kRight},
               {"Share of time", Align::kRight},
               {"Difference"}},
              {}};
  for (const KernelComparison& pair : comparison.kernels) {
    table.rows.push_back({{kernel_text(pair.b)},
                          {dim_text(pair.b.grid)},
                          {dim_text(pair.b.block)},
                          {fmt::format("{}, {}", pair.a.spread.count, pair.b.spread.count)},
                          {time_text(pair.a.spread.median_ns)},
                          {time_text(pair.b.spread.median_ns)},
                          {pair.ratio ? signed_percent(*pair.ratio - 1) : std::string("-")},
                          {share_change(pair)},
                          {outcome_text(pair)}});
  }
  document.blocks.emplace_back(std::move(table));
  document.blocks.emplace_back(Paragraph{"A and B are medians under ncu's replay, not wall time."});
}

bool findings_changed(const KernelComparison& pair) {
  return std::any_of(pair.findings.begin(), pair.findings.end(), [](const FindingChange& finding) {
    return finding.status == FindingStatus::kGone || finding.status == FindingStatus::kNew;
  });
}

bool changed(const KernelComparison& pair) {
  if (pair.refused) return false;
  const bool slower_or_faster = !pair.ratio || std::abs(*pair.ratio - 1) >= kSameDuration;
  return (slower_or_faster && pair.spread != SpreadVerdict::kWithin) || findings_changed(pair);
}

std::string match_text(const KernelComparison& pair) {
  switch (pair.match) {
    case MatchKind::kExact:
    case MatchKind::kName: return "";
    case MatchKind::kNormalised: return "by name without hash or counter, was ";
    case MatchKind::kFunction: return "by function, was ";
    case MatchKind::kForced: return "as the only kernel on each side, was ";
    case MatchKind::kChosen: return fmt::format("by {}, was ", option("pair"));
    case MatchKind::kWork: return "as the work of both under another name, was ";
  }
  return "";
}

void add_explanation(const KernelComparison& pair, Document& document) {
  const std::vector<std::string>& sentences = pair.explanation.sentences;
  Point point{"", sentences.front(), "", {}};
  for (std::size_t i = 1; i < sentences.size(); ++i) point.lines.push_back({"", sentences[i]});
  const std::string before = bound_words(pair.a.verdict);
  const std::string after = bound_words(pair.b.verdict);
  point.lines.push_back({"bound", before == after ? after : before + " to " + after});
  if (const std::string how = match_text(pair); !how.empty()) {
    point.lines.push_back({"matched", how + kernel_text(pair.a)});
  }
  document.blocks.emplace_back(Points{{std::move(point)}});
}

void add_findings(const KernelComparison& pair, Document& document) {
  if (pair.findings.empty()) return;
  Table table{{{"Cause"},
               {"Status"},
               {"Gain in A", Align::kRight},
               {"Gain in B", Align::kRight},
               {"Remark", Align::kLeft, true}},
              {}};
  for (const FindingChange& finding : pair.findings) {
    table.rows.push_back({{finding.id},
                          {std::string(to_string(finding.status))},
                          {gain_text(finding.a)},
                          {gain_text(finding.b)},
                          {finding.remark}});
  }
  document.blocks.emplace_back(std::move(table));
}

void add_facts(const KernelComparison& pair, bool all, Document& document) {
  Table table{{{"Fact"}, {"A", Align::kRight}, {"B", Align::kRight}, {"Change", Align::kRight}},
              {}};
  std::size_t left_out = 0;
  std::size_t absent = 0;
  // Two facts with the same two values say the same in other words.
  std::set<std::tuple<std::string, FactValue, FactValue>> said;
  for (const FactChange& fact : pair.facts) {
    const bool one_sided = !fact.a || !fact.b;
    const bool wanted = all || fact.listed || &fact == &pair.facts.front();
    const bool weighty = fact.effect >= kLeastEffect && table.rows.size() < kMostFacts;
    if (wanted || (weighty && (one_sided || said.emplace(fact.unit, *fact.a, *fact.b).second))) {
      table.rows.push_back({{fact.name},
                            {fact_text(fact.a, fact.unit)},
                            {fact_text(fact.b, fact.unit)},
                            {change_text(fact)}});
    } else if (one_sided) {
      ++absent;
    } else {
      ++left_out;
    }
  }
  document.blocks.emplace_back(std::move(table));
  std::string rest = fmt::format("{} facts are the same", pair.unchanged_facts);
  if (left_out > 0) rest += fmt::format(", {} more changed less", left_out);
  if (absent > 0) rest += fmt::format(", {} are absent on one side", absent);
  document.blocks.emplace_back(Paragraph{
      rest + (left_out + absent > 0 ? fmt::format("; {} lists them.", option("all")) : ".")});
}

void add_details(const KernelComparison& pair, bool all, Document& document) {
  document.blocks.emplace_back(Heading{fmt::format("{} [{}, {}]", kernel_text(pair.b),
                                                   dim_text(pair.b.grid), dim_text(pair.b.block))});
  add_explanation(pair, document);
  add_differences(pair.differences, document);
  add_findings(pair, document);
  add_facts(pair, all, document);
}

void add_unmatched(const ProfileComparison& comparison, Document& document) {
  Table table{{{"Only in"},
               {"Kernel", Align::kLeft, true},
               {"Grid", Align::kRight},
               {"Block", Align::kRight},
               {"Time", Align::kRight},
               {"Why", Align::kLeft},
               {"Nearest", Align::kLeft, true}},
              {}};
  const auto add = [&](std::string_view side, const std::vector<UnmatchedKernel>& kernels) {
    for (const UnmatchedKernel& one : kernels) {
      std::string nearest = "-";
      if (one.candidate) {
        nearest = fmt::format("{} [{}, {}]", kernel_text(*one.candidate),
                              dim_text(one.candidate->grid), dim_text(one.candidate->block));
      }
      table.rows.push_back({{std::string(side)},
                            {kernel_text(one.kernel)},
                            {dim_text(one.kernel.grid)},
                            {dim_text(one.kernel.block)},
                            {time_text(one.kernel.spread.median_ns)},
                            {one.reason},
                            {std::move(nearest)}});
    }
  };
  add("A", comparison.only_in_a);
  add("B", comparison.only_in_b);
  if (table.rows.empty()) return;
  document.blocks.emplace_back(Heading{"Not compared"});
  document.blocks.emplace_back(std::move(table));
}

// Of pairs that were not compared; those of compared ones are with their details.
void add_refused(const ProfileComparison& comparison, Document& document) {
  for (const KernelComparison& pair : comparison.kernels) {
    if (!pair.refused) continue;
    std::string why;
    for (const Difference& one : pair.differences) {
      if (one.refuses) {
        why += fmt::format("{}{} {} against {}", why.empty() ? "" : ", ", one.what, one.a, one.b);
      }
    }
    document.blocks.emplace_back(
        Callout{true, fmt::format("{} was not compared: {}; {} compares it", kernel_text(pair.b),
                                  why, option("force"))});
  }
}

std::string cell(std::optional<double> number) {
  return number ? fmt::format("{}", *number) : std::string();
}

Cell value_cell(const std::optional<FactValue>& value) {
  if (!value) return {"", true};
  if (const auto* text = std::get_if<std::string>(&*value)) return {*text};
  return {cell(std::get<double>(*value)), true};
}

}  // namespace

void add_comparison(const ProfileComparison& comparison, const ComparisonParts& parts,
                    Document& document) {
  add_sources(comparison, document);
  add_differences(comparison.differences, document);
  if (comparison.kernels.size() > 1) add_kernels(comparison, document);
  std::size_t shown = 0;
  std::size_t more = 0;
  for (const KernelComparison& pair : comparison.kernels) {
    if (pair.refused) continue;
    const bool wanted = parts.all || comparison.kernels.size() == 1 || changed(pair);
    if (!wanted) continue;
    if (!parts.all && shown == kMostDetails) {
      ++more;
      continue;
    }
    add_details(pair, parts.all, document);
    ++shown;
  }
  if (shown == 0 && comparison.kernels.size() > 1) {
    document.blocks.emplace_back(Paragraph{"No kernel that was compared changed."});
  }
  if (more > 0) {
    document.blocks.emplace_back(Paragraph{fmt::format(
        "{} more kernels changed; {} or {} shows them.", more, option("all"), option("kernel"))});
  }
  add_unmatched(comparison, document);
  add_refused(comparison, document);
  add_notes(comparison.notes, document);
}

void add_baseline(std::span<const ProfileComparison> comparisons, const ComparisonParts& parts,
                  Document& document) {
  for (const ProfileComparison& comparison : comparisons) {
    document.blocks.emplace_back(Heading{"Against " + comparison.a.path});
    const std::string why = refusal(comparison);
    if (why.empty()) {
      add_comparison(comparison, parts, document);
    } else {
      document.blocks.emplace_back(
          Callout{true, fmt::format("{} was not compared: {}", comparison.b.path, why)});
    }
  }
}

Document compose_comparison_rows(const ProfileComparison& comparison) {
  Table table{{{"Kernel"},
               {"Grid"},
               {"Block"},
               {"Fact"},
               {"Unit"},
               {"A", Align::kRight},
               {"B", Align::kRight},
               {"Change", Align::kRight},
               {"Relative", Align::kRight},
               {"Effect", Align::kRight}},
              {}};
  for (const KernelComparison& pair : comparison.kernels) {
    for (const FactChange& fact : pair.facts) {
      table.rows.push_back({{pair.b.name},
                            {dim_text(pair.b.grid)},
                            {dim_text(pair.b.block)},
                            {fact.name},
                            {fact.unit},
                            value_cell(fact.a),
                            value_cell(fact.b),
                            {cell(fact.change), true},
                            {cell(fact.relative), true},
                            {cell(fact.effect), true}});
    }
  }
  return {{std::move(table)}};
}

}  // namespace proofline

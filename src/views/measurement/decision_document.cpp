// SPDX-License-Identifier: Apache-2.0
#include "views/measurement/decision_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/option.h"
#include "base/text.h"
#include "views/notes.h"
#include "views/quantity.h"

namespace proofline {
namespace {

constexpr std::size_t kMostUnmatched = 20;

std::vector<std::string> axis_words(const std::vector<Axis>& axes) {
  std::vector<std::string> words;
  words.reserve(axes.size());
  for (const Axis& axis : axes) {
    words.push_back(axis.name.empty() ? axis.value : axis.name + "=" + axis.value);
  }
  return words;
}

// "transpose naive -> tiled n=8192"; what both sides share stands once.
std::string name_of(const DecidedConfiguration& one) {
  std::vector<std::string> words;
  if (!one.benchmark.empty()) words.push_back(one.benchmark);
  const std::string& before = one.implementation_a;
  const std::string& after = one.implementation_b;
  if (!before.empty() && !after.empty() && before != after) {
    words.push_back(before + " -> " + after);
  } else if (!before.empty() || !after.empty()) {
    words.push_back(after.empty() ? before : after);
  }
  for (std::string& word : axis_words(one.axes)) words.push_back(std::move(word));
  return words.empty() ? "-" : shown_name(fmt::format("{}", fmt::join(words, " ")));
}

// There is no ratio without pairs, whatever the field holds.
bool has_ratio(const DecidedConfiguration& one) { return one.pairs > 0; }

std::string interval_text(const RatioEstimate& ratio) {
  if (ratio.low <= 0 || !std::isfinite(ratio.high)) return "unbounded";
  return fmt::format("{:.3f} to {:.3f}", ratio.low, ratio.high);
}

std::string ratio_text(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.3f}", *ratio) : "-";
}

std::string duration_text(double ns) {
  return time_text(ns > 0 ? std::optional(ns) : std::nullopt);
}

std::string rates_text(const DecidedConfiguration& one) {
  if (!one.a_rate || !one.b_rate) return "-";
  return fmt::format("{} to {}", quantity_text(*one.a_rate, one.rate_unit),
                     quantity_text(*one.b_rate, one.rate_unit));
}

std::string watts_text(const DecidedConfiguration& one) {
  if (!one.a_watts || !one.b_watts) return "-";
  return fmt::format("{:.0f} to {:.0f} W", *one.a_watts, *one.b_watts);
}

std::string memory_text(const DecidedConfiguration& one) {
  if (!one.a_peak_bytes || !one.b_peak_bytes) return "-";
  return fmt::format("{} to {}", bytes_text(one.a_peak_bytes), bytes_text(one.b_peak_bytes));
}

std::string side_text(const std::string& path, const std::string& label) {
  return label.empty() ? path : fmt::format("{}, {}", path, shown_name(label));
}

Tone tone_of(DecisionVerdict verdict) {
  switch (verdict) {
    case DecisionVerdict::kKeep: return Tone::kGood;
    case DecisionVerdict::kNoDifference: return Tone::kNeutral;
    case DecisionVerdict::kInconclusive: return Tone::kWarning;
    case DecisionVerdict::kRevert:
    case DecisionVerdict::kInvalid: return Tone::kBad;
  }
  return Tone::kNone;
}

void add_verdict(const Decision& decision, Document& document) {
  Point point{"", fmt::format("{}: {}", verdict_text(decision), decision.reason), "", {}};
  point.tone = tone_of(decision.verdict);
  for (const std::string& step : decision.next) point.lines.push_back({"next", step});
  document.blocks.emplace_back(Points{{std::move(point)}});
  Properties properties;
  const bool is_one_file =
      decision.a_path == decision.b_path && !decision.a_label.empty() && !decision.b_label.empty();
  if (is_one_file) {
    properties.rows = {{"A", shown_name(decision.a_label)},
                       {"B", shown_name(decision.b_label)},
                       {"in", decision.a_path}};
  } else {
    properties.rows = {{"A", side_text(decision.a_path, decision.a_label)},
                       {"B", side_text(decision.b_path, decision.b_label)}};
  }
  if (decision.overall) {
    properties.rows.emplace_back("overall",
                                 fmt::format("{:.3f} of A's time ({})", decision.overall->ratio,
                                             interval_text(*decision.overall)));
  }
  properties.rows.emplace_back(
      "judged", fmt::format("changes of {} and more, with {} confidence over all configurations",
                            share_text(decision.threshold), share_text(decision.confidence)));
  document.blocks.emplace_back(std::move(properties));
}

// At the end of the table, where any configuration has it.
void add_column_if_known(const char* title, std::string (*text)(const DecidedConfiguration&),
                         const Decision& decision, Table& table) {
  const auto& all = decision.configurations;
  if (std::all_of(all.begin(), all.end(), [&](const auto& one) { return text(one) == "-"; }))
    return;
  table.columns.push_back({title, Align::kRight, false, true});
  for (std::size_t i = 0; i < all.size(); ++i) table.rows[i].push_back({text(all[i])});
}

void add_configurations(const Decision& decision, Document& document) {
  if (decision.configurations.empty()) return;
  Table table{{{"Configuration", Align::kLeft, true},
               {"A", Align::kRight},
               {"B", Align::kRight},
               {"B over A", Align::kRight},
               {"Interval", Align::kRight},
               {"Mean", Align::kRight},
               {"Upper", Align::kRight},
               {"Verdict"},
               {"Pairs", Align::kRight},
               {"Cycle ratio", Align::kRight, false, true},
               {"Throughput", Align::kRight, false, true},
               {"Remarks", Align::kLeft, false, true}},
              {}};
  for (const DecidedConfiguration& one : decision.configurations) {
    const bool ratio = has_ratio(one);
    table.rows.push_back({{name_of(one)},
                          {duration_text(one.a_ns), true},
                          {duration_text(one.b_ns), true},
                          {ratio ? fmt::format("{:.3f}", one.time.ratio) : "-", true},
                          {ratio ? interval_text(one.time) : "-"},
                          {ratio_text(one.mean_ratio), true},
                          {ratio_text(one.upper_ratio), true},
                          {ratio ? one.change : "not compared"},
                          {std::to_string(one.pairs), true},
                          {one.cycles ? fmt::format("{:.3f}", one.cycles->ratio) : "-", true},
                          {rates_text(one)},
                          {fmt::format("{}", fmt::join(one.flags, ", "))}});
  }
  add_column_if_known("Power", watts_text, decision, table);
  add_column_if_known("Peak memory", memory_text, decision, table);
  document.blocks.emplace_back(std::move(table));
}

void add_gates(const Decision& decision, Document& document) {
  Table table{{{"Gate"}, {"State"}, {"Detail"}}, {}};
  for (const Gate& gate : decision.gates) {
    table.rows.push_back({{gate.name}, {std::string(to_string(gate.state))}, {gate.detail}});
  }
  if (!table.rows.empty()) document.blocks.emplace_back(std::move(table));
}

void add_differences(const Decision& decision, Document& document) {
  for (const Difference& one : decision.differences) {
    std::string text =
        fmt::format("{}: {} in A, {} in B", one.what, shown_name(one.a), shown_name(one.b));
    if (one.refuses) text += "; durations of the two do not compare";
    document.blocks.emplace_back(Callout{false, std::move(text)});
  }
}

void add_explanation(const Decision& decision, Document& document) {
  if (decision.explanation.empty()) return;
  document.blocks.emplace_back(Heading{"What explains it"});
  for (const std::string& text : decision.explanation) {
    document.blocks.emplace_back(Paragraph{text});
  }
}

void add_unmatched(const Decision& decision, Document& document) {
  if (decision.unmatched.empty()) return;
  document.blocks.emplace_back(Heading{"Not compared"});
  const std::size_t shown = std::min(decision.unmatched.size(), kMostUnmatched);
  for (std::size_t i = 0; i < shown; ++i) {
    document.blocks.emplace_back(Paragraph{shown_name(decision.unmatched[i])});
  }
  if (shown < decision.unmatched.size()) {
    document.blocks.emplace_back(Paragraph{fmt::format(
        "{} more; {} json lists all", decision.unmatched.size() - shown, option("format"))});
  }
}

}  // namespace

Document compose_decision(const Decision& decision) {
  Document document;
  add_verdict(decision, document);
  add_configurations(decision, document);
  add_gates(decision, document);
  add_differences(decision, document);
  add_explanation(decision, document);
  add_unmatched(decision, document);
  add_notes(decision.notes, document);
  return document;
}

Document compose_decision_rows(const Decision& decision) {
  Table table{{{"verdict"},
               {"benchmark"},
               {"implementation_a"},
               {"implementation_b"},
               {"axes"},
               {"change"},
               {"a_ns", Align::kRight},
               {"b_ns", Align::kRight},
               {"ratio", Align::kRight},
               {"low", Align::kRight},
               {"high", Align::kRight},
               {"mean_ratio", Align::kRight},
               {"upper_ratio", Align::kRight},
               {"cycles_ratio", Align::kRight},
               {"pairs", Align::kRight},
               {"throttled", Align::kRight},
               {"flags"}},
              {}};
  for (const DecidedConfiguration& one : decision.configurations) {
    const bool ratio = has_ratio(one);
    table.rows.push_back({{std::string(to_string(decision.verdict))},
                          {one.benchmark},
                          {one.implementation_a},
                          {one.implementation_b},
                          {fmt::format("{}", fmt::join(axis_words(one.axes), " "))},
                          {one.change},
                          number_cell(one.a_ns > 0 ? std::optional(one.a_ns) : std::nullopt),
                          number_cell(one.b_ns > 0 ? std::optional(one.b_ns) : std::nullopt),
                          number_cell(ratio ? std::optional(one.time.ratio) : std::nullopt),
                          number_cell(ratio ? std::optional(one.time.low) : std::nullopt),
                          number_cell(ratio ? std::optional(one.time.high) : std::nullopt),
                          number_cell(one.mean_ratio),
                          number_cell(one.upper_ratio),
                          number_cell(one.cycles ? std::optional(one.cycles->ratio) : std::nullopt),
                          {std::to_string(one.pairs), true},
                          {std::to_string(one.throttled), true},
                          {fmt::format("{}", fmt::join(one.flags, " "))}});
  }
  return {{std::move(table)}};
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "views/code/source_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/option.h"
#include "base/text.h"
#include "views/quantity.h"
#include "vocabulary/stall_reasons.h"

namespace proofline {
namespace {

constexpr std::size_t kMostSourceLines = 24;
constexpr std::size_t kMostOfLine = 4;
// Of a line; an instruction shows its first.
constexpr std::size_t kMostStalls = 2;
constexpr std::size_t kBarWidth = 8;

std::string_view base_name(std::string_view path) {
  const auto slash = path.find_last_of("/\\");
  return slash == path.npos ? path : path.substr(slash + 1);
}

// The first of a list by a rank, in the order of the list.
template <class Item, class Rank>
std::vector<const Item*> foremost_of(const std::vector<Item>& items, std::size_t most,
                                     Rank&& rank) {
  std::vector<const Item*> list;
  for (const Item& item : items) list.push_back(&item);
  if (list.size() <= most) return list;
  std::stable_sort(list.begin(), list.end(),
                   [&](const Item* x, const Item* y) { return rank(*x) > rank(*y); });
  list.resize(most);
  std::sort(list.begin(), list.end());
  return list;
}

class SourceTable {
 public:
  explicit SourceTable(const FunctionReport& function)
      : function_(function),
        total_(function.hot ? function.hot->samples : 0),
        lanes_(function.lanes.has_value()) {
    table_.columns.push_back({"Line", Align::kRight});
    if (total_ > 0) {
      table_.columns.push_back({"Samples", Align::kRight});
      table_.columns.push_back(
          {.title = "Stalls", .elastic = true, .dispensable = true, .prose = true});
    }
    table_.columns.push_back({"Live", Align::kLeft, false, true});
    if (lanes_) table_.columns.push_back({"Lanes", Align::kRight, false, true});
    table_.columns.push_back({.title = "Source and SASS", .elastic = true, .prose = true});
  }

  void add(const SourceLine& line, std::size_t most) {
    std::string text = line.text ? *line.text : "(source not at hand)";
    std::replace(text.begin(), text.end(), '\t', ' ');
    row(std::to_string(line.line), line.samples, kMostStalls, line.live, line.lanes,
        std::move(text));
    const auto list = foremost_of(line.instructions, most, [](const MeasuredInstruction& one) {
      return std::make_tuple(one.samples.samples, one.live);
    });
    for (const MeasuredInstruction* one : list) {
      row("", one->samples, 1, one->live, one->lanes,
          fmt::format("  {:#06x}  {}", one->address, one->text));
    }
    if (list.size() < line.instructions.size()) {
      auto& more = table_.rows.emplace_back(table_.columns.size());
      more.back().text =
          fmt::format("  and {} of this line",
                      plural(line.instructions.size() - list.size(), "more instruction"));
    }
  }

  Table take() { return std::move(table_); }

 private:
  void row(std::string number, const RowSamples& samples, std::size_t stalls,
           std::optional<std::uint32_t> live, const LaneCounts& lanes, std::string text) {
    auto& cells = table_.rows.emplace_back();
    cells.push_back({std::move(number), true});
    if (total_ > 0) {
      cells.push_back(samples.samples == 0 ? Cell{}
                                           : Cell{share_of(samples.samples, total_), true});
      cells.push_back({stalls_text(samples, stalls)});
    }
    cells.push_back({live ? live_text(*live) : "not known"});
    if (lanes_) {
      cells.push_back(lanes.executed == 0
                          ? Cell{}
                          : Cell{fmt::format("{:.1f}", lanes.mean_predicated_on()), true});
    }
    cells.push_back({std::move(text)});
  }

  static std::string share_of(std::uint64_t part, std::uint64_t whole) {
    return share_text(static_cast<double>(part) / static_cast<double>(whole));
  }

  // "long_scoreboard 94 %, wait 3 %"
  static std::string stalls_text(const RowSamples& samples, std::size_t most) {
    std::vector<std::pair<std::uint64_t, std::string_view>> reasons;
    for (const auto& [reason, count] : samples.reasons) {
      if (!is_issuing(reason)) reasons.emplace_back(count, reason);
    }
    std::stable_sort(reasons.begin(), reasons.end(),
                     [](const auto& x, const auto& y) { return x.first > y.first; });
    std::string text;
    for (std::size_t i = 0; i < std::min(most, reasons.size()); ++i) {
      text += fmt::format(
          "{}{} {}", i == 0 ? "" : ", ", reasons[i].second,
          percent(static_cast<double>(reasons[i].first) / static_cast<double>(samples.samples)));
    }
    return text;
  }

  // "######..  24", of the most that are live anywhere in the function.
  std::string live_text(std::uint32_t live) const {
    const std::size_t most = std::max<std::size_t>(1, function_.live_registers);
    const std::size_t full = std::min(kBarWidth, (kBarWidth * live + most - 1) / most);
    return fmt::format("{}{} {:>3}", std::string(full, '#'), std::string(kBarWidth - full, '.'),
                       live);
  }

  const FunctionReport& function_;
  std::uint64_t total_;
  bool lanes_;
  Table table_;
};

std::string reason_of(const RowSamples& samples) {
  std::string main;
  std::uint64_t most = 0;
  for (const auto& [reason, count] : samples.reasons) {
    if (is_issuing(reason) || count <= most) continue;
    most = count;
    main = reason;
  }
  return main;
}

}  // namespace

void add_source(const FunctionReport& function, bool all, Document& document) {
  if (!function.source || function.source->lines.empty()) return;
  const SourceReport& source = *function.source;
  const auto shown = foremost_of(source.lines, all ? source.lines.size() : kMostSourceLines,
                                 [](const SourceLine& line) {
                                   return std::make_tuple(line.samples.samples, line.hot,
                                                          line.tensor, line.instructions.size());
                                 });
  std::size_t next = 0;
  for (std::uint32_t file = 0; file < source.files.size(); ++file) {
    SourceTable table(function);
    const std::size_t first = next;
    while (next < shown.size() && shown[next]->file == file) {
      table.add(*shown[next++], all ? ~std::size_t{0} : kMostOfLine);
    }
    if (next == first) continue;
    std::string title(base_name(source.files[file].path));
    if (function.hot) {
      title += fmt::format(", {} samples of launch {}", group_digits(function.hot->samples),
                           function.hot->launch);
    }
    document.blocks.emplace_back(Paragraph{std::move(title)});
    document.blocks.emplace_back(table.take());
  }
  std::string rest;
  if (shown.size() < source.lines.size()) {
    rest = fmt::format("and {} with fewer samples or instructions; {} lists them",
                       plural(source.lines.size() - shown.size(), "more line"), option("all"));
  }
  if (source.unattributed > 0) {
    rest += fmt::format("{}{} no line", rest.empty() ? "" : "; ",
                        plural(source.unattributed, "instruction has", "instructions have"));
    if (source.unattributed_samples > 0 && function.hot) {
      rest += fmt::format(", with {} of the samples",
                          share_text(static_cast<double>(source.unattributed_samples) /
                                     static_cast<double>(function.hot->samples)));
    }
  }
  if (!rest.empty()) document.blocks.emplace_back(Paragraph{std::move(rest)});
}

Document compose_source_rows(const CodeReport& report) {
  Table table{{{"Function"},
               {"File"},
               {"Line"},
               {"Source"},
               {"Address"},
               {"Instruction"},
               {"Live"},
               {"Samples"},
               {"Stalled"},
               {"Reason"},
               {"Executed"},
               {"Active lanes"},
               {"Predicated-on lanes"}},
              {}};
  const auto count = [](bool known, std::uint64_t number) {
    return known ? Cell{std::to_string(number), true} : Cell{};
  };
  for (const FunctionReport& function : report.functions) {
    if (!function.source) continue;
    for (const SourceLine& line : function.source->lines) {
      for (const MeasuredInstruction& one : line.instructions) {
        const bool counted = one.lanes.executed > 0;
        table.rows.push_back(
            {{function.shown},
             {function.source->files[line.file].path},
             {std::to_string(line.line), true},
             {line.text.value_or("")},
             {fmt::format("{:#06x}", one.address)},
             {one.text},
             count(one.live.has_value(), one.live.value_or(0)),
             count(function.hot.has_value(), one.samples.samples),
             count(function.hot.has_value(), one.samples.stalled),
             {reason_of(one.samples)},
             count(one.samples.executed.has_value(), one.samples.executed.value_or(0)),
             count(counted, one.lanes.active),
             count(counted, one.lanes.predicated_on)});
      }
    }
  }
  return Document{{std::move(table)}};
}

}  // namespace proofline

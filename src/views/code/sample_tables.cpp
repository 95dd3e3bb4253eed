// SPDX-License-Identifier: Apache-2.0
#include "views/code/sample_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/option.h"
#include "base/text.h"
#include "views/code/code_cells.h"
#include "views/quantity.h"

namespace proofline {
namespace {

constexpr std::size_t kMostHotRows = 12;
constexpr std::size_t kMostLaneRows = 6;

std::string cell_words_before(const AwaitedInstruction& awaited) {
  switch (awaited.via) {
    case Wait::Via::kResult: break;
    case Wait::Via::kOperands: return "operands of ";
    case Wait::Via::kGroup: return "group of ";
    case Wait::Via::kWarps: return "other warps at ";
    case Wait::Via::kMemory: return "own accesses at ";
  }
  return awaited.mbarrier.empty() ? "" : fmt::format("mbarrier {}: ", awaited.mbarrier);
}

// For a column whose head says that it waits. The address comes first: narrow columns lose the end.
std::string wait_cell(const HotRow& hot) {
  if (hot.waits.empty()) return hot.wait;
  const AwaitedInstruction& first = hot.waits.front();
  return fmt::format("{}{:#06x} {}{}", cell_words_before(first), first.address, first.opcode,
                     wait_details(hot.waits));
}

std::string lost_share(const LaneCounts& lanes, std::uint64_t of) {
  return share_text(static_cast<double>(lanes.lost()) / static_cast<double>(of));
}

}  // namespace

void add_hot(const FunctionReport& function, bool all, Document& document) {
  if (!function.hot || function.hot->rows.empty()) return;
  document.blocks.emplace_back(
      Paragraph{fmt::format("Where warps wait: {} samples of launch {}",
                            group_digits(function.hot->samples), function.hot->launch)});
  Table table{{{"Address"},
               {"Stalled", Align::kRight},
               {"Reason"},
               {"Executed", Align::kRight, false, true},
               {"Instruction", Align::kLeft, true},
               {"Line", Align::kLeft, true, true},
               {.title = "Waits on", .elastic = true, .prose = true}},
              {}};
  const std::size_t count = function.hot->rows.size();
  const std::size_t shown = all ? count : std::min(kMostHotRows, count);
  for (std::size_t i = 0; i < shown; ++i) {
    const HotRow& hot = function.hot->rows[i];
    table.rows.push_back({{fmt::format("{:#06x}", hot.address)},
                          {share_text(hot.share), true},
                          {hot.reason},
                          hot.executed ? count_cell(*hot.executed) : Cell{"-"},
                          {hot.text},
                          {hot.line},
                          {wait_cell(hot)}});
  }
  document.blocks.emplace_back(std::move(table));
  // The report has the foremost alone, so that there may be more than it can count.
  if (shown < count) {
    document.blocks.emplace_back(
        Paragraph{fmt::format("and more with fewer samples: {} shows {}, {} every instruction",
                              option("all"), count, option("listing"))});
  }
}

void add_lanes(const FunctionReport& function, bool all_rows, Document& document) {
  if (!function.lanes || function.lanes->function.lost() == 0) return;
  const LaneReport& lanes = *function.lanes;
  const LaneCounts& all = lanes.function;
  document.blocks.emplace_back(Paragraph{fmt::format(
      "Lanes: {} of all that were issued did nothing in launch {}; {:.1f} of 32 active, {:.1f} "
      "with their predicate on",
      lost_share(all, all.all()), lanes.launch, all.mean_active(), all.mean_predicated_on())});
  Table table{{{"Address"},
               {"Lost", Align::kRight},
               {"Active", Align::kRight},
               {"Pred. on", Align::kRight},
               {"Executed", Align::kRight, false, true},
               {"Instruction", Align::kLeft, true},
               {"Line", Align::kLeft, true}},
              {}};
  const auto add_row = [&](const LaneLine& one, std::string address, std::string text) {
    table.rows.push_back({{std::move(address)},
                          {lost_share(one.lanes, all.lost()), true},
                          {fmt::format("{:.1f}", one.lanes.mean_active()), true},
                          {fmt::format("{:.1f}", one.lanes.mean_predicated_on()), true},
                          count_cell(one.lanes.executed),
                          {std::move(text)},
                          {one.line}});
  };
  const std::size_t most = all_rows ? ~std::size_t{0} : kMostLaneRows;
  for (std::size_t i = 0; i < std::min(most, lanes.instructions.size()); ++i) {
    const LaneInstruction& one = lanes.instructions[i];
    add_row(one, fmt::format("{:#06x}", one.address), one.text);
  }
  for (std::size_t i = 0; i < std::min(most, lanes.lines.size()); ++i) {
    add_row(lanes.lines[i], "line", "");
  }
  const bool cut = std::max(lanes.instructions.size(), lanes.lines.size()) > most;
  document.blocks.emplace_back(std::move(table));
  if (cut) {
    document.blocks.emplace_back(Paragraph{fmt::format(
        "and more that lose fewer: {} shows {} and {}", option("all"),
        plural(lanes.instructions.size(), "instruction"), plural(lanes.lines.size(), "line"))});
  }
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "views/code/loop_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arch/mnemonics.h"
#include "base/option.h"
#include "base/text.h"
#include "views/code/code_cells.h"
#include "views/quantity.h"

namespace proofline {
namespace {

constexpr std::size_t kMostLoops = 12;
// A loop with such a share of the samples is never left out.
constexpr double kSamplesOfALoop = 0.01;

// "64", "at most 8", "by c[0x0][0x228]"; "" not known.
std::string trips_text(const TripHint& trips) {
  if (trips.exact) return group_digits(*trips.exact);
  if (trips.most) return "at most " + group_digits(*trips.most);
  return trips.bound.empty() ? "" : "by " + trips.bound;
}

// A loop whose row is shown however long the table is.
bool matters(const FunctionReport& function, std::size_t position) {
  using enum InstructionClass;
  const LoopReport& loop = function.loops[position];
  const CodeStats& stats = loop.stats;
  return function.hot_loop == position || stats.count(kTensor) > 0 ||
         stats.count(kLocalLoad) + stats.count(kLocalStore) > 0 ||
         loop.samples.value_or(0) >= kSamplesOfALoop;
}

std::vector<Cell> loop_row(const FunctionReport& function, std::size_t position) {
  using enum InstructionClass;
  const LoopReport& loop = function.loops[position];
  const auto sum = [&](std::initializer_list<InstructionClass> kinds) {
    std::uint64_t count = 0;
    for (const InstructionClass kind : kinds) count += loop.stats.count(kind);
    return count_cell(count);
  };
  std::string remark;
  const auto remark_also = [&](std::string_view text) {
    remark += fmt::format("{}{}", remark.empty() ? "" : ", ", text);
  };
  if (function.hot_loop == position) {
    remark = function.hot_loop_by == HotLoopBy::kSamples
                 ? "hot"
                 : fmt::format("hot, by {}", to_string(function.hot_loop_by));
  }
  if (loop.polling) remark_also("polls");
  if (loop.samples) remark_also(share_text(*loop.samples) + " of samples");
  return {
      {std::string(2 * (std::min(loop.depth, 8U) - 1), ' ') + fmt::format("{:#06x}", loop.address)},
      count_cell(std::uint64_t{loop.depth}),
      count_cell(std::uint64_t{loop.stats.instructions}),
      sum({kTensor}),
      sum({kGlobalLoad, kGlobalStore, kGenericLoad, kGenericStore, kAsyncCopy, kBulkCopy}),
      sum({kSharedLoad, kSharedStore}),
      sum({kLocalLoad, kLocalStore}),
      sum({kFp16, kFp32, kFp64, kSpecialFunction}),
      sum({kInteger, kUniform}),
      sum({kConversion}),
      sum({kBarrier, kMbarrier, kFence}),
      {trips_text(loop.trips)},
      {remark}};
}

}  // namespace

void add_loops(const FunctionReport& function, bool all, Document& document) {
  if (function.loops.empty()) return;
  Table table{{{"Loop"},
               {"Depth", Align::kRight},
               {"Instr.", Align::kRight},
               {"Tensor", Align::kRight},
               {"Global", Align::kRight},
               {"Shared", Align::kRight},
               {"Local", Align::kRight},
               {"FP", Align::kRight},
               {"Int.", Align::kRight},
               {"Conv.", Align::kRight, false, true},
               {"Sync", Align::kRight, false, true},
               {"Trip count"},
               {""}},
              {}};
  // The table is cut, but never at the cost of a row that matters.
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < function.loops.size(); ++i) {
    if (all || matters(function, i) || table.rows.size() < kMostLoops) {
      table.rows.push_back(loop_row(function, i));
    } else {
      ++left_out;
    }
  }
  document.blocks.emplace_back(std::move(table));
  if (left_out > 0) {
    document.blocks.emplace_back(Paragraph{fmt::format(
        "and {}, without tensor instructions, local memory or samples that matter; {} shows them",
        plural(left_out, "more loop"), option("all"))});
  }
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "views/code/listing_table.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "views/code/code_cells.h"

namespace proofline {
namespace {

std::vector<Cell> listing_row(const InstructionRow& one) {
  std::string sets;
  std::string waits;
  if (one.control) {
    if (one.control->write_barrier != Control::kNoBarrier) {
      sets += fmt::format("w{}", one.control->write_barrier);
    }
    if (one.control->read_barrier != Control::kNoBarrier) {
      sets += fmt::format("r{}", one.control->read_barrier);
    }
    for (unsigned bit = 0; bit < 6; ++bit) {
      if ((one.control->wait_mask >> bit & 1U) != 0) waits += std::to_string(bit);
    }
  }
  return {{fmt::format("{:#06x}", one.address)},
          {one.text},
          one.live ? count_cell(std::uint64_t{*one.live}) : Cell{"?"},
          one.control ? count_cell(std::uint64_t{one.control->stall}) : Cell{"-"},
          {sets},
          {waits},
          one.samples.samples > 0 ? count_cell(one.samples.samples) : Cell{},
          one.samples.executed ? count_cell(*one.samples.executed) : Cell{},
          {one.line}};
}

}  // namespace

void add_listing(const FunctionReport& function, Document& document) {
  if (function.rows.empty()) return;
  Table table{{{"Address"},
               {"Instruction", Align::kLeft, true},
               {"Live", Align::kRight},
               {"Stall", Align::kRight, false, true},
               {"Sets", Align::kLeft, false, true},
               {"Waits", Align::kLeft, false, true},
               {"Samples", Align::kRight},
               {"Executed", Align::kRight, false, true},
               {"Line", Align::kLeft, true}},
              {}};
  for (const InstructionRow& one : function.rows) table.rows.push_back(listing_row(one));
  document.blocks.emplace_back(std::move(table));
}

}  // namespace proofline

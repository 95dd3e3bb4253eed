// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/program_savings_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "views/quantity.h"

namespace proofline {

std::string gain_range_text(double low, double high) {
  return fmt::format("{:.3g}-{:.3g} %", 100 * low, 100 * high);
}

void add_program_savings(const ProgramSavings& savings, Document& document) {
  if (savings.kernels.empty()) return;
  const bool has_grids =
      std::any_of(savings.kernels.begin(), savings.kernels.end(),
                  [](const KernelSaving& kernel) { return kernel.is_one_of_several; });
  Table table;
  table.columns.push_back({"Kernel", Align::kLeft, true, false, true});
  if (has_grids) table.columns.push_back({"Grid", Align::kRight});
  table.columns.push_back({"Launches", Align::kRight, false, true});
  table.columns.push_back({"Total", Align::kRight, false, true});
  table.columns.push_back({"Share of time", Align::kRight});
  table.columns.push_back({"Cause"});
  table.columns.push_back({"Gain", Align::kRight});
  table.columns.push_back({"Program saves", Align::kRight});
  for (const KernelSaving& kernel : savings.kernels) {
    const bool is_found = !kernel.cause.empty();
    std::vector<Cell> row = {{table_name(kernel.display_name)}};
    if (has_grids) row.push_back({dim_text(kernel.grid), true});
    row.push_back({group_digits(kernel.launches), true});
    row.push_back({time_text(static_cast<double>(kernel.total_ns)), true});
    row.push_back({share_text(kernel.share), true});
    row.push_back({is_found ? kernel.cause : "none found"});
    row.push_back({is_found ? gain_range_text(kernel.gain.low, kernel.gain.high) : "", true});
    row.push_back({is_found ? gain_range_text(kernel.low, kernel.high) : "", true});
    table.rows.push_back(std::move(row));
  }
  if (savings.kernels.size() > 1) {
    std::vector<Cell> row(table.columns.size());
    row.front() = {"all of them"};
    row.back() = {gain_range_text(savings.low, savings.high), true};
    table.rows.push_back(std::move(row));
  }
  document.blocks.emplace_back(Heading{"What the program would save"});
  document.blocks.emplace_back(std::move(table));
}

}  // namespace proofline

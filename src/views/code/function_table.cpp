// SPDX-License-Identifier: Apache-2.0
#include "views/code/function_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arch/mnemonics.h"
#include "base/option.h"
#include "base/text.h"
#include "model/profile/display_name.h"
#include "views/code/code_cells.h"

namespace proofline {
namespace {

constexpr std::size_t kMostFunctionRows = 40;

// The functions of a cut table: those with samples, tensor instructions and local memory first, in
// the order of the file.
std::vector<const FunctionReport*> foremost_functions(const CodeReport& report) {
  std::vector<const FunctionReport*> list;
  for (const FunctionReport& function : report.functions) list.push_back(&function);
  if (list.size() <= kMostFunctionRows) return list;
  const auto rank = [](const FunctionReport& function) {
    using enum InstructionClass;
    const CodeStats& stats = function.stats;
    return std::make_tuple(function.hot ? function.hot->samples : 0, stats.count(kTensor) > 0,
                           stats.count(kLocalLoad) + stats.count(kLocalStore) > 0,
                           stats.instructions);
  };
  std::stable_sort(list.begin(), list.end(),
                   [&](const auto* x, const auto* y) { return rank(*x) > rank(*y); });
  list.resize(kMostFunctionRows);
  std::sort(list.begin(), list.end());
  return list;
}

}  // namespace

void add_functions(const CodeReport& report, Document& document) {
  const bool triton =
      std::any_of(report.functions.begin(), report.functions.end(),
                  [](const FunctionReport& function) { return function.triton.has_value(); });
  Table table{{{"Function", Align::kLeft, true},
               {"Arch"},
               {"Instr.", Align::kRight},
               {"Regs", Align::kRight},
               {"Live", Align::kRight, false, true},
               {"Loops", Align::kRight},
               {"Tensor", Align::kRight},
               {"Local", Align::kRight},
               {"Unknown", Align::kRight, false, true}},
              {}};
  const bool sampled =
      std::any_of(report.functions.begin(), report.functions.end(),
                  [](const FunctionReport& function) { return function.hot.has_value(); });
  if (sampled) table.columns.push_back({"Samples", Align::kRight});
  if (triton) {
    // Kernels of one name differ by their configuration.
    table.columns.push_back({"Warps", Align::kRight});
    table.columns.push_back({"Stages", Align::kRight});
    table.columns.push_back({"Shared", Align::kRight});
    table.columns.push_back({"Entry", Align::kLeft, true});
  }
  for (const FunctionReport* one : foremost_functions(report)) {
    const FunctionReport& function = *one;
    // "3+": at least so many, since not all was read.
    const auto found = [&](std::uint64_t count) {
      if (function.wholly_read()) return count_cell(count);
      return count == 0 ? Cell{"?"} : Cell{group_digits(count) + "+", true};
    };
    const auto all = [&](std::uint64_t count) {
      return function.wholly_read() ? count_cell(count) : Cell{"?"};
    };
    table.rows.push_back({{std::string(without_signature(function.shown))},
                          {function.arch},
                          count_cell(std::uint64_t{function.stats.instructions}),
                          count_cell(function.resources.registers),
                          all(function.live_registers),
                          found(function.loops.size()),
                          found(function.stats.count(InstructionClass::kTensor)),
                          found(std::uint64_t{function.stats.count(InstructionClass::kLocalLoad)} +
                                function.stats.count(InstructionClass::kLocalStore)),
                          count_cell(std::uint64_t{function.unknown})});
    if (sampled) {
      table.rows.back().push_back(function.hot ? count_cell(function.hot->samples) : Cell{"-"});
    }
    if (triton) {
      const TritonKernel kernel = function.triton.value_or(TritonKernel{});
      auto& row = table.rows.back();
      row.push_back(count_cell(kernel.warps));
      row.push_back(count_cell(kernel.stages));
      row.push_back(kernel.shared_bytes ? Cell{bytes_text(*kernel.shared_bytes), true} : Cell{"-"});
      row.push_back({kernel.entry});
    }
  }
  document.blocks.emplace_back(std::move(table));
  if (report.functions.size() > kMostFunctionRows) {
    document.blocks.emplace_back(Paragraph{fmt::format(
        "and {} more functions; {} chooses, {} csv or json has all",
        report.functions.size() - kMostFunctionRows, option("kernel"), option("format"))});
  }
}

}  // namespace proofline

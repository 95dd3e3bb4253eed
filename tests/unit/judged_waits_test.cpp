// SPDX-License-Identifier: Apache-2.0
//
// Stalled instructions of real captures and cubins, and what each waits for as judged from the
// machine code (judged_waits.tsv): how many the program gets right.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/sass/waits.h"
#include "workflow/code/analysed_code.h"

namespace proofline::judged_waits_test {
namespace {

constexpr double kEnoughRight = 0.95;

struct JudgedRow {
  std::string kernel, module, address, reason, producers;
};

std::map<std::string, std::vector<JudgedRow>> read_rows() {
  std::ifstream table(std::string(PROOFLINE_SOURCE_DIR) + "/tests/unit/judged_waits.tsv");
  std::map<std::string, std::vector<JudgedRow>> rows;
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream columns(line);
    const auto next = [&] {
      std::string column;
      EXPECT_TRUE(std::getline(columns, column, '\t')) << line;
      return column;
    };
    auto& of_file = rows[next()];
    JudgedRow& row = of_file.emplace_back();
    for (std::string* column :
         {&row.kernel, &row.module, &row.address, &row.reason, &row.producers}) {
      *column = next();
    }
  }
  return rows;
}

std::string producers_text(const CodeFunction& code, const std::vector<Wait>& waits) {
  std::vector<std::string> addresses;
  for (const Wait& wait : waits) {
    addresses.push_back(fmt::format("{:#06x}", code.instructions[wait.producer].address));
  }
  std::sort(addresses.begin(), addresses.end());
  return addresses.empty() ? "unknown" : fmt::format("{}", fmt::join(addresses, ","));
}

std::string answer(const CodeSide& side, const JudgedRow& row) {
  for (std::size_t i = 0; i < side.functions.size(); ++i) {
    const FunctionReport& report = side.report.functions[i];
    if (report.name != row.kernel) continue;
    if (!row.module.empty() && report.container != row.module) continue;
    const AnalysedFunction& function = side.functions[i];
    const auto at = function.code.at(std::stoul(row.address, nullptr, 16));
    if (!at) return "no such instruction";
    const TracedWaits traced =
        waits_of(function.code, function.flow, side.report.opcodes, static_cast<std::uint32_t>(*at),
                 row.reason, report.executed);
    return producers_text(function.code, traced.waits);
  }
  return "no such kernel";
}

TEST(JudgedWaits, AreRight) {
  std::size_t all = 0;
  std::string wrong;
  std::size_t wrong_count = 0;
  for (const auto& [file, rows] : read_rows()) {
    const auto side = analyse_code(std::string(PROOFLINE_SOURCE_DIR) + "/" + file,
                                   {.function = "", .disassembler = "native", .source_folder = ""},
                                   {.functions = true}, {});
    ASSERT_TRUE(side) << file << ": " << side.error().message;
    for (const JudgedRow& row : rows) {
      ++all;
      const std::string answered = answer(*side, row);
      if (answered == row.producers) continue;
      ++wrong_count;
      wrong += fmt::format("{} {} {} {}: {} instead of {}\n", file, row.kernel, row.address,
                           row.reason, answered, row.producers);
    }
  }
  RecordProperty("rows", static_cast<int>(all));
  RecordProperty("right", static_cast<int>(all - wrong_count));
  EXPECT_GE(all, 200U);
  EXPECT_GE(static_cast<double>(all - wrong_count), kEnoughRight * static_cast<double>(all))
      << all - wrong_count << " of " << all << " are right:\n"
      << wrong;
}

}  // namespace
}  // namespace proofline::judged_waits_test

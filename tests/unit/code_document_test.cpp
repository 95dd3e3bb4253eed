// SPDX-License-Identifier: Apache-2.0
//
// What the screen of a function shows: that what is cut from it is never a row that matters.
#include "views/code/code_document.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

namespace proofline::code_document_test {
namespace {

CodeReport report_of(FunctionReport function) {
  CodeReport report;
  report.functions.push_back(std::move(function));
  return report;
}

const Table& only_table(const Document& document) {
  const auto found =
      std::find_if(document.blocks.begin(), document.blocks.end(),
                   [](const auto& block) { return std::holds_alternative<Table>(block); });
  EXPECT_NE(found, document.blocks.end());
  return std::get<Table>(*found);
}

TEST(CodeDocument, ShowsTheHotLoopAndThoseWithTensorInstructionsHoweverManyThereAre) {
  FunctionReport function;
  function.loops.resize(40);
  for (std::uint32_t i = 0; i < 40; ++i) function.loops[i].address = 0x100 * i;
  function.loops[30].stats.by_class[static_cast<std::size_t>(InstructionClass::kTensor)] = 1;
  function.hot_loop = 35;
  const Document document = compose_code(report_of(function), {});
  const Table& table = only_table(document);
  ASSERT_EQ(table.rows.size(), 14U);
  EXPECT_EQ(table.rows[12][0].text, "0x1e00");
  EXPECT_EQ(table.rows[13][0].text, "0x2300");
  const auto* rest = std::get_if<Paragraph>(&document.blocks.back());
  ASSERT_NE(rest, nullptr);
  EXPECT_EQ(rest->text, "and 26 more loops, without tensor instructions; --format json has all");
}

TEST(CodeDocument, ShowsEveryRingOfMbarriers) {
  FunctionReport function;
  function.mbarriers.accesses.resize(1);
  for (unsigned i = 0; i < 12; ++i) function.mbarriers.barriers.push_back({"plain", false, {}});
  for (unsigned i = 0; i < 12; ++i) {
    function.mbarriers.barriers.push_back({fmt::format("ring{}", i), true, {}});
  }
  std::size_t rings = 0;
  std::string last;
  for (const auto& block : compose_code(report_of(function), {}).blocks) {
    const auto* properties = std::get_if<Properties>(&block);
    if (properties == nullptr) continue;
    for (const auto& [name, text] : properties->rows) {
      rings += text.starts_with("ring") ? 1 : 0;
      if (name == "  mbarrier") last = text;
    }
  }
  EXPECT_EQ(rings, 12U);
  EXPECT_EQ(last, "and 4 more that are no rings; --format json has all");
}

}  // namespace
}  // namespace proofline::code_document_test

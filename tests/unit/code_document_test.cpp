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

Table only_table(const Document& document) {
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
  const Table table = only_table(document);
  ASSERT_EQ(table.rows.size(), 14U);
  EXPECT_EQ(table.rows[12][0].text, "0x1e00");
  EXPECT_EQ(table.rows[13][0].text, "0x2300");
  const auto* rest = std::get_if<Paragraph>(&document.blocks.back());
  ASSERT_NE(rest, nullptr);
  EXPECT_EQ(
      rest->text,
      "and 26 more loops, without tensor instructions, local memory or samples that matter; all "
      "shows them");
  EXPECT_EQ(only_table(compose_code(report_of(function), {.all = true})).rows.size(), 40U);
}

TEST(CodeDocument, ShowsLoopsWithSamplesAndSpillsHoweverManyThereAre) {
  FunctionReport function;
  function.loops.resize(40);
  for (std::uint32_t i = 0; i < 40; ++i) {
    function.loops[i].address = 0x100 * i;
    function.loops[i].samples = 0.001;
  }
  function.loops[20].samples = 0.3;
  function.loops[25].stats.by_class[static_cast<std::size_t>(InstructionClass::kLocalLoad)] = 1;
  const Table table = only_table(compose_code(report_of(function), {}));
  ASSERT_EQ(table.rows.size(), 14U);
  EXPECT_EQ(table.rows[12][0].text, "0x1400");
  EXPECT_EQ(table.rows[13][0].text, "0x1900");
}

TEST(CodeDocument, KeepsFunctionsWithTensorInstructionsInALongTable) {
  CodeReport report;
  report.functions.resize(100);
  for (std::size_t i = 0; i < 100; ++i) report.functions[i].shown = fmt::format("f{}", i);
  auto& tensor = report.functions[90].stats;
  tensor.by_class[static_cast<std::size_t>(InstructionClass::kTensor)] = 1;
  const Table table = only_table(compose_code(report, {}));
  ASSERT_EQ(table.rows.size(), 40U);
  EXPECT_EQ(table.rows.back()[0].text, "f90");
}

std::size_t last_table_rows(const Document& document) {
  std::size_t rows = 0;
  for (const auto& block : document.blocks) {
    if (const auto* table = std::get_if<Table>(&block)) rows = table->rows.size();
  }
  return rows;
}

TEST(CodeDocument, SaysWhatOfWaitsAndLanesIsLeftOut) {
  FunctionReport function;
  function.hot.emplace().rows.resize(20);
  const auto last = [&](bool all) {
    return std::get<Paragraph>(compose_code(report_of(function), {.all = all}).blocks.back()).text;
  };
  EXPECT_EQ(last(false), "and more with fewer samples: all shows 20, listing every instruction");
  LaneReport& lanes = function.lanes.emplace();
  lanes.function = {.executed = 10, .active = 100, .predicated_on = 100};
  lanes.instructions.resize(9);
  lanes.lines.resize(7);
  EXPECT_EQ(last(false), "and more that lose fewer: all shows 9 instructions and 7 lines");
  EXPECT_EQ(last_table_rows(compose_code(report_of(function), {.all = true})), 16U);
}

std::vector<std::string> headings(const Document& document) {
  std::vector<std::string> found;
  for (const auto& block : document.blocks) {
    if (const auto* heading = std::get_if<Heading>(&block)) found.push_back(heading->text);
  }
  return found;
}

// Of many functions the hottest has its loops, rings and waits shown, and each a listing that was
// asked for.
TEST(CodeDocument, ShowsTheHottestOfManyFunctionsAndWhateverWasAskedFor) {
  CodeReport report;
  report.functions.resize(5);
  for (std::size_t i = 0; i < 5; ++i) report.functions[i].shown = fmt::format("f{}", i);
  EXPECT_TRUE(headings(compose_code(report, {})).empty());
  for (const std::size_t i : {1, 3}) {
    report.functions[i].hot.emplace();
    report.functions[i].hot->samples = 10 * i;
  }
  const Document document = compose_code(report, {});
  EXPECT_EQ(headings(document), (std::vector<std::string>{"f3"}));
  EXPECT_EQ(only_table(document).columns.back().title, "Samples");
  EXPECT_EQ(only_table(document).rows[3].back().text, "30");
  EXPECT_EQ(only_table(document).rows[4].back().text, "-");
  EXPECT_EQ(headings(compose_code(report, {.all = true})).size(), 5U);
  report.functions[0].expectations.emplace_back();
  EXPECT_TRUE(headings(compose_code(report, {})).empty());
  report.functions[0].rows.emplace_back();
  EXPECT_EQ(headings(compose_code(report, {})).size(), 5U);
}

std::string text_of(const Document& document) {
  std::string text;
  for (const auto& block : document.blocks) {
    if (const auto* callout = std::get_if<Callout>(&block)) text += callout->text + "\n";
    if (const auto* properties = std::get_if<Properties>(&block)) {
      for (const auto& [name, value] : properties->rows) text += name + ": " + value + "\n";
    }
  }
  return text;
}

TEST(CodeDocument, SaysNothingOfCodeThatNobodyDecoded) {
  FunctionReport function;
  function.instructions = 16;
  function.stats.instructions = 16;
  function.unknown = 16;
  const std::string text = text_of(compose_code(report_of(function), {}));
  EXPECT_NE(text.find("none of its 16 instructions is known, so nothing is said of its code"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("none\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("no spills"), std::string::npos) << text;
}

TEST(CodeDocument, SaysThatCodeWasNotOptimisedOrAllocates) {
  FunctionReport function;
  const auto text = [&] { return text_of(compose_code(report_of(function), {})); };
  EXPECT_EQ(text().find("optimisation"), std::string::npos);
  function.resources.optimised = true;
  function.resources.allocates = false;
  EXPECT_EQ(text().find("optimisation"), std::string::npos);
  function.resources.optimised = false;
  function.resources.allocates = true;
  EXPECT_NE(text().find("compiled: without optimisation"), std::string::npos);
  EXPECT_NE(text().find("allocates: calls malloc or new"), std::string::npos);
}

// A gate over a library says which functions tripped it, though none has a screen.
TEST(CodeDocument, NamesTheFunctionsThatFailAnExpectation) {
  CodeReport report;
  report.functions.resize(50);
  for (std::size_t i = 0; i < 50; ++i) {
    report.functions[i].shown = fmt::format("f{}", i);
    ExpectationReport& one = report.functions[i].expectations.emplace_back();
    one.pattern = "HGMMA";
    one.result.verdict = i == 45 ? ExpectationVerdict::kFail : ExpectationVerdict::kPass;
    one.result.text = "none";
  }
  const Document document = compose_code(report, {});
  const auto found =
      std::find_if(document.blocks.begin(), document.blocks.end(),
                   [](const auto& block) { return std::holds_alternative<Points>(block); });
  ASSERT_NE(found, document.blocks.end());
  const auto& points = std::get<Points>(*found).points;
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].marker, "FAIL");
  EXPECT_EQ(points[0].lines[0].text, "f45: none");
}

MeasuredInstruction instruction(std::uint32_t address, std::uint64_t samples) {
  MeasuredInstruction row;
  row.address = address;
  row.text = "FADD";
  row.samples.samples = samples;
  if (samples > 0) row.samples.reasons = {{"wait", samples}};
  return row;
}

TEST(CodeDocument, ShowsTheHottestLinesAndInstructionsOfALongSource) {
  FunctionReport function;
  function.hot = HotReport{0, 1000, {}, {}, {}};
  SourceReport& source = function.source.emplace();
  source.files.push_back({"/src/k.cu", ""});
  for (std::uint32_t i = 1; i <= 100; ++i) {
    SourceLine& line = source.lines.emplace_back();
    line.line = i;
    for (std::uint32_t k = 0; k < 10; ++k) {
      line.instructions.push_back(instruction(0x1000 * i + 16 * k, i == 77 && k == 9 ? 900 : 0));
    }
    line.samples = line.instructions.back().samples;
  }
  source.lines[76].text = "c += a * b;";
  const Document document = compose_code(report_of(function), {});
  const Table table = only_table(document);
  std::string hot;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (table.rows[i][0].text != "77") continue;
    EXPECT_EQ(table.rows[i][1].text, "90 %");
    EXPECT_EQ(table.rows[i].back().text, "c += a * b;");
    for (std::size_t k = i + 1; k < i + 5; ++k) hot += table.rows[k].back().text;
  }
  EXPECT_NE(hot.find("0x4d090"), std::string::npos) << hot;
  const auto* rest = std::get_if<Paragraph>(&document.blocks.back());
  ASSERT_NE(rest, nullptr);
  EXPECT_EQ(rest->text, "and 76 more lines with fewer samples or instructions; all lists them");
}

TEST(CodeDocument, ShowsEveryRingOfMbarriers) {
  FunctionReport function;
  function.mbarriers.unplaced.resize(1);
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
  EXPECT_EQ(last, "and 4 more that are no rings; all shows them");
}

}  // namespace
}  // namespace proofline::code_document_test

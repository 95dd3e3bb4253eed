// SPDX-License-Identifier: Apache-2.0
//
// The code of two reports beside their counters: what is the same is not decoded, what differs is
// told as `compare --code` tells it.
#include "workflow/code/report_code.h"

#include <gtest/gtest.h>

#include <string>

#include "workflow/code/analysed_code.h"
#include "workflow/profile/diagnosed_file.h"

namespace proofline::report_code_test {
namespace {

const std::string kReport = PROOFLINE_SOURCE_DIR "/tests/fixtures/ncu_rep/h200-roles.ncu-rep.gz";

ReportKernels kernels(const std::string& pattern) {
  const auto file = read_diagnosed(kReport, pattern, {}, {});
  EXPECT_TRUE(file) << file.error().message;
  return kernels_of(file->side);
}

TEST(ReportCode, DecodesNothingThatIsTheSameToTheByte) {
  const ReportKernels all = kernels("");
  EXPECT_EQ(all.names.size(), 3U);
  const auto code = compare_report_code(all, all, {});
  ASSERT_TRUE(code);
  ASSERT_EQ(code->comparison.pairs.size(), 3U);
  for (const FunctionComparison& pair : code->comparison.pairs) {
    EXPECT_EQ(pair.diff.sameness, Sameness::kIdentical);
    EXPECT_TRUE(pair.diff.by_bytes);
    EXPECT_TRUE(pair.diff.control_known);
    EXPECT_GT(pair.diff.common, 100U);
    EXPECT_TRUE(pair.changes.empty());
    EXPECT_EQ(code->a.report.functions[pair.a].blocks, 0U);  // nobody has looked for them
  }
}

TEST(ReportCode, TellsWhatDiffersAsForCodeAlone) {
  // Each side has one kernel, so they are compared under their different names.
  const auto code = compare_report_code(kernels("Slow\\)0"), kernels("Slow\\)1"), {});
  ASSERT_TRUE(code);
  ASSERT_EQ(code->comparison.pairs.size(), 1U);
  const auto side = [&](const CodeSide& one) {
    CodeOptions options;
    options.function = one.report.functions[0].name;
    options.disassembler = "native";
    return analyse_code(kReport, options, {.functions = true}, {});
  };
  const auto a = side(code->a);
  const auto b = side(code->b);
  ASSERT_TRUE(a && b);
  const CodeComparison alone = compare_code(*a, *b, true);
  ASSERT_EQ(alone.pairs.size(), 1U);
  const FunctionComparison& ours = code->comparison.pairs[0];
  const FunctionComparison& expected = alone.pairs[0];
  EXPECT_EQ(ours.diff.sameness, Sameness::kDifferent);
  EXPECT_EQ(ours.diff.removed, expected.diff.removed);
  EXPECT_EQ(ours.diff.added, expected.diff.added);
  EXPECT_EQ(ours.diff.changed(), expected.diff.changed());
  ASSERT_EQ(ours.blocks.size(), expected.blocks.size());
  ASSERT_FALSE(ours.blocks.empty());
  EXPECT_GT(ours.blocks[0].samples(), 0);
  EXPECT_EQ(ours.blocks[0].samples(), expected.blocks[0].samples());
}

TEST(ReportCode, NamesFunctionsOfOneSideWithoutDecodingThem) {
  ReportKernels all = kernels("");
  const ReportKernels some = kernels("Slow\\)[01]");
  const auto code = compare_report_code(all, some, {});
  ASSERT_TRUE(code);
  EXPECT_EQ(code->comparison.pairs.size(), 2U);
  ASSERT_EQ(code->comparison.only_in_a.size(), 1U);
  const std::size_t alone = code->comparison.only_in_a[0].function;
  EXPECT_NE(code->a.report.functions[alone].shown.find("Slow)2"), std::string::npos);
  EXPECT_EQ(code->a.report.functions[alone].blocks, 0U);
}

TEST(ReportCode, IsAbsentWhereNoCodeWasRecordedOrItCannotBeReadAgain) {
  const ReportKernels all = kernels("");
  ReportKernels without = all;
  without.path = PROOFLINE_SOURCE_DIR "/tests/fixtures/ncu_rep/h200-basic.ncu-rep.gz";
  EXPECT_FALSE(compare_report_code(all, without, {}));
  ReportKernels piped = all;
  piped.path = "-";
  EXPECT_FALSE(compare_report_code(piped, all, {}));
}

}  // namespace
}  // namespace proofline::report_code_test

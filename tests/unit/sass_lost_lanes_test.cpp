// SPDX-License-Identifier: Apache-2.0
//
// Lanes that do nothing: which instructions and lines lose most.
#include <gtest/gtest.h>

#include <optional>

#include "analysis/sass/lost_lanes.h"
#include "support/sass_code.h"

namespace proofline::sass_lost_lanes_test {
namespace {

using test_support::sass_code;
using test_support::SassCode;

CodeSamples::Row counted(std::uint64_t executed, std::uint64_t threads,
                         std::optional<std::uint64_t> predicated_on) {
  CodeSamples::Row row;
  row.executed = executed;
  row.threads_executed = threads;
  row.threads_predicated_on = predicated_on;
  return row;
}

TEST(LostLanes, RanksInstructionsAndLinesByWhatTheyLose) {
  SassCode code = sass_code({{"IADD3 R6, R6, 0x1, RZ"},
                             {"@P0 LDG.E R4, [R2.64]"},
                             {"FADD R5, R4, R4"},
                             {"STG.E [R2.64], R5"},
                             {"EXIT"}});
  CodeFunction& function = code.function();
  function.files = {"/home/me/sum.cu"};
  function.lines = {{0, 7}, {0, 8}};
  function.instructions[1].line = 0;
  function.instructions[2].line = 1;
  function.instructions[3].line = 1;
  CodeSamples samples;
  samples.rows = {counted(10, 320, 320), counted(10, 320, 80), counted(10, 100, 100),
                  counted(10, 160, std::nullopt), counted(10, 1000, 1000)};
  const LostLanes lost = find_lost_lanes(function, code.opcodes(), samples, 10);
  ASSERT_EQ(lost.instructions.size(), 3U) << "the first loses none, the last cannot be";
  EXPECT_EQ(lost.instructions[0].instruction, 1U);
  EXPECT_EQ(lost.instructions[0].lanes.lost(), 240U);
  EXPECT_DOUBLE_EQ(lost.instructions[0].lanes.mean_active(), 32);
  EXPECT_DOUBLE_EQ(lost.instructions[0].lanes.mean_predicated_on(), 8);
  EXPECT_EQ(lost.instructions[1].instruction, 2U);
  EXPECT_EQ(lost.instructions[2].lanes.lost(), 160U) << "without predicates, the inactive ones";
  ASSERT_EQ(lost.lines.size(), 2U);
  EXPECT_EQ(lost.lines[0].line, "sum.cu:8");
  EXPECT_EQ(lost.lines[0].lanes.lost(), 380U);
  EXPECT_EQ(lost.function.executed, 40U);
  EXPECT_EQ(find_lost_lanes(function, code.opcodes(), samples, 1).instructions.size(), 1U);
}

TEST(LostLanes, ABranchThatIsNotTakenLosesNone) {
  SassCode code = sass_code({{"@P0 BRA 0x10"}, {"EXIT"}});
  CodeSamples samples;
  samples.rows = {counted(10, 320, 0), counted(10, 300, 300)};
  const LostLanes lost = find_lost_lanes(code.function(), code.opcodes(), samples, 10);
  ASSERT_EQ(lost.instructions.size(), 1U);
  EXPECT_EQ(lost.instructions[0].instruction, 1U);
}

TEST(LostLanes, WhatIsNeverOnLosesNone) {
  SassCode code = sass_code({{"@!PT LDS RZ, [RZ]"}, {"EXIT"}});
  CodeSamples samples;
  samples.rows = {counted(10, 320, 0), counted(10, 320, 320)};
  const LostLanes lost = find_lost_lanes(code.function(), code.opcodes(), samples, 10);
  EXPECT_TRUE(lost.instructions.empty());
  EXPECT_EQ(lost.function.executed, 10U);
}

TEST(LostLanes, AreUnknownWhereNothingWasCounted) {
  SassCode code = sass_code({{"EXIT"}});
  CodeSamples samples;
  samples.rows.resize(1);
  EXPECT_EQ(find_lost_lanes(code.function(), code.opcodes(), samples, 10).function.executed, 0U);
}

}  // namespace
}  // namespace proofline::sass_lost_lanes_test

// SPDX-License-Identifier: Apache-2.0
//
// Which loop is the hot one: by the work in it, by what was measured, and never one that polls.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "analysis/sass/hot_loop.h"
#include "support/sass_code.h"

namespace proofline::sass_hot_loop_test {
namespace {

using test_support::sass_code;
using test_support::SassCode;
using test_support::SassLine;

// The address of the loop's header, divided by 16.
std::optional<std::uint32_t> header(const SassCode& code, std::optional<std::uint32_t> loop) {
  if (!loop) return std::nullopt;
  return code.flow.blocks[code.flow.loops[*loop].header].first;
}

std::optional<std::uint32_t> by_structure(SassCode& code) {
  const auto polling = find_polling_loops(code.function(), code.flow, code.opcodes());
  return header(code, hot_loop_by_structure(code.function(), code.flow, code.opcodes(), polling));
}

// A tensor loop that waits for its data in a loop of its own, as compilers lay it out: the polling
// loop is behind, and deeper.
SassCode tensor_loop_with_polling() {
  return sass_code({{"SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R3+URZ], R4"},  // 0: the loop
                    {"@!P0 BRA 0x60"},
                    {"HGMMA.64x64x16.F32.BF16 R24, gdesc[UR4], R24"},  // 2
                    {"IADD3 R5, R5, 0x1, RZ"},
                    {"@P1 BRA 0x0"},
                    {"EXIT"},
                    {"SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R3+URZ], R4"},  // 6: polls
                    {"@!P0 BRA 0x60"},
                    {"BRA 0x20"}});
}

TEST(HotLoop, IsNotTheLoopThatPollsInsideIt) {
  SassCode code = tensor_loop_with_polling();
  ASSERT_EQ(code.flow.loops.size(), 2U);
  EXPECT_EQ(find_polling_loops(code.function(), code.flow, code.opcodes()),
            (std::vector<bool>{false, true}));
  EXPECT_EQ(by_structure(code), 0U);
}

TEST(HotLoop, IsNotALoopThatElectsALaneOrSleeps) {
  SassCode code = sass_code({{"ELECT P0, URZ, PT"},  // 0
                             {"ISETP.NE.AND P1, PT, R2, R3, PT"},
                             {"@P1 BRA 0x0"},
                             {"SYNCS.PHASECHK.TRANS64 P0, [R3+URZ], R4"},  // 3
                             {"@!P0 NANOSLEEP 0x20"},
                             {"@!P0 BRA 0x30"},
                             {"LDG.E R4, [R2.64]"},  // 6
                             {"@P2 BRA 0x60"},
                             {"EXIT"}});
  EXPECT_EQ(find_polling_loops(code.function(), code.flow, code.opcodes()),
            (std::vector<bool>{true, true, false}));
  EXPECT_EQ(by_structure(code), 6U) << "the shortest of the three";
}

TEST(HotLoop, IsNoneWhereAllPoll) {
  SassCode code =
      sass_code({{"SYNCS.PHASECHK.TRANS64 P0, [R3+URZ], R4"}, {"@!P0 BRA 0x0"}, {"EXIT"}});
  EXPECT_EQ(by_structure(code), std::nullopt);
  EXPECT_EQ(hot_loop_by_weight(code.flow, std::vector<double>{5, 0},
                               find_polling_loops(code.function(), code.flow, code.opcodes())),
            std::nullopt);
}

TEST(HotLoop, HasTensorWorkBeforeAnyOther) {
  SassCode code = sass_code({{"HMMA.16816.F32 R4, R8, R12, R4"},  // 0
                             {"@P0 BRA 0x0"},
                             {"LDG.E R4, [R2.64]"},  // 2
                             {"FADD R5, R4, R5"},
                             {"FADD R6, R4, R6"},
                             {"LDS R7, [R8]"},  // 5: inside
                             {"FADD R7, R7, R7"},
                             {"@P1 BRA 0x50"},
                             {"@P0 BRA 0x20"},
                             {"EXIT"}});
  EXPECT_EQ(by_structure(code), 0U);
}

TEST(HotLoop, CountsWorkMoreTheDeeperItLies) {
  SassCode code = sass_code({{"LDG.E R4, [R2.64]"},  // 0
                             {"FADD R5, R4, R5"},
                             {"FADD R6, R4, R6"},
                             {"LDS R7, [R8]"},  // 3: inside
                             {"@P1 BRA 0x30"},
                             {"@P0 BRA 0x0"},
                             {"EXIT"}});
  EXPECT_EQ(by_structure(code), 3U);
}

TEST(HotLoop, ByWeightTakesWhatWasMeasuredOutsidePolling) {
  SassCode code = tensor_loop_with_polling();
  const auto polling = find_polling_loops(code.function(), code.flow, code.opcodes());
  std::vector<double> blocks(code.flow.blocks.size());
  blocks[code.flow.block_of[6]] = 90;
  blocks[code.flow.block_of[2]] = 10;
  EXPECT_EQ(header(code, hot_loop_by_weight(code.flow, blocks, polling)), 0U);
}

TEST(HotLoop, ByWeightIsTheInnerOneWithMostOfIt) {
  SassCode code = sass_code({{"LDG.E R4, [R2.64]"},  // 0
                             {"LDS R7, [R8]"},       // 1: inside
                             {"@P1 BRA 0x10"},
                             {"@P0 BRA 0x0"},
                             {"EXIT"}});
  const std::vector<bool> polling(code.flow.loops.size());
  std::vector<double> blocks(code.flow.blocks.size());
  blocks[code.flow.block_of[1]] = 80;
  blocks[code.flow.block_of[0]] = 20;
  EXPECT_EQ(header(code, hot_loop_by_weight(code.flow, blocks, polling)), 1U);
  blocks[code.flow.block_of[0]] = 50;
  EXPECT_EQ(header(code, hot_loop_by_weight(code.flow, blocks, polling)), 0U);
}

}  // namespace
}  // namespace proofline::sass_hot_loop_test

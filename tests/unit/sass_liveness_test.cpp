// SPDX-License-Identifier: Apache-2.0
//
// Registers in use: that they are counted as nvdisasm counts them, through guards, loops and
// calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/sass/liveness.h"
#include "support/sass_code.h"

namespace proofline::sass_liveness_test {
namespace {

using test_support::sass_code;
using test_support::SassCode;
using test_support::SassLine;

std::vector<std::uint16_t> live(const std::vector<SassLine>& lines) {
  SassCode code = sass_code(lines);
  return live_registers(code.function(), code.flow, code.opcodes()).live;
}

using Counts = std::vector<std::uint16_t>;

// What nvdisasm counts, by function and address: lines such as
// "/*0060*/  LDG.E R5, [R2.64] ;   // |   7   |   1    |" below a rule with the section's name.
using NvdisasmCounts = std::map<std::string, std::map<std::uint32_t, int>>;

NvdisasmCounts nvdisasm_counts(const std::string& path) {
  auto input = Input::open(path);
  EXPECT_TRUE(input) << path;
  constexpr std::uint64_t kMostBytes = 16U << 20U;
  std::istringstream text{std::string(input->take(kMostBytes).value())};
  constexpr std::string_view kRule = "//--------------------- .text.";
  NvdisasmCounts counts;
  std::string function;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with(kRule)) {
      function = line.substr(kRule.size(), line.find(' ', kRule.size()) - kRule.size());
    }
    const auto address = line.find("/*");
    const auto column = line.find("// |");
    if (address > column || column == std::string::npos) continue;
    counts[function]
          [static_cast<std::uint32_t>(std::stoul(line.substr(address + 2), nullptr, 16))] =
              std::stoi(line.substr(column + 4));
  }
  return counts;
}

bool calls_others(const CodeFunction& function, const OpcodeNames& opcodes) {
  return std::any_of(
      function.instructions.begin(), function.instructions.end(),
      [&](const Instruction& one) { return flow_kind(opcodes[one.opcode]) == FlowKind::kCall; });
}

// Where code calls a function nvdisasm counts by a convention of calls, whatever the function does.
TEST(Liveness, CountsAsNvdisasmDoesInCodeWithoutCalls) {
  const std::filesystem::path folder =
      std::filesystem::path(PROOFLINE_SOURCE_DIR) / "tests/fixtures/sass";
  constexpr std::string_view kSuffix = ".live.txt.gz";
  std::size_t compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string path = entry.path();
    if (!path.ends_with(kSuffix)) continue;
    NvdisasmCounts expected = nvdisasm_counts(path);
    auto code = Input::open(path.substr(0, path.size() - kSuffix.size()) + ".hex.txt.gz");
    auto listing = read_code(code.value()).value();
    for (CodeFunction& function : listing.functions) {
      if (calls_others(function, listing.opcodes)) continue;
      CodeCompleter(listing.opcodes).complete(function);
      const Flow flow = build_flow(function, listing.opcodes);
      const Counts counts = live_registers(function, flow, listing.opcodes).live;
      for (const auto& [address, count] : expected[function.name]) {
        const auto at = function.at(address);
        ASSERT_TRUE(at) << path << ' ' << function.name << ' ' << address;
        EXPECT_EQ(counts[*at], count) << path << ' ' << function.name << ' ' << address << ' '
                                      << function.text_of(function.instructions[*at]);
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 10'000U);
}

TEST(Liveness, FindsTheHighestPressureAndWhere) {
  SassCode code = sass_code({{"MOV R4, 0x1"},
                             {"MOV R5, 0x2"},
                             {"LDG.E.128 R8, [R2.64]"},
                             {"FADD R4, R4, R5"},
                             {"STG.E [R2.64], R4"},
                             {"EXIT"}});
  const Liveness result = live_registers(code.function(), code.flow, code.opcodes());
  EXPECT_EQ(result.live, (Counts{3, 4, 8, 4, 3, 0}));
  EXPECT_EQ(result.most, 8) << "a result that nobody reads needs its registers too";
  EXPECT_EQ(result.most_at, 2U);
}

TEST(Liveness, AGuardedWriteKeepsTheOldValue) {
  EXPECT_EQ(live({{"NOP"}, {"@P0 MOV R4, 0x1"}, {"STG.E [R2.64], R4"}, {"EXIT"}}),
            (Counts{3, 3, 3, 0}));
  EXPECT_EQ(live({{"NOP"}, {"MOV R4, 0x1"}, {"STG.E [R2.64], R4"}, {"EXIT"}}),
            (Counts{2, 3, 3, 0}));
}

TEST(Liveness, ValuesOfALoopLiveAllTheWayRound) {
  EXPECT_EQ(live({{"MOV R4, RZ"},       // before the loop
                  {"FADD R4, R4, R6"},  // 0x10, its header
                  {"ISETP.NE.AND P0, PT, R7, 0x1, PT"},
                  {"MOV R7, 0x3"},
                  {"@P0 BRA 0x10"},
                  {"STG.E [R2.64], R4"},
                  {"EXIT"}}),
            (Counts{5, 5, 5, 5, 5, 3, 0}));
}

TEST(Liveness, FollowsACallIntoTheSectionAndBack) {
  const auto counts_where_it_writes = [](const std::string& result) {
    return live({{"MOV R4, 0x1"},  // what the called function reads
                 {"MOV R9, 0x2"},  // kept over the call
                 {"CALL.REL.NOINC 0x60"},
                 {"STG.E [R2.64], R5"},
                 {"STG.E [R2.64+0x4], R9"},
                 {"EXIT"},
                 {"MUFU.RCP " + result + ", R4"},  // the called function
                 {"RET.REL.NODEC R20 0x0"}});
  };
  const Counts counts = counts_where_it_writes("R5");
  EXPECT_EQ(counts[3], 4) << "R2, R3, R5, R9";
  EXPECT_EQ(counts[6], counts[2] + 1) << "what the caller keeps, and R5";
  EXPECT_EQ(counts_where_it_writes("R6")[2], counts[2] + 1) << "then R5 comes from before the call";
}

TEST(Liveness, ACallOfAnUnknownFunctionGoesOn) {
  EXPECT_EQ(live({{"MOV R9, 0x2"}, {"CALL.ABS.NOINC `(vprintf)"}, {"STG.E [R2.64], R9"}, {"EXIT"}}),
            (Counts{3, 3, 3, 0}));
}

TEST(Liveness, AnEmptyFunctionHasNoRegisters) {
  CodeFunction function;
  const OpcodeNames opcodes;
  const Liveness result = live_registers(function, build_flow(function, opcodes), opcodes);
  EXPECT_TRUE(result.live.empty());
  EXPECT_EQ(result.most, 0);
}

}  // namespace
}  // namespace proofline::sass_liveness_test

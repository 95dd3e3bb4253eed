// SPDX-License-Identifier: Apache-2.0
//
// Blocks, dominators and loops: small graphs by hand, random ones against the definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <random>
#include <set>
#include <string_view>
#include <vector>

#include "analysis/sass/flow.h"
#include "support/effort.h"

namespace proofline::sass_flow_test {
namespace {

// A function of one instruction a line: an opcode and, for branches, the line it goes to.
struct Line {
  std::string_view opcode;
  int target = -1;
  bool guarded = false;
};

struct Code {
  OpcodeNames opcodes;
  CodeFunction function;

  explicit Code(const std::vector<Line>& lines) {
    for (const Line& line : lines) {
      Instruction& one = function.instructions.emplace_back();
      one.address = static_cast<std::uint32_t>(16 * (function.instructions.size() - 1));
      one.opcode = opcodes.intern(line.opcode);
      if (line.target >= 0) one.target = static_cast<std::uint32_t>(16 * line.target);
      if (line.guarded) one.guard.index = 0;
    }
  }
  Flow flow() const { return build_flow(function, opcodes); }
};

TEST(SassFlow, FindsNestedLoopsAndTheirSizes) {
  const Code code({{"MOV"},           // 0: entry
                   {"IADD3"},         // 1: outer header
                   {"LDG.E"},         // 2: inner header
                   {"FFMA"},          //
                   {"BRA", 2, true},  // 4: inner latch
                   {"STG.E"},         //
                   {"BRA", 1, true},  // 6: outer latch
                   {"EXIT"},
                   {"BRA", 8}});  // padding that nobody reaches
  const Flow flow = code.flow();
  ASSERT_EQ(flow.loops.size(), 2U);
  EXPECT_EQ(flow.loops[0].depth, 1U);
  EXPECT_EQ(flow.loops[0].instructions, 6U);
  EXPECT_EQ(flow.loops[1].parent, 0U);
  EXPECT_EQ(flow.loops[1].depth, 2U);
  EXPECT_EQ(flow.loops[1].instructions, 3U);
  EXPECT_EQ(flow.blocks[flow.loops[1].header].first, 2U);
  EXPECT_FALSE(flow.blocks.back().reachable);
  EXPECT_TRUE(flow.in_loop(flow.block_of[3], 0));
  EXPECT_FALSE(flow.in_loop(flow.block_of[5], 1));
}

TEST(SassFlow, TakesPredicateOperandsAndUniformBranchesForConditions) {
  Code code({{"BRA.U", 2}, {"NOP"}, {"EXIT"}});
  code.function.operands.push_back(
      {OperandKind::kUniformPredicate, OperandUse::kRead, 1, true, 0, 0});
  code.function.instructions[0].operand_count = 1;
  EXPECT_EQ(code.flow().successors(0).size(), 2U);
  code.function.operands[0] = {
      OperandKind::kUniformPredicate, OperandUse::kRead, 1, false, Operand::kTrue, 0};
  EXPECT_EQ(code.flow().successors(0).size(), 1U);
}

// Jumps and indirect branches ask a uniform predicate as BRA.U does; read without one, it may be
// any.
TEST(SassFlow, TakesUniformJumpsForConditions) {
  for (const char* opcode : {"JMP.U", "JMXU", "BRXU", "BRX", "JMX"}) {
    Code code({{opcode, 2}, {"NOP"}, {"EXIT"}});
    code.function.operands.push_back(
        {OperandKind::kUniformPredicate, OperandUse::kRead, 1, true, 0, 0});
    code.function.instructions[0].operand_count = 1;
    const Flow flow = code.flow();
    const auto edges = flow.successors(0);
    EXPECT_TRUE(std::any_of(edges.begin(), edges.end(), [](const FlowEdge& edge) {
      return edge.kind == EdgeKind::kFallThrough;
    })) << opcode;
  }
  EXPECT_EQ(Code({{"JMP.U", 2}, {"NOP"}, {"EXIT"}}).flow().successors(0).size(), 2U);
  EXPECT_EQ(Code({{"JMP", 2}, {"NOP"}, {"EXIT"}}).flow().successors(0).size(), 1U);
}

// Nothing leads to the last block; an instruction that nobody knows may.
TEST(SassFlow, TakesNothingForUnreachableWhereABranchMayBeUnknown) {
  const Code code({{"MOV"}, {"EXIT"}, {"STG.E"}, {"EXIT"}});
  EXPECT_FALSE(code.flow().blocks[1].reachable);
  EXPECT_FALSE(code.flow().open());
  const Flow doubted = build_flow(code.function, code.opcodes, {.any_branch = true});
  EXPECT_TRUE(doubted.blocks[1].reachable);
  EXPECT_TRUE(doubted.open());
}

TEST(SassFlow, GoesBothWaysAtABranchOfWhichAModifierIsNotKnown) {
  const Code code({{"BRA", 2}, {"NOP"}, {"EXIT"}});
  EXPECT_EQ(code.flow().successors(0).size(), 1U);
  const std::vector<bool> partial = {true, false, false};
  const Flow flow = build_flow(code.function, code.opcodes, {.partial = &partial});
  EXPECT_EQ(flow.successors(0).size(), 2U);
}

TEST(SassFlow, CountsBranchesToNowhereAndIndirectOnesWithoutTargets) {
  const Flow flow = Code({{"BRA", 77, true}, {"BRX"}, {"EXIT"}}).flow();
  EXPECT_EQ(flow.dangling, 1U);
  EXPECT_EQ(flow.indirect_unknown, 1U);
}

TEST(SassFlow, TakesAllForReachableWhereAnIndirectBranchMayLeadThere) {
  const Flow flow = Code({{"BRX"}, {"FADD"}, {"EXIT"}, {"BRA", 3}, {"NOP"}}).flow();
  EXPECT_TRUE(flow.blocks[flow.block_of[1]].reachable);
  EXPECT_FALSE(flow.blocks[flow.block_of[3]].reachable) << "padding";
  EXPECT_FALSE(flow.blocks[flow.block_of[4]].reachable) << "padding";
}

TEST(SassFlow, FollowsTheTableOfAnIndirectBranch) {
  Code code({{"BRX"}, {"EXIT"}, {"NOP"}, {"EXIT"}});
  code.function.branch_targets = {{0, {16, 32}}};
  const Flow flow = code.flow();
  EXPECT_EQ(flow.successors(0).size(), 2U);
  EXPECT_EQ(flow.indirect_unknown, 0U);
}

TEST(SassFlow, FindsLoopsOfFunctionsThatAreCalled) {
  const Flow flow = Code({{"CALL.REL.NOINC", 3},
                          {"EXIT"},
                          {"NOP"},
                          {"FADD"},  // 3: the function
                          {"BRA", 3, true},
                          {"RET.REL.NODEC"}})
                        .flow();
  ASSERT_EQ(flow.loops.size(), 1U);
  EXPECT_EQ(flow.blocks[flow.loops[0].header].first, 3U);
}

TEST(SassFlow, FollowsACallThatLeavesALoop) {
  const Flow flow = Code({{"FADD"}, {"CALL.REL.NOINC", 3, true}, {"BRA", 0}, {"EXIT"}}).flow();
  ASSERT_EQ(flow.loops.size(), 1U);
  EXPECT_EQ(flow.irreducible, 0U);
  EXPECT_TRUE(flow.blocks[flow.block_of[3]].reachable);
}

TEST(SassFlow, TellsALoopWithTwoEntriesFromANaturalOne) {
  const Flow flow = Code({{"BRA", 3, true},  // into the middle
                          {"NOP"},
                          {"IADD3"},  // 2
                          {"FADD"},   // 3
                          {"BRA", 2, true},
                          {"EXIT"}})
                        .flow();
  EXPECT_TRUE(flow.loops.empty());
  EXPECT_EQ(flow.irreducible, 1U);
}

// Blocks that can be reached from the entry without passing `without`.
std::set<std::uint32_t> reached(const Flow& flow, std::uint32_t without) {
  std::set<std::uint32_t> seen;
  if (without == 0) return seen;
  std::vector<std::uint32_t> todo{0};
  seen.insert(0);
  while (!todo.empty()) {
    const std::uint32_t block = todo.back();
    todo.pop_back();
    for (const FlowEdge& edge : flow.successors(block)) {
      if (edge.to != without && seen.insert(edge.to).second) todo.push_back(edge.to);
    }
  }
  return seen;
}

TEST(SassFlow, AgreesWithTheDefinitionsOnRandomGraphs) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const int count = 3 + static_cast<int>(random() % 30);
    std::vector<Line> lines;
    for (int i = 0; i + 1 < count; ++i) {
      const bool branch = random() % 2 == 0;
      lines.push_back(branch
                          ? Line{"BRA", static_cast<int>(random() % static_cast<unsigned>(count)),
                                 random() % 3 != 0}
                          : Line{"NOP"});
    }
    lines.push_back({"EXIT"});
    const Flow flow = Code(lines).flow();
    const auto blocks = static_cast<std::uint32_t>(flow.blocks.size());
    const auto all = reached(flow, kNoBlock);
    std::vector<std::set<std::uint32_t>> dominated(blocks);  // by each block
    for (std::uint32_t a = 0; a < blocks; ++a) {
      const auto rest = reached(flow, a);
      for (const std::uint32_t b : all) {
        if (b != a && rest.count(b) == 0 && all.count(a) == 1) dominated[a].insert(b);
      }
    }
    std::set<std::uint32_t> headers;
    for (std::uint32_t b = 0; b < blocks; ++b) {
      ASSERT_EQ(flow.blocks[b].reachable, all.count(b) == 1);
      if (all.count(b) == 0) continue;
      // The immediate dominator is dominated by every other one.
      const std::uint32_t immediate = flow.blocks[b].dominator;
      for (std::uint32_t a = 0; a < blocks; ++a) {
        if (dominated[a].count(b) == 0) continue;
        ASSERT_NE(immediate, kNoBlock);
        ASSERT_TRUE(a == immediate || dominated[a].count(immediate) == 1);
      }
      ASSERT_TRUE(b == 0 || dominated[immediate].count(b) == 1);
      for (const FlowEdge& edge : flow.successors(b)) {
        if (edge.to == b || dominated[edge.to].count(b) == 1) headers.insert(edge.to);
      }
    }
    std::set<std::uint32_t> found;
    for (const FlowLoop& loop : flow.loops) found.insert(loop.header);
    ASSERT_EQ(found, headers);
    // A block is in a loop if it reaches one of its latches without passing the header.
    for (std::uint32_t loop = 0; loop < flow.loops.size(); ++loop) {
      std::set<std::uint32_t> body{flow.loops[loop].header};
      std::vector<std::uint32_t> todo = flow.loops[loop].latches;
      while (!todo.empty()) {
        const std::uint32_t block = todo.back();
        todo.pop_back();
        if (!body.insert(block).second) continue;
        for (const FlowEdge& edge : flow.predecessors(block)) {
          if (all.count(edge.from) == 1) todo.push_back(edge.from);
        }
      }
      for (std::uint32_t block = 0; block < blocks; ++block) {
        ASSERT_EQ(flow.in_loop(block, loop), body.count(block) == 1) << round;
      }
    }
  }
}

TEST(SassFlow, StaysLinearOnManyInstructions) {
  std::vector<Line> lines;
  const int count = effort(1'000'000, 1'000'000, 100'000);
  for (int i = 0; i + 1 < count; ++i) {
    lines.push_back(i % 2 == 0 ? Line{"BRA", (i % 1000) * 997, true} : Line{"FFMA"});
  }
  lines.push_back({"EXIT"});
  const Flow flow = Code(lines).flow();
  EXPECT_EQ(flow.block_of.size(), static_cast<std::size_t>(count));
  // Loops within each other as deep as there are branches.
  lines.clear();
  for (int i = 0; i < count / 2; ++i) lines.push_back({"FFMA"});
  for (int i = count / 2; i-- > 0;) lines.push_back({"BRA", i, true});
  lines.push_back({"EXIT"});
  const Flow nested = Code(lines).flow();
  EXPECT_EQ(nested.loops.size(), static_cast<std::size_t>(count / 2));
  EXPECT_EQ(nested.loops.back().depth, static_cast<std::uint32_t>(count / 2));
}

TEST(SassFlow, HasNothingToSayOfAnEmptyFunction) {
  const Flow flow = Code({}).flow();
  EXPECT_TRUE(flow.blocks.empty());
  EXPECT_TRUE(flow.loops.empty());
}

}  // namespace
}  // namespace proofline::sass_flow_test

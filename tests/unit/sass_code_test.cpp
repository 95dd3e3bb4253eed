// SPDX-License-Identifier: Apache-2.0
//
// Counts, differences and pictures of machine code, over small listings.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/sass/code_diff.h"
#include "analysis/sass/code_report.h"
#include "analysis/sass/code_stats.h"
#include "base/input.h"
#include "readers/code/read_code.h"
#include "views/code/flow_dot.h"

namespace proofline::sass_code_test {
namespace {

// What cuobjdump prints of one function.
std::string listing(const std::vector<std::string>& lines) {
  std::string text = "\tcode for sm_90\n\t\tFunction : f\n";
  char address[16];
  int i = 0;
  for (const std::string_view line : lines) {
    std::snprintf(address, sizeof address, "/*%04x*/", 16 * i++);
    text += "        " + std::string(address) + "                   " + std::string(line) + " ;\n";
  }
  return text + "\t\t..........\n";
}

struct Code {
  Listing names;
  AnalysedFunction function;
  FunctionReport report;

  explicit Code(const std::string& text) {
    auto input = Input::from_memory(text, "test");
    CodeAnalyst analyst(names.opcodes, {});
    const FunctionSink sink(
        [&](CodeFunction&& one) { report = analyst.analyse(std::move(one), nullptr, function); });
    const auto read = read_code(*input, names, sink);
    EXPECT_TRUE(read) << (read ? "" : read.error().message);
  }
};

CodeDiff diff(const Code& a, const Code& b) {
  return diff_code({a.function.code, a.function.flow, a.names.opcodes},
                   {b.function.code, b.function.flow, b.names.opcodes});
}

// A function as a cubin's reader gives it: encodings without text.
struct Encoded {
  Listing names;
  AnalysedFunction function;
  FunctionReport report;

  Encoded(std::string_view arch, std::initializer_list<Encoding> encodings) {
    CodeFunction code;
    code.name = "f";
    code.arch = arch;
    code.encodings = encodings;
    code.instructions.resize(code.encodings.size());
    for (std::size_t i = 0; i < code.instructions.size(); ++i) {
      code.instructions[i].address = static_cast<std::uint32_t>(16 * i);
    }
    report = CodeAnalyst(names.opcodes, {}).analyse(std::move(code), nullptr, function);
  }
};

CodeDiff diff(const Encoded& a, const Encoded& b) {
  return diff_code({a.function.code, a.function.flow, a.names.opcodes},
                   {b.function.code, b.function.flow, b.names.opcodes},
                   a.report.wholly_read() && b.report.wholly_read());
}

constexpr Encoding kExit = {0x000000000000794d, 0x000fea0003800000};
constexpr Encoding kFaddOne = {0x3f80000000007421, 0x000fc80000010000};  // FADD R0, R0, 1
constexpr Encoding kFaddTwo = {0x4000000000007421, 0x000fc80000010000};

TEST(CodeReport, IsWhollyReadOnlyWhereEveryOpcodeHasAName) {
  EXPECT_TRUE(Encoded("sm_90", {kExit}).report.wholly_read());
  const Encoded unknown("sm_70", {kExit, kExit});
  EXPECT_FALSE(unknown.report.wholly_read());
  EXPECT_EQ(unknown.report.unknown, 2U);
  EXPECT_FALSE(Encoded("sm_90", {}).report.wholly_read());
  EXPECT_FALSE(Code(listing({"NEWOP R1, R2", "EXIT"})).report.wholly_read());
}

// What was executed is reachable, whatever we make of the branches.
TEST(CodeReport, CountsWhatWasExecutedThoughNothingLeadsThere) {
  constexpr std::uint64_t kStart = 0x7f0000001000;
  Profile profile;
  Launch& launch = profile.launches.emplace_back();
  launch.modules = {0};
  launch.mangled = "f";
  profile.modules.emplace_back().functions = {{"f", kStart}};
  const auto add = [&](const char* name, std::vector<std::uint64_t> addresses,
                       std::vector<std::uint64_t> counts) {
    Metric& metric = launch.metrics.emplace_back();
    metric.id = profile.metric_names.intern(name, "");
    metric.has_instances = true;
    metric.instances = std::make_unique<Instances>();
    metric.instances->correlation = std::move(addresses);
    metric.instances->values = std::move(counts);
  };
  // A warp that exits is sampled after the EXIT; only counts tell.
  add("smsp__pcsamp_warps_issue_stalled_wait", {kStart, kStart + 0x20}, {3, 1});
  const std::string text = listing({"MOV R1, R2", "EXIT", "HGMMA R4, R8, R4", "EXIT"});
  const auto analyse = [&] {
    auto input = Input::from_memory(text, "test");
    Listing names;
    CodeAnalyst analyst(names.opcodes, {});
    FunctionReport report;
    const FunctionSink sink([&](CodeFunction&& one) {
      AnalysedFunction analysed;
      report = analyst.analyse(std::move(one), &profile, analysed);
    });
    EXPECT_TRUE(read_code(*input, names, sink));
    return report;
  };
  EXPECT_EQ(analyse().executed_unreached, 0U);
  EXPECT_EQ(analyse().stats.count(InstructionClass::kTensor), 0U);
  add("inst_executed", {kStart, kStart + 0x20}, {8, 8});
  EXPECT_EQ(analyse().executed_unreached, 1U);
  EXPECT_EQ(analyse().stats.count(InstructionClass::kTensor), 1U);
}

TEST(CodeDiff, ComparesBytesWhereNothingWasDecoded) {
  const Encoded one("sm_70", {kFaddOne, kExit});
  const Encoded other("sm_70", {kFaddTwo, kExit, kExit});
  EXPECT_EQ(diff(one, one).sameness, Sameness::kIdentical);
  EXPECT_EQ(diff(one, other).sameness, Sameness::kBytesDiffer);
  EXPECT_EQ(diff(one, other).bytes_changed, 2U);
}

TEST(CodeDiff, SeesImmediatesThatAreFloatingPoint) {
  const Encoded one("sm_90", {kFaddOne, kExit});
  const Encoded other("sm_90", {kFaddTwo, kExit});
  EXPECT_EQ(diff(one, one).sameness, Sameness::kIdentical);
  EXPECT_EQ(diff(one, other).sameness, Sameness::kDifferent);
}

// Bit 73 makes FADD take an absolute value, which decoding leaves out.
TEST(CodeDiff, SeesBitsThatDecodingLeavesOut) {
  Encoding absolute = kFaddOne;
  absolute.high |= std::uint64_t{1} << 9U;
  const Encoded one("sm_90", {kFaddOne, kExit});
  const Encoded other("sm_90", {absolute, kExit});
  EXPECT_NE(diff(one, other).sameness, Sameness::kIdentical);
  EXPECT_NE(diff(one, other).sameness, Sameness::kRenamed);
}

TEST(CodeDiff, OfACutListingNothingIsTheSame) {
  const std::string whole = listing({"MOV R1, R2", "EXIT"});
  const Code cut(whole.substr(0, whole.find("\t\t....")));
  const DiffSide side{cut.function.code, cut.function.flow, cut.names.opcodes};
  EXPECT_EQ(diff_code(side, side, cut.report.wholly_read()).sameness, Sameness::kUnknown);
}

// Also where other instructions came: what is common has to be the same.
TEST(CodeDiff, SeesOtherBytesBesideOtherChanges) {
  constexpr Encoding kNop = {0x0000000000007918, 0x000fc00000000000};
  constexpr Encoding kFaddOfAbsolute = {0x3f80000000007421, 0x000fc80000010200};
  const CodeDiff changed =
      diff(Encoded("sm_90", {kFaddOne, kExit}), Encoded("sm_90", {kFaddOfAbsolute, kNop, kExit}));
  EXPECT_EQ(changed.added, 1U);
  EXPECT_EQ(changed.bytes_changed, 1U);
  ASSERT_EQ(changed.blocks.size(), 1U);
  EXPECT_EQ(changed.blocks[0].instructions[0].change, InstructionChange::kBytes);
  const CodeDiff same =
      diff(Encoded("sm_90", {kFaddOne, kExit}), Encoded("sm_90", {kFaddOne, kNop, kExit}));
  EXPECT_EQ(same.bytes_changed, 0U);
}

TEST(CodeStats, CountsClassesAndWidths) {
  const Code code(listing({"LDG.E.128 R4, [R2.64]", "@P0 STS [R8], R4", "STS.128 [R8+0x10], R4",
                           "@!PT LDS RZ, [RZ]", "NEWOP R1, R2", "EXIT"}));
  const CodeStats& stats = code.report.stats;
  EXPECT_EQ(stats.instructions, 6U);
  EXPECT_EQ(stats.predicated, 2U);
  EXPECT_EQ(stats.count(InstructionClass::kGlobalLoad), 1U);
  EXPECT_EQ(stats.count(InstructionClass::kSharedStore), 2U);
  EXPECT_EQ(stats.count(InstructionClass::kSharedLoad), 0U) << "behind !PT it loads nothing";
  EXPECT_EQ(stats.count(InstructionClass::kUnknown), 1U) << "counted, never dropped";
  EXPECT_EQ(stats.mean_width(InstructionClass::kSharedStore), 10);
}

TEST(CodeDiff, SaysSameCodeWhateverTheRegistersAreCalled) {
  const Code a(listing({"LDG.E R4, [R2.64]", "FADD R5, R4, R4", "STG.E [R2.64], R5", "EXIT"}));
  const Code b(listing({"LDG.E R9, [R6.64]", "FADD R0, R9, R9", "STG.E [R6.64], R0", "EXIT"}));
  EXPECT_EQ(diff(a, a).sameness, Sameness::kIdentical);
  EXPECT_EQ(diff(a, b).sameness, Sameness::kRenamed);
}

// Operands keep no fractions, no absolute values and no names; the text has them all.
TEST(CodeDiff, SeesWhateverTheTextSaysBesidesRegisters) {
  const auto with = [](const std::string& instruction) {
    return Code(listing({"LDG.E R4, [R2.64]", instruction, "STG.E [R2.64], R5", "EXIT"}));
  };
  const auto same = [&](const std::string& a, const std::string& b) {
    const Sameness sameness = diff(with(a), with(b)).sameness;
    return sameness == Sameness::kIdentical || sameness == Sameness::kRenamed;
  };
  EXPECT_FALSE(same("FADD R5, R4, 1.5", "FADD R5, R4, 2.5"));
  EXPECT_FALSE(same("FADD R5, R4, -1.5", "FADD R5, R4, 1.5"));
  EXPECT_FALSE(same("FADD R5, |R4|, R4", "FADD R5, R4, R4"));
  EXPECT_FALSE(same("FADD R5, -|R4|, R4", "FADD R5, -R4, R4"));
  EXPECT_FALSE(same("HADD2 R5, R4.H0_H0, R4", "HADD2 R5, R4.H1_H1, R4"));
  EXPECT_FALSE(same("S2R R5, SR_TID.X", "S2R R5, SR_TID.Y"));
  EXPECT_FALSE(same("MOV R5, 32@lo(first)", "MOV R5, 32@lo(second)"));
  EXPECT_FALSE(same("CALL.ABS.NOINC `(first)", "CALL.ABS.NOINC `(second)"));
  EXPECT_FALSE(same("DEPBAR.LE SB0, 0x1, {3,2}", "DEPBAR.LE SB0, 0x1, {3,1}"));
  EXPECT_TRUE(same("FADD R5, R4.reuse, 1.5", "FADD R5, R4,  1.5"));
  EXPECT_TRUE(same("FADD R5, R4, 1.5 &req={1} ?trans2", "FADD R5, R4, 1.5 &req={2} ?trans4"));
  EXPECT_TRUE(same("@P0 BRA 0x30", "@P3 BRA 0x30"));
  EXPECT_TRUE(same("RET.REL.NODEC R20 `(f)", "RET.REL.NODEC R20 0x0"));
}

TEST(CodeDiff, SeesThatAnotherValueIsRead) {
  const Code a(listing({"MOV R4, 0x1", "MOV R5, 0x2", "FADD R6, R4, R4", "EXIT"}));
  const Code b(listing({"MOV R4, 0x1", "MOV R5, 0x2", "FADD R6, R5, R5", "EXIT"}));
  EXPECT_EQ(diff(a, b).sameness, Sameness::kDifferent);
}

TEST(CodeDiff, CountsWhatCameAndWent) {
  const Code a(listing({"MOV R4, 0x1", "FADD R6, R4, R4", "STS [R7], R6", "EXIT"}));
  const Code b(
      listing({"MOV R4, 0x1", "FADD R6, R4, R4", "FMUL R6, R6, R6", "STS.64 [R7], R6", "EXIT"}));
  const CodeDiff result = diff(a, b);
  EXPECT_EQ(result.common, 3U);
  EXPECT_EQ(result.removed, 1U);
  EXPECT_EQ(result.added, 2U);
}

// "-1 +1 ~2,3": the changes by position in A and B.
std::string changes_of(const CodeDiff& diff) {
  std::string text;
  for (const BlockDiff& block : diff.blocks) {
    text += text.empty() ? "" : " |";
    for (const InstructionDiff& one : block.instructions) {
      const bool both = one.a != InstructionDiff::kNone && one.b != InstructionDiff::kNone;
      if (!text.empty() && text.back() != '|') text += ' ';
      text += to_string(one.change).substr(0, 3);
      if (one.a != InstructionDiff::kNone) text += std::to_string(one.a);
      if (both) text += ',';
      if (one.b != InstructionDiff::kNone) text += std::to_string(one.b);
    }
  }
  return text;
}

TEST(CodeDiff, TellsEachInstructionThatCameAndWent) {
  const Code a(listing({"MOV R4, 0x1", "FADD R6, R4, R4", "STS [R7], R6", "EXIT"}));
  const Code b(
      listing({"MOV R9, 0x1", "FADD R2, R9, R9", "FMUL R2, R2, R2", "STS.64 [R3], R2", "EXIT"}));
  EXPECT_EQ(changes_of(diff(a, b)), "rem2 add2 add3");
  EXPECT_EQ(changes_of(diff(a, a)), "");
}

TEST(CodeDiff, CallsAnotherPlaceInTheBlockAMove) {
  const Code a(listing({"LDG.E R4, [R2.64]", "MOV R5, 0x2", "MOV R6, 0x3", "EXIT"}));
  const Code b(listing({"MOV R5, 0x2", "MOV R6, 0x3", "LDG.E R4, [R2.64]", "EXIT"}));
  const CodeDiff result = diff(a, b);
  EXPECT_EQ(changes_of(result), "mov0,2");
  EXPECT_EQ(result.sameness, Sameness::kDifferent);
  EXPECT_EQ(result.moved, 1U);
  EXPECT_EQ(result.removed + result.added + result.rewired, 0U);
}

TEST(CodeDiff, TellsWhatReadsAnotherValueOrGoesElsewhere) {
  const Code a(listing({"MOV R4, 0x1", "MOV R5, 0x2", "FADD R6, R4, R4", "EXIT"}));
  const Code b(listing({"MOV R4, 0x1", "MOV R5, 0x2", "FADD R6, R5, R5", "EXIT"}));
  EXPECT_EQ(changes_of(diff(a, b)), "rew2,2");
  const Code to_first(listing({"MOV R4, 0x1", "MOV R5, 0x2", "@P0 BRA 0x0", "EXIT"}));
  const Code to_second(listing({"MOV R4, 0x1", "MOV R5, 0x2", "@P0 BRA 0x10", "EXIT"}));
  EXPECT_EQ(changes_of(diff(to_first, to_second)), "rew2,2");
  // What reads something new is a consequence of it.
  const Code more(
      listing({"MOV R4, 0x1", "MOV R5, 0x2", "FMUL R4, R4, R4", "FADD R6, R4, R4", "EXIT"}));
  EXPECT_EQ(changes_of(diff(a, more)), "add2");
}

TEST(CodeDiff, GoesByBlock) {
  const Code a(listing({"MOV R1, RZ", "FADD R2, R2, R1", "LDG.E R3, [R4.64]", "@P0 BRA 0x10",
                        "STG.E [R4.64], R3", "EXIT"}));
  const Code b(listing({"MOV R1, RZ", "FADD R2, R2, R1", "@P0 BRA 0x10", "STG.E [R4.64], R3",
                        "FMUL R3, R3, R3", "EXIT"}));
  const CodeDiff result = diff(a, b);
  EXPECT_EQ(changes_of(result), "rem2 |add4");
  EXPECT_EQ(result.blocks[0].block_a, 1U);
  EXPECT_EQ(result.blocks[0].block_b, 1U);
}

TEST(CodeDiff, OfUndecodedCodeGoesByPosition) {
  const Encoded a("sm_70", {{1, 1}, {2, 2}, {3, 3}});
  const Encoded b("sm_70", {{1, 1}, {9, 9}, {3, 3}, {4, 4}});
  const CodeDiff result = diff(a, b);
  EXPECT_TRUE(result.by_bytes);
  EXPECT_EQ(changes_of(result), "byt1,1 add3");
}

TEST(CodeDiff, PassesOverThePadding) {
  const Code a(listing({"EXIT", "BRA 0x10", "NOP", "NOP"}));
  const Code b(listing({"EXIT", "BRA 0x10", "NOP"}));
  EXPECT_EQ(diff(a, b).sameness, Sameness::kIdentical);
}

TEST(FlowDot, DrawsLoopsInBoxesAndEscapesNames) {
  const Code code(listing({"MOV R1, RZ", "FADD R2, R2, R1", "@P0 BRA 0x10", "EXIT"}));
  const FlowPicture picture{code.function.code,
                            code.function.flow,
                            code.names.opcodes,
                            "evil\"]; x [label=\"\x1b[31m",
                            {},
                            {},
                            {}};
  const auto dot = flow_dot(picture);
  ASSERT_TRUE(dot);
  EXPECT_NE(dot->find("subgraph cluster_loop0"), std::string::npos);
  EXPECT_NE(dot->find("b1 -> b1"), std::string::npos);
  EXPECT_EQ(dot->find('\x1b'), std::string::npos);
  EXPECT_NE(dot->find("evil\\\"]"), std::string::npos);
  EXPECT_NE(dot->find("falls through"), std::string::npos) << "a legend";
  EXPECT_EQ(dot->find("constraint=false"), std::string::npos);
}

// What is too tall continues in another column: one edge has no say in the layout there.
TEST(FlowDot, TallPicturesFold) {
  std::vector<std::string> lines;
  for (int i = 0; i < 60; ++i) lines.push_back(fmt::format("@P0 BRA {:#x}", 16 * (i + 2)));
  lines.insert(lines.end(), {"NOP", "EXIT"});
  const Code code(listing(lines));
  const auto dot =
      flow_dot({code.function.code, code.function.flow, code.names.opcodes, "tall", {}, {}, {}});
  ASSERT_TRUE(dot);
  std::size_t folded = 0;
  for (std::size_t at = 0; (at = dot->find("constraint=false", at)) != dot->npos; ++at) ++folded;
  EXPECT_GE(folded, 1U);
  EXPECT_LE(folded, 3U);
}

}  // namespace
}  // namespace proofline::sass_code_test

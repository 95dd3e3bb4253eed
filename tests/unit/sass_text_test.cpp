// SPDX-License-Identifier: Apache-2.0
//
// Single instructions as NVIDIA's disassemblers print them, sm_70 to sm_120: that guard, opcode,
// operands and targets come out as they are there, whatever the form.
#include "readers/code/sass_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace proofline::sass_text_test {
namespace {

struct Parsed {
  OpcodeNames opcodes;
  CodeFunction function;
  std::vector<LabelUse> labels;
  SassText::Parsed status = SassText::Parsed::kWell;

  explicit Parsed(std::string_view text) {
    status = SassText(opcodes).append(text, function, labels);
  }
  const Instruction& instruction() const { return function.instructions.at(0); }
  const std::string& opcode() const { return opcodes[instruction().opcode]; }
};

std::string name_of(const Operand& operand) {
  const auto numbered = [&](std::string_view letter, std::uint16_t last, std::string_view name) {
    return operand.index == last ? std::string(name) : fmt::format("{}{}", letter, operand.index);
  };
  switch (operand.kind) {
    case OperandKind::kRegister: return numbered("R", Operand::kZero, "RZ");
    case OperandKind::kUniformRegister: return numbered("UR", Operand::kZero, "URZ");
    case OperandKind::kPredicate: return numbered("P", Operand::kTrue, "PT");
    case OperandKind::kUniformPredicate: return numbered("UP", Operand::kTrue, "UPT");
    case OperandKind::kBarrier: return fmt::format("B{}", operand.index);
    case OperandKind::kConstant: return fmt::format("c{}:{}", operand.index, operand.value);
    case OperandKind::kTarget: return fmt::format("->{}", operand.value);
    case OperandKind::kImmediate: return fmt::format("#{}", operand.value);
    case OperandKind::kSpecial: return "special";
    case OperandKind::kRelocated: return fmt::format("relocated{}", operand.value);
  }
  return "?";
}

// "-R4", "R2x2" for R2.64, "[R2+16]" inside brackets, "#16", "c0:40", "->240".
std::string operands(std::string_view text) {
  const Parsed parsed(text);
  std::string all;
  for (const Operand& operand : parsed.function.operands_of(parsed.instruction())) {
    std::string one = (operand.negated ? "-" : "") + name_of(operand);
    if (operand.count != 1) one += fmt::format("x{}", operand.count);
    const bool address = operand.use == OperandUse::kAddress;
    if (address && operand.kind != OperandKind::kImmediate && operand.value != 0) {
      one += fmt::format("{:+}", operand.value);
    }
    all += (all.empty() ? "" : " ") + (address ? "[" + one + "]" : one);
  }
  return all;
}

TEST(SassText, SplitsGuardOpcodeAndText) {
  const Parsed parsed("@!P0 LDG.E.128 R4, desc[UR4][R2.64+0x10] ");
  EXPECT_EQ(parsed.opcode(), "LDG.E.128");
  EXPECT_EQ(parsed.instruction().guard, (Guard{0, true, false}));
  EXPECT_EQ(parsed.function.text_of(parsed.instruction()), "LDG.E.128 R4, desc[UR4][R2.64+0x10]");
  EXPECT_EQ(Parsed("@UP3 UMOV UR4, 0x1").instruction().guard, (Guard{3, false, true}));
  EXPECT_TRUE(Parsed("@!PT LDS RZ, [RZ]").instruction().guard.never());
  EXPECT_TRUE(Parsed("NOP").instruction().guard.always());
}

TEST(SassText, ReadsRegistersWithTheirModifiers) {
  EXPECT_EQ(operands("FFMA R0, R4.reuse, -R5, |R6|"), "R0 R4 -R5 R6");
  EXPECT_EQ(operands("FADD R0, -|R6|.reuse, RZ"), "R0 -R6 RZ");
  EXPECT_EQ(operands("HADD2 R43, R40.H0_H0, -RZ.H0_H0"), "R43 R40 -RZ");
  EXPECT_EQ(operands("LOP3.LUT P1, RZ, R4, ~R3, RZ, 0xfc, !PT"), "P1 RZ R4 -R3 RZ #252 -PT");
  EXPECT_EQ(operands("UISETP.NE.AND UP0, UPT, UR4, URZ, !UP1"), "UP0 UPT UR4 URZ -UP1");
  EXPECT_EQ(operands("IMAD.WIDE.U32 R6, R5, 0x4, R6.64"), "R6 R5 #4 R6x2");
  EXPECT_EQ(operands("BMOV.32.CLEAR R56, B0"), "R56 B0");
}

TEST(SassText, ReadsNumbers) {
  EXPECT_EQ(operands("MOV R5, 0x400"), "R5 #1024");
  EXPECT_EQ(operands("IADD3 R5, R5, -0x1, RZ"), "R5 R5 #-1 RZ");
  EXPECT_EQ(operands("FADD R0, R14, 1"), "R0 R14 #1");
  EXPECT_EQ(operands("FSETP.GEU.AND P1, PT, |R5|, 1.469367938527859385e-39, PT"), "P1 PT R5 #0 PT");
  EXPECT_EQ(operands("DSETP.NEU.AND P0, PT, R10, +INF , PT"), "P0 PT R10 #0 PT");
  EXPECT_EQ(operands("FADD R50, R50, -QNAN"), "R50 R50 #0");
  EXPECT_EQ(operands("MOV.64 R6, 0xffffffffffffffff"), "R6 #-1");
  EXPECT_EQ(operands("MOV R20, 32@lo((_Z4kernv + .L_x_0@srel))"), "R20 special");
}

TEST(SassText, ReadsAddresses) {
  EXPECT_EQ(operands("LDG.E.128 R4, desc[UR4][R2.64+0x10]"), "R4 [UR4] [R2x2+16]");
  EXPECT_EQ(operands("STS.U8 [R16+-0x1], R59"), "[R16-1] R59");
  EXPECT_EQ(operands("LDSM.16.MT88.4 R104, [R121+UR23+0x800]"), "R104 [R121+2048] [UR23]");
  EXPECT_EQ(operands("STS.U8 [0x2000], R6"), "[#8192] R6");
  EXPECT_EQ(operands("LDS.64 R14, [R22.X8+UR4]"), "R14 [R22] [UR4]");
  EXPECT_EQ(operands("UTMALDG.2D [UR16], [UR6], desc[UR30]"), "[UR16] [UR6] [UR30]");
  EXPECT_EQ(operands("UTCHMMA gdesc[UR38], gdesc[UR42], tmem[UR10], tmem[UR26+0x100], idesc[UR27], "
                     "UPT"),
            "[UR38] [UR42] [UR10] [UR26+256] [UR27] UPT");
}

TEST(SassText, ReadsConstants) {
  EXPECT_EQ(operands("IMAD R0, R0, c[0x0][0x28], R3"), "R0 R0 c0:40 R3");
  EXPECT_EQ(operands("FADD R9, R10, -c[0x0][0x648]"), "R9 R10 -c0:1608");
  EXPECT_EQ(operands("HADD2.F32 R13, -RZ, c[0x0] [0x168].H0_H0"), "R13 -RZ c0:360");
  EXPECT_EQ(operands("LDC R0, c[0x3][R2+0x160]"), "R0 c3:352 [R2]");
  EXPECT_EQ(operands("LDC R0, cx[UR4][0x10]"), "R0 [UR4] [#16]");
  EXPECT_EQ(operands("DADD R0, R2, c[`(_Z4kernv.const2.0.8)]"), "R0 R2 special");
}

TEST(SassText, KeepsWhatHasNoPlaceOfItsOwn) {
  EXPECT_EQ(operands("S2R R0, SR_TID.X"), "R0 special");
  EXPECT_EQ(operands("DEPBAR.LE SB0, 0x0, {4,3,2,1}"), "special #0 special");
  EXPECT_EQ(operands("WARPGROUP.DEPBAR.LE gsb0, 0x1"), "special #1");
  EXPECT_EQ(operands("P2R R19, PR, RZ, 0x1"), "R19 special RZ #1");
  EXPECT_EQ(operands("TEX.LL RZ, R4, R4, R10, 0x0, 2D, 0x3"), "RZ R4 R4 R10 #0 special #3");
  EXPECT_EQ(operands("IADD3 R0, R256, P8, R12345"), "R0 special special special");
}

TEST(SassText, TellsTargetsFromNumbers) {
  const auto target = [](std::string_view text) { return Parsed(text).instruction().target; };
  EXPECT_EQ(target("BRA 0xf0"), 0xf0U);
  EXPECT_EQ(operands("BRA 0xf0"), "->240");
  EXPECT_EQ(target("BRA.U !UP0, 0x120"), 0x120U);
  EXPECT_EQ(target("BRA.DIV ~URZ, 0x20d0"), 0x20d0U);
  EXPECT_EQ(target("BSSY.RECONVERGENT B0, 0x40100"), 0x40100U);
  EXPECT_EQ(target("CALL.REL.NOINC 0x1240"), 0x1240U);
  EXPECT_EQ(target("WARPSYNC.COLLECTIVE R5, 0x300"), 0x300U);
  // An offset to a register, a mask, addresses of the whole program.
  EXPECT_EQ(target("RET.REL.NODEC R8 0x0"), Instruction::kNone);
  EXPECT_EQ(target("CALL.REL.NOINC R8 0x0"), Instruction::kNone);
  EXPECT_EQ(target("BRX R10 -0x25a0"), Instruction::kNone);
  EXPECT_EQ(operands("BRX R10 -0x25a0"), "R10 #-9632");
  EXPECT_EQ(target("WARPSYNC 0xffffffff"), Instruction::kNone);
  EXPECT_EQ(target("CALL.ABS.NOINC 0x7f0012345670"), Instruction::kNone);
  EXPECT_EQ(target("BRA 0x7f0012345670"), Instruction::kNone);
}

std::string label(const Parsed& parsed, std::size_t index) {
  const LabelUse& use = parsed.labels.at(index);
  return parsed.function.text.substr(use.first_char, use.size);
}

TEST(SassText, RemembersLabels) {
  const Parsed branch("@P0 BRA P1, `(.L_x_2)");
  ASSERT_EQ(branch.labels.size(), 1U);
  EXPECT_EQ(label(branch, 0), ".L_x_2");
  EXPECT_EQ(branch.labels[0].kind, LabelUse::Kind::kBranch);
  EXPECT_EQ(branch.labels[0].operand, 1U);

  const Parsed call("CALL.REL.NOINC `($__internal_0_$__cuda_sm20_rem_u64)");
  EXPECT_EQ(label(call, 0), "$__internal_0_$__cuda_sm20_rem_u64");
  EXPECT_EQ(call.labels[0].kind, LabelUse::Kind::kCall);
  EXPECT_EQ(Parsed("RET.REL.NODEC R4 `(k)").labels.at(0).kind, LabelUse::Kind::kOperand);

  const Parsed table("BRX R2 -0xb80 (*\"BRANCH_TARGETS .L_x_1, .L_x_2,.L_x_3\"*)");
  ASSERT_EQ(table.labels.size(), 3U);
  EXPECT_EQ(label(table, 1), ".L_x_2");
  EXPECT_EQ(label(table, 2), ".L_x_3");
  EXPECT_EQ(table.labels[2].kind, LabelUse::Kind::kTable);
  EXPECT_EQ(table.instruction().operand_count, 2);
}

TEST(SassText, LeavesSchedulesOut) {
  const Parsed parsed("IADD.64 R6, R4, R6                  &req={1} &wr=0x2   ?trans2");
  EXPECT_EQ(parsed.function.text_of(parsed.instruction()), "IADD.64 R6, R4, R6");
  EXPECT_EQ(parsed.instruction().operand_count, 3);
  EXPECT_EQ(Parsed("NOP &req={1}").opcode(), "NOP");
}

TEST(SassText, RefusesWhatIsNoInstruction) {
  for (const char* text : {"", "   ", "@P0", "@ NOP", "@R0 NOP", "@P9 NOP", "@P0x NOP", ".byte 0x1",
                           "{ IADD R0, R1, R2", "hello"}) {
    const Parsed parsed(text);
    EXPECT_EQ(parsed.status, SassText::Parsed::kNotAnInstruction) << text;
    EXPECT_TRUE(parsed.function.instructions.empty()) << text;
  }
}

TEST(SassText, StandsCutAndSenselessOperands) {
  for (const char* text : {"LDG.E R4, desc[UR4][R2.64+0x",
                           "LDG.E R4, desc[",
                           "LDG.E R4, [",
                           "LDC R1, c[",
                           "LDC R1, c[0x0]",
                           "LDC R1, c[0x0][",
                           "BRA `(",
                           "BRA `",
                           "BRA `(.L_x",
                           "BRX R2 (*\"BRANCH_TARGETS",
                           "BRX R2 (",
                           "BRX R2 (*\"BRANCH_TARGETS .L_x_1",
                           "DEPBAR {4,",
                           "MOV R1, -",
                           "MOV R1, |",
                           "MOV R1, 0x",
                           "MOV R1, 32@lo((",
                           "MOV ,,,",
                           "MOV R1, ]]]",
                           "MOV \"",
                           "MOV R1.",
                           "MOV R"}) {
    EXPECT_EQ(Parsed(text).status, SassText::Parsed::kWell) << text;
  }
}

TEST(SassText, KeepsAsManyOperandsAsFit) {
  std::string text = "MOV R0";
  for (int i = 0; i < 400; ++i) text += ", R1";
  const Parsed parsed(text);
  EXPECT_EQ(parsed.status, SassText::Parsed::kTooManyOperands);
  EXPECT_EQ(parsed.function.operands_of(parsed.instruction()).size(), SassText::kMaxOperands);
}

TEST(SassText, CutsTheTextThatDoesNotFit) {
  const Parsed parsed("BRA `(" + std::string(70'000, 'x') + ")");
  EXPECT_EQ(parsed.instruction().text_size, 65'535);
  EXPECT_EQ(label(parsed, 0).size(), 70'000U);
}

TEST(SassText, KnowsManyOpcodesApart) {
  OpcodeNames opcodes;
  SassText text(opcodes);
  CodeFunction function;
  std::vector<LabelUse> labels;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 5'000; ++i) text.append(fmt::format("OP{}.E", i), function, labels);
  }
  for (std::size_t i = 0; i < 10'000; ++i) {
    ASSERT_EQ(opcodes[function.instructions[i].opcode], fmt::format("OP{}.E", i % 5'000));
  }
}

TEST(SassText, ReadsAddressesAndEncodings) {
  std::string_view line = "/*40100*/ NOP;";
  EXPECT_EQ(take_address(line), 0x40100U);
  EXPECT_EQ(line, " NOP;");
  for (std::string_view bad : {"/*10*/", "/*00 */", "/*0010", "/*0010*", "/* 0x0010 */", "0010",
                               "/*00000000000000010*/"}) {
    EXPECT_EQ(take_address(bad), std::nullopt) << bad;
  }
  EXPECT_EQ(parse_encoding("/* 0x000fe20000000800 */"), 0x000fe20000000800U);
  for (const char* bad : {"/* 0x000fe2000000080 */", "/* 0x000fe20000000800", "/*0x*/", ""}) {
    EXPECT_EQ(parse_encoding(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace proofline::sass_text_test

// SPDX-License-Identifier: Apache-2.0
//
// Encodings with what NVIDIA's disassembler prints for them.
#include "arch/sass_decoder.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <random>
#include <string>
#include <string_view>

namespace proofline::sass_decoder_test {
namespace {

// As the disassembler does, but with every register of an address in its own brackets, numbers in
// decimal, and special registers by number: "-R4", "!UP0", "c[0][352]", "[R2.64+16]".
std::string to_text(const Operand& operand) {
  const auto named = [&](const char* file, std::uint16_t rest, const char* rest_name) {
    return file + (operand.index == rest ? rest_name : std::to_string(operand.index));
  };
  std::string text;
  switch (operand.kind) {
    case OperandKind::kRegister: text = named("R", Operand::kZero, "Z"); break;
    case OperandKind::kUniformRegister: text = named("UR", Operand::kZero, "Z"); break;
    case OperandKind::kPredicate: text = named("P", Operand::kTrue, "T"); break;
    case OperandKind::kUniformPredicate: text = named("UP", Operand::kTrue, "T"); break;
    case OperandKind::kImmediate: text = std::to_string(operand.value); break;
    case OperandKind::kConstant:
      text = "c[" + std::to_string(operand.index) + "][" + std::to_string(operand.value) + "]";
      break;
    case OperandKind::kTarget: text = "->" + std::to_string(operand.value); break;
    case OperandKind::kBarrier: text = "B" + std::to_string(operand.index); break;
    case OperandKind::kSpecial: text = "SR" + std::to_string(operand.index); break;
    case OperandKind::kRelocated: text = "relocated"; break;
  }
  if (operand.count == 2) text += ".64";
  if (operand.negated) text = (text.find('P') == std::string::npos ? "-" : "!") + text;
  if (operand.use != OperandUse::kAddress) return text;
  if (operand.value > 0) text += "+" + std::to_string(operand.value);
  if (operand.value < 0) text += std::to_string(operand.value);
  return "[" + text + "]";
}

std::string guard_text(const Guard& guard) {
  if (guard.always()) return "";
  return std::string(guard.negated ? "@!" : "@") + (guard.uniform ? "UP" : "P") +
         (guard.index == Operand::kTrue ? "T " : std::to_string(guard.index) + " ");
}

std::string to_text(const DecodedInstruction& instruction) {
  std::string text = guard_text(instruction.guard) + instruction.opcode;
  for (const Operand& operand : instruction.operands) text += " " + to_text(operand);
  return text;
}

DecodedInstruction decode(std::string_view arch, Encoding encoding, std::uint64_t address = 0) {
  DecodedInstruction instruction;
  const auto decoder = SassDecoder::for_arch(arch);
  EXPECT_TRUE(decoder.has_value()) << arch;
  if (decoder) decoder->decode(encoding, address, instruction);
  return instruction;
}

std::string operands_text(std::string_view arch, Encoding encoding, std::uint64_t address = 0) {
  std::string text;
  const auto decoder = SassDecoder::for_arch(arch);
  EXPECT_TRUE(decoder.has_value()) << arch;
  if (decoder) {
    EXPECT_TRUE(decoder->write_operands(encoding, address, text)) << text;
  }
  return text;
}

struct Known {
  const char* arch;
  Encoding encoding;
  const char* text;
};

std::ostream& operator<<(std::ostream& out, const Known& known) {
  return out << known.arch << " " << known.text;
}

class KnownInstruction : public testing::TestWithParam<Known> {};

TEST_P(KnownInstruction, IsDecodedAsPrinted) {
  const DecodedInstruction instruction = decode(GetParam().arch, GetParam().encoding);
  const std::string operands = operands_text(GetParam().arch, GetParam().encoding);
  EXPECT_EQ(
      guard_text(instruction.guard) + instruction.opcode + (operands.empty() ? "" : " ") + operands,
      GetParam().text);
  EXPECT_TRUE(instruction.all_modifiers);
}

INSTANTIATE_TEST_SUITE_P(
    Ampere, KnownInstruction,
    testing::Values(
        Known{
            "sm_80", {0x00000006282c7981, 0x000f68000c1e9d00}, "LDG.E.128.CONSTANT R44, [R40.64]"},
        Known{"sm_80", {0x0000000c10007986, 0x0001e2000c101b04}, "STG.E.64 [R16.64], R12"},
        Known{"sm_80", {0x00d000ffc2000388, 0x0009e80000000c00}, "@P0 STS.128 [R194+0xd000], RZ"},
        Known{"sm_80", {0x0044200074058984, 0x000e620000000400}, "@!P0 LDS.U16 R5, [R116+0x4420]"},
        Known{"sm_80",
              {0x01500000c9b0783b, 0x000fe80000004200},
              "LDSM.16.MT88.4 R176, [R201+0x15000]"},
        Known{"sm_80",
              {0x000000868020723c, 0x080fe20000041820},
              "HMMA.16816.F32.BF16 R32, R128, R134.reuse, R32"},
        Known{"sm_80",
              {0x0000000002047237, 0x010fe60000405404},
              "IMMA.16816.S8.S8 R4, R2.ROW, R0.COL, R4"},
        Known{"sm_80",
              {0x000000070f098290, 0x000fe20008ffe43f},
              "@!UP0 UIADD3.X UR9, UR15, UR7, URZ, UP1, !UPT"},
        Known{"sm_80",
              {0x0000000b0900720c, 0x000fda0003f06100},
              "ISETP.GE.U32.AND.EX P0, PT, R9, R11, PT, P0"},
        Known{"sm_80", {0x00000000001a7919, 0x000ea60000002100}, "S2R R26, SR_TID.X"},
        Known{"sm_80", {0x00006200000d7a02, 0x000fe20000000f00}, "MOV R13, c[0x0][0x188]"},
        Known{"sm_80", {0x000000231c298223, 0x000fe20000000829}, "@!P0 FFMA R41, R28, R35, -R41"},
        Known{"sm_80", {0x000000ffff027224, 0x000fe200078e001e}, "IMAD.MOV.U32 R2, RZ, RZ, R30"},
        Known{"sm_80", {0x000000400a0a7824, 0x000fca00078e00ff}, "IMAD.SHL.U32 R10, R10, 0x40, RZ"},
        Known{"sm_80", {0x0000000104057824, 0x000fe200078e0a0b}, "IMAD.IADD R5, R4, 0x1, -R11"},
        Known{"sm_80",
              {0x000000080b0a7225, 0x000fe2000780000a},
              "IMAD.WIDE.U32 R10, P0, R11, R8, R10"},
        Known{"sm_80",
              {0x0880008014cbbfae, 0x0005e8000b901d46},
              "@!P3 LDGSTS.E.BYPASS.LTC128B.128 [R203+0x8800], [R20.64+0x80]"},
        Known{"sm_80",
              {0x000000080600738b, 0x000ea400001f4109},
              "ATOM.E.CAS.STRONG.SYS PT, R0, [R6], R8, R9"},
        Known{"sm_80", {0x0002502601007387, 0x0001e20000100a00}, "STL.64 [R1+0x250], R38"},
        Known{
            "sm_80", {0x3e800000ff097435, 0x000fe200000001ff}, "HFMA2.MMA R9, -RZ, RZ, 1.625, 0"}));

INSTANTIATE_TEST_SUITE_P(Turing, KnownInstruction,
                         testing::Values(Known{"sm_75",
                                               {0x00008000040a7381, 0x000f2200001feb00},
                                               "LDG.E.64.MMIO.SYS R10, [R4+0x80]"}));

// What sm_86 and sm_89 have beyond sm_80, or call otherwise.
INSTANTIATE_TEST_SUITE_P(
    AmpereAndAda, KnownInstruction,
    testing::Values(
        Known{"sm_86", {0x00000007000b7245, 0x010fe2000020d400}, "I2FP.F32.S32.RZ R11, R7"},
        Known{"sm_86", {0x000000060717723e, 0x000fc600000000ff}, "F2FP.PACK_AB R23, R7, R6"},
        Known{
            "sm_89", {0x000000060717723e, 0x000fc600000000ff}, "F2FP.F16.F32.PACK_AB R23, R7, R6"},
        Known{"sm_89",
              {0x000000c4c2c2727a, 0x000fee0000000406},
              "QMMA.16816.F16.E4M3.E4M3 R194, R194.ROW, R196.COL, R6"}));

INSTANTIATE_TEST_SUITE_P(
    Hopper, KnownInstruction,
    testing::Values(
        Known{"sm_90", {0x0000002404167981, 0x000162000c1e1100}, "LDG.E.U8 R22, desc[UR36][R4.64]"},
        Known{"sm_90",
              {0x012000040002783b, 0x000e680008000100},
              "LDSM.16.M88.2 R2, [R0+UR4+0x12000]"},
        Known{"sm_90", {0x0000000212167897, 0x000fe4000fffe03f}, "UIADD3.64 UR22, UR18, 0x2, URZ"},
        Known{"sm_90", {0x8000000c06087297, 0x000fe4000fffe03f}, "UIADD3.64 UR8, UR6, -UR12, URZ"},
        Known{"sm_90", {0x0000002c2b2b7287, 0x000fe4000d000000}, "USEL UR43, UR43, UR44, !UP2"},
        Known{"sm_90",
              {0x00005004ff0075a7, 0x0002a20008000166},
              "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR38+0x50], R4"},
        Known{"sm_90",
              {0x0000000302ff99a7, 0x0003e2000800043f},
              "@!P1 SYNCS.ARRIVE.TRANS64.RED RZ, [R2+URZ], R3"},
        Known{"sm_90",
              {0x00001e10060073b4, 0x0005e40008009814},
              "UTMALDG.2D.MULTICAST [UR16], [UR6], UR20, desc[UR30]"},
        Known{"sm_90", {0x000000040c0073b5, 0x0003e20008010000}, "UTMASTG.3D [UR4], [UR12]"},
        Known{"sm_90",
              {0x01e00000041879f0, 0x000fe2000b801818},
              "HGMMA.64x128x16.F32.BF16 R24, gdesc[UR4], R24, UP0, gsb0"},
        Known{"sm_90",
              {0x03e00000101879f3, 0x000fe2000c7008ff},
              "QGMMA.64x256x32.F32.E4M3.E4M3 R24, gdesc[UR16], RZ, !UPT"},
        Known{"sm_90",
              {0x000000000000781c, 0x000fda0003f0f008},
              "PLOP3.LUT P0, PT, PT, PT, UP0, 0x80, 0x0"},
        Known{"sm_90", {0x0000dc0000067ab9, 0x000fc60000000a00}, "ULDC.64 UR6, c[0x0][0x370]"},
        Known{"sm_90",
              {0x000000191a1f723e, 0x000fe400000010ff},
              "F2FP.BF16.F32.PACK_AB R31, R26, R25"},
        Known{"sm_90", {0x00000008050073ba, 0x0001e40008000604}, "UBLKCP.S.S [UR8], [UR5], UR4"},
        Known{"sm_90", {0x00000000000079c5, 0x000fe20000000000}, "WARPGROUP.ARRIVE"},
        Known{"sm_100",
              {0x00003c0006ff7f8c, 0x0001e4000d8000ff},
              "ATOMS.POPC.INC.32 RZ, [R6+URZ+0x3c]"},
        Known{"sm_103", {0x0000000006ff7f8c, 0x0001f6000d8000ff}, "ATOMS.POPC.INC.32 RZ, [R6+URZ]"},
        Known{"sm_90", {0x00008000000079c5, 0x000fc60000010600}, "WARPGROUP.DEPBAR.LE gsb0, 0x6"},
        Known{"sm_90", {0x0000001c04007844, 0x0003e20000000200}, "STSM.16.M88.4 [R4], R28"},
        Known{"sm_90", {0xfffffe0006287984, 0x000ee40000000800}, "LDS R40, [R6+-0x2]"}));

INSTANTIATE_TEST_SUITE_P(
    Blackwell, KnownInstruction,
    testing::Values(
        Known{"sm_100",
              {0xfe0000241c1c797e, 0x000f680008121920},
              "LDG.E.ENL2.256 R32, R28, desc[UR36][R28.64]"},
        Known{"sm_100",
              {0xf800010c1410797f, 0x0143e2000f121812},
              "STG.E.ENL2.256 desc[UR18][R20.64+0x20], R12, R16"},
        Known{"sm_100",
              {0x00ff1a2a260075ea, 0x0005e2000ba0000a},
              "UTCHMMA.2CTA gdesc[UR38], gdesc[UR42], tmem[UR10], tmem[UR26], idesc[UR27], UPT"},
        Known{"sm_100",
              {0x003822140e007dea, 0x0005e2000ba00316},
              "UTCQMMA.2CTA gdesc[UR14], gdesc[UR20], tmem[UR22], tmem[UR34], idesc[UR35], "
              "tmem[UR56], UPT"},
        Known{"sm_100", {0x0000a00c000479ee, 0x000e6400082c0000}, "LDTM.x32 R4, tmem[UR12+0xa0]"},
        Known{"sm_100", {0x00000000000079ed, 0x002fe20008040004}, "STTM tmem[UR4], R0"},
        Known{"sm_100",
              {0x00010022190079e7, 0x0007e20009100000},
              "UTCCP.T.S.4x32dp128bit tmem[UR25+0x100], gdesc[UR34]"},
        Known{"sm_100",
              {0x00002e28260073b4, 0x0003e20008211817},
              "UTMALDG.3D.MULTICAST.2CTA [UR40], [UR38], UR23, desc[UR46]"},
        Known{"sm_100", {0x00000004ff037984, 0x000ea40008000400}, "LDS.U16 R3, [UR4]"},
        Known{"sm_100", {0x01002d00ff0477ac, 0x000ea20008000a00}, "LDCU.64 UR4, c[0x4][0x168]"},
        Known{"sm_100", {0x000000000a0c7229, 0x000fcc0000000824}, "DADD R12, R10, -R36"},
        Known{"sm_100",
              {0x00000005000575e3, 0x000e640008000800},
              "UTCATOMSWS.FIND_AND_SET.ALIGN UP0, UR5, UR5"},
        Known{"sm_100", {0x0000c00001147983, 0x020f620000300c00}, "LDL.LU.128 R20, [R1+0xc0]"}));

INSTANTIATE_TEST_SUITE_P(
    ConsumerBlackwell, KnownInstruction,
    testing::Values(
        Known{"sm_120",
              {0x0020000000128402, 0x000fe400007ff800},
              "@!P0 MOV.64 R18, 0x7ff8000020000000"},
        Known{"sm_120",
              {0x000000bab8b8727a, 0x000fd00000000406},
              "QMMA.16816.F16.E4M3.E4M3 R184, R184, R186, R6"},
        Known{"sm_120",
              {0x000000ff0600720c, 0x000fdc0003f32270},
              "ISETP.EQ.S64.AND P1, PT, R6, RZ, PT"},
        Known{"sm_120", {0x0000001808187235, 0x000fcc00078e0200}, "IADD.64 R24, R8, R24"},
        Known{
            "sm_120", {0x00000004160c7981, 0x000ea8000c1e1d00}, "LDG.E.128 R12, desc[UR4][R22.64]"},
        Known{"sm_120", {0x0000000018047254, 0x000fcc0008000018}, "UFADD UR4, UR24, UR24"},
        Known{"sm_120",
              {0x0000000310007986, 0x0003e2000c101124},
              "STG.E.U8 desc[UR36][R16.64], R3"}));

struct Branch {
  const char* arch;
  Encoding encoding;
  std::uint64_t address;
  const char* opcode;
  std::uint64_t target;
};

class KnownBranch : public testing::TestWithParam<Branch> {};

TEST_P(KnownBranch, HasItsTarget) {
  const Branch& branch = GetParam();
  const DecodedInstruction instruction = decode(branch.arch, branch.encoding, branch.address);
  EXPECT_EQ(instruction.opcode, branch.opcode);
  EXPECT_EQ(instruction.target, branch.target);
}

std::ostream& operator<<(std::ostream& out, const Branch& branch) {
  return out << branch.arch << " " << branch.opcode;
}

INSTANTIATE_TEST_SUITE_P(
    All, KnownBranch,
    testing::Values(
        Branch{"sm_80", {0x000000d00000a947, 0x000fea0003800000}, 0x6df0, "BRA", 0x6ed0},
        Branch{"sm_80", {0x0000028000007945, 0x000fe60003800000}, 0x2460, "BSSY", 0x26f0},
        Branch{"sm_80", {0x000003c000007944, 0x000fea0003c00000}, 0xa260, "CALL.REL.NOINC", 0xa630},
        Branch{"sm_90", {0x00000004000c7947, 0x000fea0003800000}, 0x7f30, "BRA", 0x8370},
        Branch{"sm_90", {0x000000d000017945, 0x000fe80003800000}, 0x85a0, "BSSY", 0x8680},
        Branch{
            "sm_90", {0x0000002400347944, 0x000fea0003c00000}, 0xff20, "CALL.REL.NOINC", 0x12400},
        Branch{"sm_100", {0xfffffffc00ec8947, 0x008fea000383ffff}, 0xa440, "BRA", 0xa400},
        Branch{"sm_100", {0xffffffed00c87547, 0x000fec000b93ffff}, 0xf890, "BRA.U.ANY", 0xe7c0},
        Branch{
            "sm_100", {0x00012c1000007945, 0x000fe20003800100}, 0xc2c0, "BSSY.RELIABLE", 0x1eee0},
        Branch{"sm_100", {0x000000ec00a07944, 0x000fea0003c00000}, 0xdc0, "CALL.REL.NOINC", 0xfc50},
        Branch{"sm_120", {0x0000000000908947, 0x000fea0003800000}, 0xb880, "BRA", 0xbad0},
        Branch{"sm_120", {0x000000c000007945, 0x000ff00003800000}, 0x52d0, "BSSY", 0x53a0},
        Branch{
            "sm_120", {0x0000004400707944, 0x000fea0003c00000}, 0x4f0, "CALL.REL.NOINC", 0x4ac0}));

// Encodings that no compiler made, as nvdisasm 13.0 reads them.
INSTANTIATE_TEST_SUITE_P(
    Made, KnownInstruction,
    testing::Values(
        Known{"sm_90",
              {0x0004c0042c6a7981, 0x000fc2000c1e1d0f},
              "LDG.E.128 R106, desc[UR4][R44.64+0x4c0], !P0"},
        Known{"sm_90",
              {0x80009d0007057a23, 0x000fc26d5f820900},
              "FFMA R5, -R7, -cx[UR0][0x274], -R0"},
        Known{"sm_90",
              {0x3020000707007a31, 0x000fc20000040900},
              "HFMA2 R0, -R7.H0_H0, c[0x0] [-0x8000].H1_H1, R0.H0_H0"},
        Known{"sm_90", {0x000000060007fc40, 0x000fc2000c000100}, "@!PT HMNMX2 R7, -R0, UR6, !P0"},
        Known{
            "sm_80", {0x800000b928e47210, 0x000fc200006f4903}, "IADD3 R228, P6, -R40, -R185, -R3"},
        Known{"sm_80", {0x10000000ff0c7984, 0x000fc2c88c00f8cc}, "LDS R12, [RZ.X16+UR0+0x100000]"},
        Known{"sm_80", {0x0000000008007b1d, 0x000fc20000000800}, "BAR.SYNC 0x0"},
        Known{"sm_80", {0x000000ff06bf7224, 0x000fc200078e0abe}, "IMAD.MOV R191, R6, RZ, -R190"},
        Known{"sm_80",
              {0x00300040120b7dae, 0x000fc2000e001d4c},
              "LDGSTS.E.BYPASS.EF.LTC128B.128 [R11+UR12+0x300], [R18.64+0x40], !P4"},
        Known{"sm_120", {0x8000001614627235, 0x000fc26c52f72900}, "IADD R98, P3, -R20, -R22"},
        Known{"sm_90", {0xc4000400ffff7984, 0x000fc20000000400}, "LDS.U16 RZ, [0xc40004]"},
        Known{"sm_90", {0x0000000002057fae, 0x000fc3053b9209ff}, "LDGSTS.E.LTC256B [R5], [R2.64]"},
        Known{"sm_90",
              {0x8000001004367980, 0x000fc37856985a00},
              "LD.64.CONSTANT.CTA R54, [R4+-0x7ffffff0]"},
        Known{"sm_90", {0xffbff504ff057980, 0x000fc2bbb4960900}, "LD.E R5, [0xffbff504]"},
        Known{"sm_86",
              {0x8000000002ff7fae, 0x000fc2000c101c44},
              "LDGSTS.E.BYPASS.128 [-0x80000], [R2.64], !P0"},
        Known{"sm_86",
              {0x0000000002057dae, 0x000fc2200b92fc44},
              "LDGSTS.E.128.MMIO.CTA.PRIVATE [R5+UR4], desc[UR5][R2.64]"},
        Known{"sm_90",
              {0x0000006402c97848, 0x000fc280106df400},
              "VIMNMX.U32.RELU R201, P6, P6, R2, 0x64, P0"},
        Known{"sm_90",
              {0x91234b2453f37848, 0x000fc3ee668ea1c9},
              "VIMNMX R243, R83, -0x6edcb4dc, !P5"},
        Known{"sm_90", {0xef96780cffff7c24, 0x000fc2000f8e08a6}, "IMAD.U32 RZ, RZ, UR12, -R166"},
        Known{"sm_86",
              {0x000485a8c060723c, 0x000fc20003845a60},
              "HMMA.SP.16832.F32.BF16 R96, R192, R168, R96, UP0, R133.reuse, 0x0"},
        Known{"sm_100",
              {0x00000078005179ee, 0x000fc20008778000},
              "LDTM.16dp64bit.x64.PACK16BIT R81, tmem[UR120+-0x80000000]"},
        Known{"sm_100",
              {0x7e0000ff0478797e, 0x000fc2000810f9ff},
              "LDG.E.EFL2.256.STRONG.GPU RZ, R120, desc[URZ][R4.64], 0xbf"},
        Known{"sm_100",
              {0xc80001ff02ff797f, 0x000fc2e25f120204},
              "STG.E.ENL2.256 [R2.U32+UR4+0x20], RZ, RZ, 0xf9"},
        Known{"sm_100",
              {0x0000000c0200f897, 0x000fc2000e134d04},
              "@!UPT UIADD3.64.X UR0, UP1, UP1, ~UR2, 0xc, ~UR4, !UP4, !UP2"},
        Known{"sm_100", {0x000000fae5ff7c02, 0x000fc20008000bff}, "MOV RZ, UR250, 0xb"},
        Known{"sm_100",
              {0x800000c2ff3f7431, 0x000fc351b1a001f7},
              "HFMA2.BF16_V2 R63, -RZ, R247, -0.0 , 1.7816086254650295043e-38"},
        Known{"sm_100",
              {0xf21b9f3f23057c09, 0x000fc2000f850300},
              "FMNMX.FTZ.XORSIGN R5, -|R35|, -|UR63|, !PT"},
        Known{"sm_100", {0x0000000010ff794e, 0x000fc200000000ff}, "LEPC RZ, 0xff0000000020"},
        Known{
            "sm_103", {0x000000090000731d, 0x000fc20000010000}, "BAR.SYNC.DEFER_BLOCKING R9, R9"}));

// As nvdisasm 13.0 prints these encodings: [@guard] BRA.U [!]UPn.
TEST(SassDecoder, ReadsTheUniformPredicateOfABranch) {
  struct Case {
    std::uint64_t low;
    std::uint64_t high;
    std::string_view opcode;
    std::uint16_t predicate;
    bool negated;
  };
  const Case cases[] = {
      {0x0000010100007547, 0x000fea000b800000, "BRA.U", 0, false},
      {0x0000010108007547, 0x000fea000b800000, "BRA.U", 0, true},
      {0x0000010109000547, 0x000fea000b800000, "BRA.U", 1, true},
      {0x0000010107008547, 0x000fea000b800000, "BRA.U", Operand::kTrue, false},
  };
  for (const char* arch : {"sm_80", "sm_90", "sm_100", "sm_120"}) {
    for (const Case& one : cases) {
      const DecodedInstruction read = decode(arch, {one.low, one.high}, 0);
      EXPECT_EQ(read.opcode, one.opcode) << arch;
      EXPECT_TRUE(read.all_modifiers) << arch;
      EXPECT_EQ(read.target, arch == std::string_view("sm_80") ? 0x110U : 0x10010U) << arch;
      ASSERT_EQ(read.operands.size(), 2U) << arch;
      EXPECT_EQ(read.operands[0].kind, OperandKind::kUniformPredicate);
      EXPECT_EQ(read.operands[0].index, one.predicate);
      EXPECT_EQ(read.operands[0].negated, one.negated);
    }
  }
  EXPECT_EQ(decode("sm_90", {0x0000010100007547, 0x000fea000b900000}, 0).opcode, "BRA.U.ANY");
}

TEST(SassDecoder, KnowsFamiliesAndNothingElse) {
  for (const char* arch : {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100a",
                           "sm_100f", "sm_103a", "sm_120", "sm_121a"}) {
    EXPECT_TRUE(SassDecoder::for_arch(arch).has_value()) << arch;
  }
  for (const std::string& arch : SassDecoder::archs()) {
    EXPECT_TRUE(SassDecoder::for_arch(arch).has_value()) << arch;
  }
  for (const char* arch : {"", "sm_", "sm_61", "sm_70", "sm_9", "sm_900", "compute_90", "gfx942"}) {
    EXPECT_FALSE(SassDecoder::for_arch(arch).has_value()) << arch;
  }
}

TEST(SassDecoder, AnUnseenNumberHasAGuardAndNoName) {
  const DecodedInstruction instruction = decode("sm_90", {0x9000, 0});
  EXPECT_EQ(instruction.opcode, "");
  EXPECT_FALSE(instruction.all_modifiers);
  EXPECT_TRUE(instruction.operands.empty());
  EXPECT_FALSE(instruction.target.has_value());
  EXPECT_EQ(instruction.guard, (Guard{1, true, false}));
}

TEST(SassDecoder, AnUnseenValueLeavesThatModifierOut) {
  // LDG.E with the one value of the size field that no instruction has.
  const Encoding wide{0x0000200c0c0c7981, 0x000f22000c1e9d00};
  const DecodedInstruction known = decode("sm_90", wide);
  EXPECT_EQ(known.opcode, "LDG.E.128.CONSTANT");
  const DecodedInstruction unknown = decode("sm_90", {wide.low, wide.high | 1U << 9});
  EXPECT_FALSE(unknown.all_modifiers);
  EXPECT_TRUE(unknown.opcode.starts_with("LDG.E")) << unknown.opcode;
  EXPECT_EQ(unknown.opcode.find("128"), std::string::npos) << unknown.opcode;
}

TEST(SassDecoder, ABitThatNoInstructionHasIsSaid) {
  // NOP, and NOP with a modifier's bit.
  EXPECT_TRUE(decode("sm_90", {0x7918, 0x000fc00000000000}).all_modifiers);
  const DecodedInstruction odd = decode("sm_90", {0x7918, 0x000fc00000000000 | 1U << 20});
  EXPECT_EQ(odd.opcode, "NOP");
  EXPECT_FALSE(odd.all_modifiers);
  EXPECT_FALSE(odd.all_operands);
}

TEST(SassDecoder, OperandsAreThoseOfTheText) {
  EXPECT_EQ(to_text(decode("sm_90", {0x000000090600798a | 1ULL << 40, 0x000ea800081f43c4})),
            "ATOM.E.ADD.S32.STRONG.SYS PT R0 [UR4] [R6.64+1] R9");
  EXPECT_EQ(to_text(decode("sm_90", {0x00000004090a7824, 0x000fe200078e00ff})),
            "IMAD.SHL.U32 R10 R9 4 RZ");
}

TEST(SassDecoder, NumbersAreWrittenAsNvdisasmWritesThem) {
  // FADD R0, R0, with other numbers in its upper half.
  const auto number = [](std::uint64_t bits) {
    const std::string text =
        operands_text("sm_90", {0x0000000000007421 | bits << 32, 0x000fe20000010000});
    return text.substr(text.rfind(' ') + 1);
  };
  EXPECT_EQ(number(0x3f800000), "1");
  EXPECT_EQ(number(0x3dcccccd), "0.10000000149011611938");
  EXPECT_EQ(number(0x4b400001), "12582913");
  EXPECT_EQ(number(0xff7fffff), "-3.40282346638528859812e+38");
  EXPECT_EQ(number(0x7f800000), "+INF");
  EXPECT_EQ(number(0xffc00000), "-QNAN");
  // A word has a blank after it where a comma follows.
  EXPECT_EQ(operands_text("sm_90", {0xff80000081ba7808, 0x000fca0004800000}),
            "R186, R129, -INF , !P1");
  // Two halves; the upper half of a double.
  EXPECT_EQ(operands_text("sm_90", {0x3bbb989dff007435, 0x000fe200000001ff}),
            "R0, -RZ, RZ, 0.96630859375, -0.0022525787353515625");
  EXPECT_EQ(operands_text("sm_90", {0xc33800004c3c7429, 0x000fd00000000000}),
            "R60, R76, -6.75539944105574400000e+15");
}

TEST(SassDecoder, EachOperandHasItsOwnHalves) {
  // The second operand's are bits 60 and 61, the first one's 74 and 75.
  constexpr std::uint64_t kMultiply = 0x0000002434187232;
  EXPECT_EQ(operands_text("sm_90", {kMultiply, 0x008fe40000000800}), "R24, R52.H0_H0, R36");
  EXPECT_EQ(operands_text("sm_90", {kMultiply | 1ULL << 61, 0x008fe40000000800}),
            "R24, R52.H0_H0, R36.H0_H0");
}

TEST(SassDecoder, AnAddressMayBeAUniformRegister) {
  EXPECT_EQ(operands_text("sm_90", {0x000008ffff007987, 0x000fe80008100a0a}), "[UR10+0x8], RZ");
  EXPECT_EQ(operands_text("sm_100", {0x00000013ff287983, 0x002ea80008100c00}), "R40, [UR19]");
}

TEST(SassDecoder, OperandsThatNoSampleToldAreNotKnown) {
  const Encoding move{0x0000003f00007957, 0x080fc20000000000};  // BMOV.64 of a word
  EXPECT_EQ(operands_text("sm_90", move), "...");
  EXPECT_TRUE(decode("sm_90", move).all_modifiers);
  EXPECT_FALSE(decode("sm_90", move).all_operands);
  const Encoding nothing{0x0000000000007918, 0x000fc00000000000};
  EXPECT_EQ(operands_text("sm_100", nothing), "");
  EXPECT_TRUE(decode("sm_100", nothing).all_operands);
}

// As nvdisasm 13.0 reads encodings with one bit or register changed.
TEST(SassDecoder, AMultiplicationThatIsNoneHasAnotherName) {
  const auto name = [](std::uint64_t low, std::uint64_t high) {
    return decode("sm_80", {low, high}).opcode;
  };
  EXPECT_EQ(name(0x000000ff06bf7224, 0x000fc200078e0abe), "IMAD.MOV");      // R6, RZ, -R190
  EXPECT_EQ(name(0x000000c1ff0a7224, 0x000fc3cd6080a967), "IMAD.MOV.U32");  // RZ, R193, -R103
  EXPECT_EQ(name(0x000000100f2d7824, 0x000fc200078e02ff), "IMAD.SHL");      // R15, 0x10, RZ
  EXPECT_EQ(name(0x0000000104057824, 0x000fe200078e0a0b), "IMAD.IADD");     // R4, 0x1, -R11
  EXPECT_EQ(name(0x8000000cff320e24, 0x000fe2000f8e02ff), "IMAD");          // RZ, RZ, -UR12
}

TEST(SassDecoder, WhatIsKeptForReuseIsSaid) {
  EXPECT_EQ(operands_text("sm_90", {0x000000121f069221, 0x100fe20000000000}), "R6, R31, R18.reuse");
  EXPECT_EQ(operands_text("sm_90", {0x4000001a1800722a, 0x140fe20003f4d200}),
            "P2, PT, |R24|.reuse, |R26|.reuse, PT");
}

TEST(SassDecoder, ControlBitsDoNotMatter) {
  const Encoding encoding{0x0000000c10007986, 0x0001e2000c101b04};
  const std::string text = to_text(decode("sm_80", encoding));
  EXPECT_EQ(text, to_text(decode("sm_80", {encoding.low, encoding.high & ((1ULL << 41) - 1)})));
}

TEST(SassDecoder, TheSameMemoryServesEveryInstruction) {
  const auto decoder = SassDecoder::for_arch("sm_90");
  ASSERT_TRUE(decoder.has_value());
  DecodedInstruction instruction;
  decoder->decode({0x0000000000308947, 0x000fea0003800000}, 0x180, instruction);
  EXPECT_EQ(instruction.opcode, "BRA");
  EXPECT_EQ(instruction.target, 0x250U);
  decoder->decode({0x9000, 0}, 0x190, instruction);
  EXPECT_EQ(instruction.opcode, "");
  EXPECT_FALSE(instruction.target.has_value());
}

TEST(SassDecoder, AnyBitsGiveAResult) {
  std::mt19937_64 random(1);
  DecodedInstruction instruction;
  for (const char* arch : {"sm_80", "sm_90", "sm_100", "sm_120"}) {
    const auto decoder = SassDecoder::for_arch(arch);
    ASSERT_TRUE(decoder.has_value());
    for (std::uint32_t number = 0; number < 4096; ++number) {
      for (int i = 0; i < 20; ++i) {
        decoder->decode({(random() & ~0xfffULL) | number, random()}, random(), instruction);
        ASSERT_TRUE(!instruction.all_modifiers || !instruction.opcode.empty());
        std::string text;
        decoder->write_operands({(random() & ~0xfffULL) | number, random()}, random(), text);
        for (const Operand& operand : instruction.operands) {
          ASSERT_LE(operand.index, Operand::kZero);
        }
      }
    }
  }
}

}  // namespace
}  // namespace proofline::sass_decoder_test

// SPDX-License-Identifier: Apache-2.0
//
// The language of --expect and --forbid: what it takes, what it means, and what its errors say.
#include <gtest/gtest.h>

#include <string>

#include "analysis/sass/opcode_match.h"
#include "analysis/sass/pattern.h"

namespace proofline::sass_pattern_test {
namespace {

Pattern parsed(std::string_view text) {
  auto pattern = parse_pattern(text);
  EXPECT_TRUE(pattern) << (pattern ? "" : pattern.error().message);
  return pattern ? std::move(*pattern) : Pattern{};
}

std::string error_of(std::string_view text) {
  const auto pattern = parse_pattern(text);
  if (pattern) return "no error";
  EXPECT_EQ(pattern.error().kind, ErrorKind::kUsage);
  return pattern.error().message;
}

TEST(SassPattern, AnInstructionAloneMustBeThereOnce) {
  const Pattern pattern = parsed("HGMMA");
  const auto& claim = std::get<ValueClaim>(pattern.claim);
  EXPECT_EQ(claim.value.of.text, "HGMMA");
  EXPECT_TRUE(hold(claim.bounds, 1));
  EXPECT_FALSE(hold(claim.bounds, 0));
  EXPECT_EQ(pattern.place.kind, PatternPlace::Kind::kFunction);
  EXPECT_FALSE(pattern.after);
}

TEST(SassPattern, TakesCountsWidthsAndRatios) {
  const auto count = std::get<ValueClaim>(parsed("HGMMA>=8 in loop").claim);
  EXPECT_EQ(to_text(count.bounds), ">= 8");
  const auto more = std::get<ValueClaim>(parsed("HGMMA > 8").claim);
  EXPECT_FALSE(hold(more.bounds, 8));
  const auto width = std::get<WidthClaim>(parsed("STS width >= 16 in loop").claim);
  EXPECT_EQ(width.of.text, "STS");
  EXPECT_EQ(width.bounds[0].number, 16);
  const auto ratio = std::get<ValueClaim>(parsed("count(tensor)/count(all) >= 0.1").claim);
  EXPECT_EQ(ratio.value.of.names[0].instructions, InstructionClass::kTensor);
  EXPECT_EQ(ratio.divisor->of.names[0].kind, InstructionName::Kind::kAll);
  EXPECT_EQ(ratio.bounds[0].number, 0.1);
  const auto passes = std::get<ValueClaim>(parsed("passes(shared-store) <= 1").claim);
  EXPECT_EQ(passes.value.measure, ValueClaim::Term::Measure::kPasses);
}

TEST(SassPattern, TellsAnOrderFromAComparison) {
  const auto order = std::get<OrderClaim>(parsed("LDTM > FADD > F2FP > STG.E.*256").claim);
  ASSERT_EQ(order.steps.size(), 4U);
  EXPECT_EQ(order.steps[3].of.text, "STG.E.*256");
}

TEST(SassPattern, TakesPlaces) {
  using Kind = PatternPlace::Kind;
  EXPECT_EQ(parsed("STS in function").place.kind, Kind::kFunction);
  EXPECT_EQ(parsed("STS in loop").place.kind, Kind::kHotLoop);
  EXPECT_EQ(parsed("STS in any loop").place.kind, Kind::kAnyLoop);
  EXPECT_EQ(parsed("STS in every loop").place.kind, Kind::kEveryLoop);
  EXPECT_EQ(parsed("STS in loop 0xa30").place.address, 0xa30U);
  EXPECT_EQ(parsed("STS in loop 0a30").place.address, 0xa30U);
  const Pattern after = parsed("FENCE|WARPSYNC|UTMASTG after LDTM in loop");
  EXPECT_EQ(after.after->text, "LDTM");
  EXPECT_EQ(std::get<ValueClaim>(after.claim).value.of.names.size(), 3U);
}

TEST(SassPattern, TakesBoundsBeforeAndAfter) {
  const auto bounds = [](std::string_view text) {
    const Pattern pattern = parsed(text);
    const auto* width = std::get_if<WidthClaim>(&pattern.claim);
    return to_text(width != nullptr ? width->bounds : std::get<ValueClaim>(pattern.claim).bounds);
  };
  EXPECT_EQ(bounds("2 <= count(HGMMA)"), ">= 2");
  EXPECT_EQ(bounds("2 < HGMMA in loop"), "> 2");
  EXPECT_EQ(bounds("8 > HGMMA"), "< 8");
  EXPECT_EQ(bounds("8 = HGMMA"), "= 8");
  EXPECT_EQ(bounds("2 <= HGMMA <= 8"), ">= 2 and <= 8");
  EXPECT_EQ(bounds("16 <= STS width"), ">= 16");
  EXPECT_EQ(bounds("0.5 <= count(HGMMA)/count(tensor) <= 100%"), ">= 0.5 and <= 100%");
  EXPECT_TRUE(hold(std::get<ValueClaim>(parsed("2 <= HGMMA <= 8").claim).bounds, 8));
  EXPECT_FALSE(hold(std::get<ValueClaim>(parsed("2 <= HGMMA <= 8").claim).bounds, 9));
  EXPECT_NE(error_of("2 HGMMA").find("character 3: expected one of >= <= > < ="),
            std::string::npos);
  EXPECT_NE(error_of("2 <= HGMMA > STS").find("character 14: expected a number"),
            std::string::npos);
}

TEST(SassPattern, TakesSharesAndSizes) {
  const auto number = [](std::string_view text) {
    return std::get<ValueClaim>(parsed(text).claim).bounds[0].number;
  };
  EXPECT_EQ(number("active-lanes(all) >= 90%"), 0.9);
  EXPECT_EQ(number("predicated(FADD) <= 0.25"), 0.25);
  EXPECT_EQ(number("shared <= 48KiB"), 48 * 1024);
  EXPECT_EQ(number("shared <= 48 kib"), 48 * 1024);
  EXPECT_NE(error_of("useful-lanes(all) >= 90")
                .find("character 22: a share is 0 to 1; did you mean 90%?"),
            std::string::npos);
  EXPECT_NE(error_of("useful-lanes(all) >= 190%").find("a share is 0 to 1"), std::string::npos);
  EXPECT_NE(error_of("HGMMA >= 5%").find("character 10: % is for shares and ratios"),
            std::string::npos);
  EXPECT_NE(error_of("5KiB < registers").find("character 1: KiB is for bytes"), std::string::npos);
}

TEST(SassPattern, TakesValuesThatNoInstructionTells) {
  using Measure = ValueClaim::Term::Measure;
  const auto measure = [](std::string_view text) {
    return std::get<ValueClaim>(parsed(text).claim).value.measure;
  };
  EXPECT_EQ(measure("registers <= 64"), Measure::kRegisters);
  EXPECT_EQ(measure("live <= 64 in loop"), Measure::kLive);
  EXPECT_EQ(measure("Stack = 0"), Measure::kStack);
  EXPECT_EQ(measure("instructions <= 70 in role epilogue"), Measure::kCount);
  EXPECT_EQ(measure("unpaired-mbarriers = 0"), Measure::kUnpairedMbarriers);
  EXPECT_NE(error_of("register <= 64").find("did you mean registers"), std::string::npos);
  EXPECT_NE(error_of("registers").find("character 10: expected one of >="), std::string::npos);
  EXPECT_NE(error_of("roles = 3 in loop").find("character 1: roles can be told of whole functions"),
            std::string::npos);
  EXPECT_NE(error_of("registers <= 64 in loop").find("functions and roles"), std::string::npos);
  EXPECT_NE(error_of("count(all)/loops > 8 after STS").find("character 12: loops can be told of"),
            std::string::npos);
}

TEST(SassPattern, TakesRolesAndLoopsByWhatTheyHave) {
  using Kind = PatternPlace::Kind;
  const PatternPlace role = parsed("STG in role Epilogue").place;
  EXPECT_EQ(role.kind, Kind::kRole);
  EXPECT_EQ(role.role, RoleKind::kEpilogue);
  EXPECT_EQ(parsed("BAR in any role").place.kind, Kind::kAnyRole);
  EXPECT_EQ(parsed("BAR IN EVERY ROLE").place.kind, Kind::kEveryRole);
  const PatternPlace loop = parsed("STG in every loop with LDTM|LDG of role mma").place;
  EXPECT_EQ(loop.kind, Kind::kEveryLoop);
  EXPECT_EQ(loop.with->text, "LDTM|LDG");
  EXPECT_EQ(loop.role, RoleKind::kMma);
  EXPECT_NE(error_of("STG in role prologue")
                .find("character 13: expected a role: load, mma, epilogue or other"),
            std::string::npos);
  EXPECT_NE(error_of("STG in loop with").find("character 17: expected the name"),
            std::string::npos);
  EXPECT_NE(error_of("STG in loop of epilogue").find("character 16: expected \"role\""),
            std::string::npos);
  EXPECT_NE(error_of("STG in any thing").find("character 12: expected \"loop\" or \"role\""),
            std::string::npos);
}

TEST(SassPattern, TakesWhatStandsDirectlyBehind) {
  const auto order = std::get<OrderClaim>(parsed("LDS > HGMMA >> WARPGROUP.DEPBAR").claim);
  ASSERT_EQ(order.steps.size(), 3U);
  EXPECT_FALSE(order.steps[1].directly);
  EXPECT_TRUE(order.steps[2].directly);
  EXPECT_NE(error_of("HGMMA >> 2").find("character 10: expected the name"), std::string::npos);
  std::string row = "NOP";
  for (int i = 0; i < 8; ++i) row += " >> NOP";
  EXPECT_NE(error_of(row).find("at most 8 instructions can be directly behind one another"),
            std::string::npos);
}

TEST(SassPattern, SmallLettersAreClassesOrPtx) {
  const auto spill = std::get<ValueClaim>(parsed("spill").claim);
  EXPECT_EQ(spill.value.of.names[0].kind, InstructionName::Kind::kSpill);
  const Pattern ptx = parsed("wgmma.mma_async|QGMMA");
  EXPECT_EQ(std::get<ValueClaim>(ptx.claim).value.of.text, "HGMMA|QGMMA|IGMMA|BGMMA|QGMMA");
  ASSERT_EQ(ptx.remarks.size(), 1U);
  EXPECT_EQ(ptx.remarks[0].find("wgmma.mma_async is HGMMA|QGMMA|IGMMA|BGMMA in SASS"), 0U);
  EXPECT_TRUE(parsed("BAR.SYNC.DEFER_BLOCKING").remarks.empty());
}

// All the spellings of the two guides that greps of machine code find nothing for.
TEST(SassPattern, UnderstandsWrongSpellings) {
  for (const char* typed :
       {"TCGEN05.LD", "FENCE.PROXY.ASYNC", "BAR.SYNC.WARP", "CP.ASYNC.BULK.WAIT",
        "CP.ASYNC.BULK.TENSOR.2D", "CP.ASYNC.BULK.COMMIT", "CVT", "STG.E.V8", "wgmma_async",
        "st.shared", "st.shared.v*", "ld.shared", "cvt", "tcgen05.mma", "mbarrier.try_wait"}) {
    EXPECT_EQ(parsed(typed).remarks.size(), 1U) << typed;
  }
}

TEST(SassPattern, ErrorsSayWhereAndWhat) {
  EXPECT_EQ(error_of("HGMMA >= in loop"),
            "pattern \"HGMMA >= in loop\", character 10: expected a number, found \"in\"");
  EXPECT_EQ(error_of(""),
            "pattern \"\", character 1: expected the name of an instruction or of a class, found "
            "the end");
  EXPECT_EQ(error_of("STS width in loop"),
            "pattern \"STS width in loop\", character 11: expected one of >= <= > < =, found "
            "\"in\"");
  EXPECT_EQ(error_of("STS in the loop"),
            "pattern \"STS in the loop\", character 8: expected \"function\", \"loop\", \"any "
            "loop\", \"every loop\", \"role\", \"any role\" or \"every role\", found \"the\"");
  EXPECT_EQ(error_of("STS HGMMA"),
            "pattern \"STS HGMMA\", character 5: expected \"after\", \"in\" or the end, found "
            "\"HGMMA\"");
  EXPECT_NE(error_of("count(STS >= 1").find("character 11: expected \"|\" or \")\""),
            std::string::npos);
  EXPECT_NE(error_of("A > 8 > B")
                .find("character 1: no instruction and no class known here is called \"A\""),
            std::string::npos);
  EXPECT_NE(error_of("STS >= 8 > LDS").find("character 10"), std::string::npos);
  EXPECT_NE(error_of("STS | ").find("character 7: expected the name"), std::string::npos);
  EXPECT_NE(error_of("STS > 1x").find("expected a number, found \"1x\""), std::string::npos);
  EXPECT_NE(error_of("STS in loop 0xzz").find("character 13: expected an address"),
            std::string::npos);
  EXPECT_NE(error_of("STS; rm").find("found \";\""), std::string::npos);
}

// A name that nothing is called would make every --forbid pass.
TEST(SassPattern, RefusesNamesThatNothingIsCalled) {
  EXPECT_NE(error_of("HGMA").find("did you mean HGMMA"), std::string::npos);
  EXPECT_NE(error_of("hgma.64").find("did you mean HGMMA"), std::string::npos);
  EXPECT_EQ(error_of("HGMMA.64x64x16"), "no error");  // known, whatever the architecture
  EXPECT_NE(error_of("shared-stores").find("shared-store"), std::string::npos);
  EXPECT_NE(error_of("tcgen05.ld > tcgen05.wait > FADD")
                .find("character 14: tcgen05.wait is no instruction of its own in SASS"),
            std::string::npos);
  EXPECT_EQ(error_of("NEWOP*"), "no error");
}

TEST(SassPattern, RefusesModifiersThatNoInstructionOfTheNameHas) {
  EXPECT_NE(error_of("STS.V4").find("character 1: no STS known here has the modifier .V4"),
            std::string::npos);
  EXPECT_NE(error_of("FADD > LDG.E.512").find("character 8: no LDG known here has the modifier"),
            std::string::npos);
  EXPECT_EQ(error_of("STS.V4*"), "no error");
  EXPECT_EQ(error_of("LDG.E.128 > IMAD.MOV.U32 > IMAD.SHL > HGMMA.64x256x16"), "no error");
}

TEST(SassPattern, RefusesWhatCannotBeMeasured) {
  EXPECT_NE(error_of("passes(STS) <= 1").find("character 8: only passes(shared-store)"),
            std::string::npos);
  EXPECT_NE(error_of("passes(shared-store) <= 1 after LDTM")
                .find("character 1: passes can be told of functions and loops"),
            std::string::npos);
  EXPECT_NE(error_of(std::string(5000, 'S')).find("longer than"), std::string::npos);
}

TEST(SassPattern, TakesNamesInUpperAndLowerCase) {
  const auto first = [](std::string_view text) {
    const Pattern pattern = *parse_pattern(text);
    return std::get<ValueClaim>(pattern.claim).value.of;
  };
  EXPECT_EQ(first("hgmma").text, "HGMMA");
  EXPECT_EQ(first("Stg.e.128").text, "STG.E.128");
  EXPECT_EQ(first("SPILL").names[0].kind, InstructionName::Kind::kSpill);
  EXPECT_EQ(first("Shared-Store").names[0].instructions, InstructionClass::kSharedStore);
  EXPECT_NE(error_of("st.weak.b32"), "no error");  // PTX, though there is an ST
  EXPECT_EQ(first("fence").names[0].kind, InstructionName::Kind::kClass);
  EXPECT_EQ(first("FENCE").names[0].kind, InstructionName::Kind::kOpcode);
}

TEST(SassPattern, ModifiersMatchInOrderWhateverStandsBetween) {
  EXPECT_TRUE(matches_opcode("STG.128", "STG.E.128"));
  EXPECT_TRUE(matches_opcode("LDG.128", "LDG.E.LTC128B.128.CONSTANT"));
  EXPECT_TRUE(matches_opcode("LDG.E.CONSTANT", "LDG.E.128.CONSTANT"));
  EXPECT_FALSE(matches_opcode("LDG.128.E", "LDG.E.128"));
  EXPECT_FALSE(matches_opcode("STG.128", "STG.E.64"));
  EXPECT_FALSE(matches_opcode("STG.128", "STS.128"));
  EXPECT_FALSE(matches_opcode("STG.128.128", "STG.E.128"));
  EXPECT_TRUE(matches_opcode("LDG.LTC*", "LDG.E.LTC128B.128"));
}

TEST(SassPattern, NamesMatchWholeParts) {
  EXPECT_TRUE(matches_opcode("STG.E", "STG.E.128"));
  EXPECT_TRUE(matches_opcode("STG.E", "STG.E"));
  EXPECT_FALSE(matches_opcode("STG.E", "STG.EF.128"));
  EXPECT_FALSE(matches_opcode("STS", "STSM.16.MT88.4"));
  EXPECT_TRUE(matches_opcode("STS*", "STSM.16.MT88.4"));
  EXPECT_TRUE(matches_opcode("STG.E.*256", "STG.E.ENL2.256"));
  EXPECT_TRUE(matches_opcode("STG.E.*256", "STG.E.256"));
  EXPECT_FALSE(matches_opcode("LDG.*128", "LDG.E.LTC128B.U16"));
  EXPECT_TRUE(matches_opcode("LDG.*128", "LDG.E.LTC128B.128"));
  EXPECT_TRUE(matches_opcode("UTC?MMA", "UTCHMMA.2CTA"));
  EXPECT_FALSE(matches_opcode("UTC?MMA", "UTCMMA"));
  EXPECT_TRUE(matches_opcode("LDTM.X32", "LDTM.x32"));
  EXPECT_TRUE(matches_opcode("*", "NOP"));
  EXPECT_FALSE(matches_opcode("HGMMA", ""));
  EXPECT_FALSE(matches_opcode("*a*a*a*a*a*a*a*b", std::string(2000, 'a')));
}

}  // namespace
}  // namespace proofline::sass_pattern_test

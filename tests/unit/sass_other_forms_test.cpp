// SPDX-License-Identifier: Apache-2.0
//
// The forms of machine code that other programs make of NVIDIA's: without addresses, with control
// codes in front, pasted, and as ncu's source page.
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <string>

#include "support/listing_outcome.h"

namespace proofline {
Format nvdisasm_text();
Format ncu_source_csv();
Format sass_plain();
}  // namespace proofline

namespace proofline::sass_other_forms_test {
namespace {

using Outcome = ListingOutcome;

std::string fixture(const std::string& name) {
  auto input = Input::open(PROOFLINE_SOURCE_DIR "/tests/fixtures/sass/" + name);
  EXPECT_TRUE(input);
  return std::string(*input->take_rest());
}

// The functions that CUDA.jl and CuAssembler make of nvdisasm's text are those of the text itself.
TEST(SassOtherForms, TakesAddressesFromThePositionWhereThereAreNone) {
  const std::string text = fixture("loops.sm_90a.plain.txt.gz");
  const Outcome whole = read_listing(nvdisasm_text(), text);
  ASSERT_GT(whole.listing.functions.size(), 5U);
  std::string bare = text;
  RE2::GlobalReplace(&bare, R"(/\*[0-9a-f]{4,}\*/)", "");
  std::string controlled = bare;
  RE2::GlobalReplace(&controlled, R"((?m)^( +)([@A-Z].* ;))", R"(  [B--2---:R-:W0:-:S01] \1\2)");
  ASSERT_NE(bare, controlled);
  for (const std::string& changed : {bare, controlled}) {
    const Outcome outcome = read_listing(nvdisasm_text(), changed);
    EXPECT_EQ(outcome.notes(), "");
    ASSERT_EQ(outcome.listing.functions.size(), whole.listing.functions.size());
    for (std::size_t i = 0; i < whole.listing.functions.size(); ++i) {
      EXPECT_EQ(code(outcome.function(i)), code(whole.function(i)));
      EXPECT_TRUE(outcome.function(i).complete);
    }
  }
}

TEST(SassOtherForms, TakesTheLinesOfJulia) {
  const Outcome outcome = read_listing(nvdisasm_text(),
                                       "//----- .text.k -----\n\t.section\t.text.k,\"ax\"\n"
                                       "; Location ./int.jl:487\n"
                                       "        IADD3 R1, R1, -0x78, RZ ;\n"
                                       "    @P0 BRA `(.L_x_2) ;\n"
                                       "\n.L_x_2:\n"
                                       "; Location /src/up chan.jl:52\n"
                                       "        EXIT ;\n"
                                       "//----- SYMBOLS -----\n");
  EXPECT_EQ(outcome.notes(), "");
  EXPECT_EQ(code(outcome.function()),
            "0: IADD3 R1, R1, -0x78, RZ\n10: BRA `(.L_x_2) -> 20\n20: EXIT\n");
  const CodeFunction& function = outcome.function();
  ASSERT_EQ(function.lines.size(), 2U);
  EXPECT_EQ(function.files[function.lines[1].file], "/src/up chan.jl");
  EXPECT_EQ(function.lines[1].line, 52U);
}

TEST(SassOtherForms, SaysThatAnInstructionWithoutAnAddressIsCut) {
  const Outcome outcome = read_listing(nvdisasm_text(),
                                       "//----- .text.k -----\n\t.section\t.text.k,\"ax\"\n"
                                       "        IADD3 R1, R1, -0x78, RZ ;\n        EXI");
  EXPECT_FALSE(outcome.function().complete);
  EXPECT_NE(outcome.notes().find("cut off"), std::string::npos);
}

TEST(SassOtherForms, TakesCodeWithNothingAroundIt) {
  const Outcome whole = read_listing(nvdisasm_text(), fixture("loops.sm_90a.plain.txt.gz"));
  const Outcome outcome = read_listing(sass_plain(), fixture("loops.sm_90a.stripped.sass.gz"));
  EXPECT_EQ(outcome.notes(), "");
  std::size_t instructions = 0;
  for (const CodeFunction& function : outcome.listing.functions) {
    instructions += function.instructions.size();
  }
  std::size_t expected = 0;
  for (const CodeFunction& function : whole.listing.functions) {
    expected += function.instructions.size();
  }
  EXPECT_EQ(instructions, expected);
  const Outcome odd = read_listing(sass_plain(), "k:\n MOV R1, R2\n ... more\n EXIT\n");
  EXPECT_EQ(odd.notes(),
            "line 3: line is neither an instruction nor a label and is left out (1)\n");
  EXPECT_FALSE(odd.function().complete);
}

TEST(NcuSourceCsv, HasTheCodeOfEachKernelOnce) {
  const std::string text = fixture("sum_blocks.source.csv.gz");
  Outcome outcome = read_listing(ncu_source_csv(), text);
  ASSERT_EQ(outcome.listing.functions.size(), 1U);
  const CodeFunction& function = outcome.function();
  EXPECT_EQ(function.name, "sum_blocks(const float *, float *, unsigned long)");
  EXPECT_TRUE(function.complete);
  ASSERT_EQ(function.instructions.size(), 88U);
  EXPECT_EQ(function.instructions[13].address, 0xd0U);
  EXPECT_EQ(function.instructions[13].guard, (Guard{0, false, false}));
  EXPECT_EQ(function.instructions[13].target, 0x1e0U);
  EXPECT_EQ(outcome.listing.notes.size(), 1U);  // that samples are not read
}

TEST(NcuSourceCsv, SaysWhereItIsCut) {
  const std::string text = fixture("sum_blocks.source.csv.gz");
  const std::size_t row = text.find("\"0x7fcdef7a0200\"");
  for (const std::size_t size : {row, row + 20}) {
    const Outcome outcome = read_listing(ncu_source_csv(), text.substr(0, size));
    EXPECT_FALSE(outcome.function().complete) << size;
  }
}

TEST(NcuSourceCsv, RefusesThePageWithSourceLines) {
  const Outcome outcome =
      read_listing(ncu_source_csv(), "\"Line No\",\"Source\",\"Address\",\"Source\"\n");
  EXPECT_NE(outcome.error.find("--print-source sass"), std::string::npos);
}

}  // namespace
}  // namespace proofline::sass_other_forms_test

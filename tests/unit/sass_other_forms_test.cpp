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

// Nothing marks the end of a function, but code does not run past it.
TEST(SassOtherForms, SaysThatCodeWithNothingAroundItIsCut) {
  const auto whole = [](const std::string& code) {
    return read_listing(sass_plain(), "k:\n MOV R1, R2\n" + code).function().complete;
  };
  EXPECT_TRUE(whole(" EXIT ;\n"));
  EXPECT_TRUE(whole(".L_x_0:\n EXIT\n BRA `(.L_x_0)\n"));
  EXPECT_TRUE(whole(" RET.REL.NODEC R20 0x0\n NOP\n"));
  EXPECT_FALSE(whole(" STG.E [R2.64], R1\n"));
  EXPECT_FALSE(whole(" @P0 EXIT\n"));
  EXPECT_FALSE(whole(" @P0 BRA `(.L_x_7)\n EXIT\n")) << "its target is behind the cut";
  const Outcome two = read_listing(sass_plain(), "k:\n MOV R1, R2\nl:\n EXIT\n");
  EXPECT_FALSE(two.function(0).complete);
  EXPECT_TRUE(two.function(1).complete);
}

std::string names_of_formats(std::string_view text) {
  std::string names;
  for (const Format& format : formats()) {
    if (format.sniff(text.substr(0, kSniffBytes))) names += std::string(format.name) + " ";
  }
  return names;
}

// A whole .cuasm: the header of the cubin, sections of bytes, labels and directives indented.
std::string cuasm_of(const std::string& nvdisasm, std::size_t bytes_before) {
  std::string body = nvdisasm;
  RE2::GlobalReplace(&body, R"((?m)^(\.target|\s*\.elftype|\s*\.target).*\n)", "");
  RE2::GlobalReplace(&body, R"((?m)^ +(/\*[0-9a-f]{4}\*/.*;).*$)",
                     "    [B------:R-:W-:-:S02]   \\1");
  RE2::GlobalReplace(&body, R"((?m)^([.$a-z_].*:)$)", "  \\1");
  RE2::GlobalReplace(&body, R"((?m)^//(-+ \S+))", "// \\1");
  RE2::GlobalReplace(&body, R"((?m)^(\t\.section.*)$)",
                     "\\1\n\t.__section_type         SHT_PROGBITS");
  std::string head =
      "// --------------------- FileHeader --------------------------\n"
      "\t// \t.headerflags\t@\"EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)\"\n"
      "\t.__elf_machine          EM_CUDA\n"
      "\t.__elf_flags            0x5a055a \t\t// Flags, SM_90(0x5a), COMPUTE_90(0x5a) \n\n"
      "  //------------ END of FileHeader ------------------\n\n"
      "// ---------------------                                  --------------------------\n"
      "\t.section  \"\", 0, SHT_NULL\n"
      "// --------------------- .shstrtab                        --------------------------\n"
      "\t.section  \".shstrtab\", 0, SHT_STRTAB\n";
  while (head.size() < bytes_before) {
    head += "    /*0000*/ .byte 0x2e, 0x73, 0x68, 0x73, 0x74, 0x72, 0x74, 0x61\n";
  }
  return head + body;
}

TEST(SassOtherForms, TakesWholeFilesOfCuAssembler) {
  const std::string text = fixture("loops.sm_90a.plain.txt.gz");
  const Outcome whole = read_listing(nvdisasm_text(), text);
  for (const std::size_t bytes_before : {std::size_t{0}, 2 * kSniffBytes}) {
    const std::string cuasm = cuasm_of(text, bytes_before);
    EXPECT_EQ(names_of_formats(cuasm), "nvdisasm-text ");
    const Outcome outcome = read_listing(nvdisasm_text(), cuasm);
    EXPECT_EQ(outcome.notes(), "");
    ASSERT_EQ(outcome.listing.functions.size(), whole.listing.functions.size());
    for (std::size_t i = 0; i < whole.listing.functions.size(); ++i) {
      EXPECT_EQ(outcome.function(i).name, whole.function(i).name);
      EXPECT_EQ(code(outcome.function(i)), code(whole.function(i)));
      EXPECT_TRUE(outcome.function(i).complete);
      EXPECT_EQ(outcome.function(i).inner.size(), whole.function(i).inner.size());
      EXPECT_EQ(outcome.function(i).arch, "sm_90");
    }
  }
}

// What Compiler Explorer makes of `nvdisasm -c -g -hex`: with its directives as it is, without them
// labels and instructions alone, and where a program is shown, no addresses and bytes.
TEST(SassOtherForms, TakesWhatCompilerExplorerShows) {
  const std::string raw = fixture("loops.sm_90a.hex.txt.gz");
  EXPECT_EQ(names_of_formats(raw), "nvdisasm-text ");
  const Outcome whole = read_listing(nvdisasm_text(), raw);
  std::string filtered = raw;
  RE2::GlobalReplace(&filtered, R"((?m)^\s*\.[a-z]+\s.*\n|^//---.*\n|^\.text\..*\n)", "");
  std::string no_bytes = filtered;
  RE2::GlobalReplace(&no_bytes, R"(/\* 0x[0-9a-f]+ \*/)", "");
  std::string shown = no_bytes;
  RE2::GlobalReplace(&shown, R"((?m)^\s*/\*[0-9a-f]+\*/\s*|\s*;\s*$|^\s*//##.*$)", " ");
  RE2::GlobalReplace(&shown, R"((?m)^\s*\n)", "");
  for (const std::string& text : {filtered, no_bytes, shown}) {
    EXPECT_EQ(names_of_formats(text), "sass-plain ") << text.substr(0, 300);
    const Outcome outcome = read_listing(sass_plain(), text);
    EXPECT_EQ(outcome.notes(), "");
    ASSERT_EQ(outcome.listing.functions.size(), whole.listing.functions.size());
    for (std::size_t i = 0; i < whole.listing.functions.size(); ++i) {
      EXPECT_EQ(outcome.function(i).name, whole.function(i).name);
      EXPECT_EQ(code(outcome.function(i)), code(whole.function(i)));
      EXPECT_TRUE(outcome.function(i).complete);
      ASSERT_EQ(outcome.function(i).inner.size(), whole.function(i).inner.size());
    }
  }
  EXPECT_EQ(read_listing(sass_plain(), filtered).function().encodings, whole.function().encodings);
  EXPECT_EQ(read_listing(sass_plain(), filtered).function().lines.size(),
            whole.function().lines.size());
}

TEST(SassOtherForms, LeavesWhatHasAHeadingToOthers) {
  const std::string code =
      "        /*0000*/  MOV R1, c[0x0][0x28] ;  /* 0x00000a0000017a02 */\n"
      "                                          /* 0x000fe40000000f00 */\n"
      "        /*0010*/  S2R R0, SR_TID.X ;      /* 0x0000000000007919 */\n"
      "                                          /* 0x000e220000002100 */\n"
      "        /*0020*/  MOV R2, RZ ;            /* 0x000000ff00027202 */\n"
      "                                          /* 0x000fe40000000f00 */\n"
      "        /*0030*/  EXIT ;                  /* 0x000000000000794d */\n"
      "                                          /* 0x000fea0003800000 */\n";
  EXPECT_EQ(names_of_formats(code), "cuobjdump-sass ");
  EXPECT_EQ(names_of_formats("Here is the code:\n" + code), "cuobjdump-sass ");
  EXPECT_EQ(names_of_formats("\t\tFunction : k\n" + code), "cuobjdump-sass ");
  EXPECT_EQ(names_of_formats("k:\n" + code), "sass-plain ");
  EXPECT_EQ(names_of_formats("square(int*, int):\n" + code), "sass-plain ");
  const Outcome outcome = read_listing(sass_plain(), "square(int*, int):\n" + code);
  EXPECT_EQ(outcome.function().name, "square(int*, int)");
  EXPECT_EQ(outcome.function().encodings.size(), 4U);
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

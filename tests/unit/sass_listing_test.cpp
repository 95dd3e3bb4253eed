// SPDX-License-Identifier: Apache-2.0
//
// Listings of cuobjdump, whole, pasted, cut and interleaved, and what all listings have in common:
// how they are known, and that what is missing from them is said.
#include "readers/code/sass_listing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "readers/format.h"
#include "support/listing_outcome.h"
#include "support/sample_listings.h"

namespace proofline {
Format cuobjdump_sass();
Format nvdisasm_text();
Format nvdisasm_dot();
}  // namespace proofline

namespace proofline::sass_listing_test {
namespace {

using Outcome = ListingOutcome;
using test_support::kCuobjdump;
using test_support::kDot;
using test_support::kNvdisasm;

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

TEST(CuobjdumpSass, ReadsFunctionsWithTheirEncodings) {
  const Outcome outcome = read_listing(cuobjdump_sass(), kCuobjdump);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.notes(), "");
  ASSERT_EQ(outcome.listing.functions.size(), 2U);
  const CodeFunction& first = outcome.function();
  EXPECT_EQ(first.name, "_Z5firstPf");
  EXPECT_EQ(first.arch, "sm_90a");
  EXPECT_EQ(first.container, "elf 1");
  EXPECT_TRUE(first.complete);
  EXPECT_EQ(code(first), "0: LDC R1, c[0x0][0x28]\n10: BRA 0x0 -> 0\n20: NOP\n");
  ASSERT_EQ(first.encodings.size(), 3U);
  EXPECT_EQ(first.encodings[1], (Encoding{0x00000000000c8947, 0x041fea0003800000}));
  EXPECT_EQ(control_of(first.encodings[1]).stall, 5);
  EXPECT_EQ(control_of(first.encodings[1]).wait_mask, 1);
  EXPECT_EQ(control_of(first.encodings[1]).reuse, 1);
  EXPECT_EQ(outcome.function(1).name, "_Z6secondPf");
}

TEST(CuobjdumpSass, ReadsListingsWithoutEncodingsAndWithOtherLineEnds) {
  const std::string text = replaced(R"x(some output of the program
	code for sm_70
		Function : k
	.headerflags    @"EF_CUDA_SM70 EF_CUDA_PTX_SM(EF_CUDA_SM70)"
        /*0000*/                   MOV R1, c[0x0][0x28] ;

        /*0010*/              @!PT SHFL.IDX PT, RZ, RZ, RZ, RZ ;
		..............................
)x",
                                    "\n", "\r\n");
  const Outcome outcome = read_listing(cuobjdump_sass(), text);
  EXPECT_EQ(outcome.notes(), "");
  EXPECT_EQ(outcome.function().arch, "sm_70");
  EXPECT_EQ(outcome.function().name, "k");
  EXPECT_EQ(outcome.function().instructions.size(), 2U);
  EXPECT_TRUE(outcome.function().encodings.empty());
}

TEST(CuobjdumpSass, NumbersTheElvesOfAFile) {
  const std::string other =
      replaced(replaced(std::string(kCuobjdump), "90a", "80"), "SM90", "SM80");
  const std::string twice = std::string(kCuobjdump) + other;
  const Outcome outcome = read_listing(cuobjdump_sass(), twice);
  ASSERT_EQ(outcome.listing.functions.size(), 4U);
  EXPECT_EQ(outcome.function(1).container, "elf 1");
  EXPECT_EQ(outcome.function(2).container, "elf 2");
  EXPECT_EQ(outcome.function(2).arch, "sm_80");
}

TEST(CuobjdumpSass, TakesAPastedPiece) {
  const Outcome outcome = read_listing(cuobjdump_sass(), R"(
        /*0120*/                   NOP ;          /* 0x0000000000007918 */
                                                  /* 0x000fc00000000000 */
        /*0130*/                   EXIT ;         /* 0x000000000000794d */
                                                  /* 0x000fea0003800000 */
)");
  EXPECT_EQ(outcome.function().name, "");
  EXPECT_FALSE(outcome.function().complete);
  EXPECT_EQ(code(outcome.function()), "120: NOP\n130: EXIT\n");
  EXPECT_EQ(outcome.notes(),
            "line 2: instructions are missing before this one (1)\n"
            "line 5: function is cut off: its end is missing (1)\n");
}

// Wherever the text ends, either the last function is incomplete and noted or
// nothing is missing.
TEST(CuobjdumpSass, SaysWhereAListingWasCut) {
  const std::string_view text = kCuobjdump;
  const std::size_t first = text.find("Function : _Z5first");
  const std::size_t first_end = text.find("..........");
  const std::size_t second = text.find("Function : _Z6second");
  for (std::size_t size = first; size < text.size() - 12; ++size) {
    const Outcome outcome = read_listing(cuobjdump_sass(), text.substr(0, size));
    // A cut in the row of dots, or between the functions, does not show.
    if (size >= first_end && size < second + 11) continue;
    if (outcome.listing.functions.empty()) {
      EXPECT_NE(outcome.error, "") << size;
      continue;
    }
    EXPECT_FALSE(outcome.listing.functions.back().complete) << size;
    EXPECT_NE(outcome.notes(), "") << size;
  }
}

TEST(CuobjdumpSass, LeavesOutAnInstructionThatIsCut) {
  const std::string text =
      replaced(std::string(kCuobjdump),
               "@!P0 BRA 0x0 ;                           /* 0x00000000000c8947 */", "@!P0 BR");
  const Outcome outcome = read_listing(cuobjdump_sass(), text);
  EXPECT_EQ(code(outcome.function()), "0: LDC R1, c[0x0][0x28]\n20: NOP\n");
  EXPECT_FALSE(outcome.function().complete);
  EXPECT_TRUE(outcome.function(1).complete);
  EXPECT_EQ(outcome.function().encodings.size(), 2U);
  EXPECT_EQ(outcome.function().encodings[1].high, 0x000fc00000000000U);
  EXPECT_NE(outcome.notes().find("line 16: instruction is cut off"), std::string::npos);
}

TEST(CuobjdumpSass, LeavesEncodingsOutWhereSomeAreMissing) {
  const std::string text = replaced(std::string(kCuobjdump), "/* 0x041fea0003800000 */", "");
  const Outcome outcome = read_listing(cuobjdump_sass(), text);
  EXPECT_TRUE(outcome.function().encodings.empty());
  EXPECT_EQ(outcome.function().instructions.size(), 3U);
  EXPECT_EQ(outcome.function(1).encodings.size(), 1U);
  EXPECT_NE(outcome.notes().find("lacks the encodings"), std::string::npos);
}

// Two programs that write to one file.
TEST(CuobjdumpSass, NeverMixesInterleavedFunctionsInSilence) {
  std::string text = "\tcode for sm_90\n\t\tFunction : a\n\t\tFunction : b\n";
  for (int i = 0; i < 4; ++i) {
    text += fmt::format("        /*{:04x}*/  MOV R0, R1 ;\n", i * 16);
    text += fmt::format("        /*{:04x}*/  FADD R2, R3, R4 ;\n", i * 16);
  }
  text += "\t\t..........\n\t\t..........\n";
  const Outcome outcome = read_listing(cuobjdump_sass(), text);
  ASSERT_EQ(outcome.listing.functions.size(), 2U);
  EXPECT_FALSE(outcome.function(0).complete);
  EXPECT_FALSE(outcome.function(1).complete);
  EXPECT_EQ(outcome.function(1).instructions.size(), 4U);
  EXPECT_NE(outcome.notes().find("line 5: instruction is out of order and left out (4)"),
            std::string::npos);
}

TEST(CuobjdumpSass, RefusesCodeFromBeforeVolta) {
  const std::string old = R"x(
	code for sm_61
		Function : k
	.headerflags    @"EF_CUDA_SM61 EF_CUDA_PTX_SM(EF_CUDA_SM61)"
                                                            /* 0x083fc400e3e007f6 */
        /*0008*/                   MOV R1, c[0x0][0x20] ;   /* 0x4c98078000870001 */
        /*0010*/                   S2R R0, SR_TID.X ;       /* 0xf0c8000002170000 */
		..........
)x";
  EXPECT_EQ(read_listing(cuobjdump_sass(), old).error,
            "\"listing\": function for sm_61: encodings before Volta are not supported");
  const Outcome mixed = read_listing(cuobjdump_sass(), old + std::string(kCuobjdump));
  EXPECT_EQ(mixed.error, "");
  ASSERT_EQ(mixed.listing.functions.size(), 2U);
  EXPECT_EQ(mixed.notes(),
            "line 6: function for sm_61: encodings before Volta are not supported (1)\n");
  const std::string pasted = old.substr(old.find("        /*0008*/"));
  EXPECT_NE(read_listing(cuobjdump_sass(), pasted).error.find("before Volta"), std::string::npos);
}

TEST(CuobjdumpSass, MovesTheAddressesOfARunningDevice) {
  const Outcome outcome = read_listing(cuobjdump_sass(), R"(	code for sm_80
		Function : k
        /*7ff533bb9190*/                   NOP ;
        /*7ff533bb91a0*/                   BRA 0x7ff533bb9190 ;
		..........
)");
  EXPECT_EQ(code(outcome.function()), "0: NOP\n10: BRA 0x7ff533bb9190 -> 0\n");
  EXPECT_TRUE(outcome.function().complete);
}

TEST(CuobjdumpSass, RefusesALineWithoutEnd) {
  const std::string text = std::string(kCuobjdump) + std::string(3U << 20U, 'x');
  EXPECT_NE(read_listing(cuobjdump_sass(), text).error.find("is longer than 1048576 bytes"),
            std::string::npos);
}

std::string sniffed(std::string_view text) {
  std::string names;
  for (const Format& format : {cuobjdump_sass(), nvdisasm_text(), nvdisasm_dot()}) {
    if (format.sniff(text.substr(0, kSniffBytes))) names += std::string(format.name) + ' ';
  }
  return names;
}

TEST(SassListing, IsKnownByItsContent) {
  EXPECT_EQ(sniffed(kCuobjdump), "cuobjdump-sass ");
  EXPECT_EQ(sniffed(kNvdisasm), "nvdisasm-text ");
  EXPECT_EQ(sniffed(kDot), "nvdisasm-dot ");
  EXPECT_EQ(sniffed(replaced(std::string(kNvdisasm), "\n", "\r\n")), "nvdisasm-text ");
  EXPECT_EQ(sniffed("step 1 of 3\n" + std::string(kCuobjdump)), "cuobjdump-sass ");
  // Sections of data may fill more than we look at.
  EXPECT_EQ(sniffed(kNvdisasm.substr(0, kNvdisasm.find(".nv.info._Z4"))), "nvdisasm-text ");
  const std::string hex =
      "//--------------------- .text.k --------------------------\n"
      "        /*0000*/  EXIT ;  /* 0x000000000000794d */\n";
  EXPECT_EQ(sniffed(hex), "nvdisasm-text ");
  EXPECT_EQ(sniffed("  /*0000*/  EXIT ;  /* 0x000000000000794d */\n"), "cuobjdump-sass ");
}

TEST(SassListing, IsNotFoundElsewhere) {
  for (const char* text :
       {"", "Function : k\n", "/*0000*/ EXIT ;\n", "//-----\n// .text. of a comment\n",
        "digraph f {\n a -> b;\n}\n", "==PROF== Profiling \"k\" - 0: 0%....100%\n",
        "int f() { /*0010*/ return 1; }\n", "the code for sm_90 is slow\n"}) {
    EXPECT_EQ(sniffed(text), "") << text;
  }
}

TEST(SassListing, ReadsLinesThatStraddlePieces) {
  std::string text = "\tcode for sm_90\n\t\tFunction : k\n";
  constexpr int kCount = 20'000;  // several pieces
  for (int i = 0; i < kCount; ++i)
    text += fmt::format("  /*{:04x}*/  IADD3 R{}, R1, 0x{:x}, RZ ;\n", i * 16, i % 200, i);
  text += "\t\t..........\n";
  const Outcome outcome = read_listing(cuobjdump_sass(), text);
  EXPECT_EQ(outcome.notes(), "");
  const CodeFunction& function = outcome.function();
  ASSERT_EQ(function.instructions.size(), static_cast<std::size_t>(kCount));
  for (int i = 0; i < kCount; ++i) {
    const auto operands = function.operands_of(function.instructions[static_cast<std::size_t>(i)]);
    ASSERT_EQ(operands.size(), 4U);
    ASSERT_EQ(operands[2].value, i);
  }
}

TEST(SassListing, TakesManyLabels) {
  std::string text = "//----- .text.k -----\n\t.section\t.text.k,\"ax\"\n";
  constexpr int kCount = 200'000;
  for (int i = 0; i < kCount; ++i) {
    text += fmt::format(".L_x_{}:\n.M{}:\n  /*{:04x}*/  BRA `(.L_x_{}) ;\n", i, i, i * 16,
                        kCount - 1 - i);
  }
  text += "//----- SYMBOLS -----\n";
  const Outcome outcome = read_listing(nvdisasm_text(), text);
  EXPECT_EQ(outcome.notes(), "");
  EXPECT_EQ(outcome.function().instructions[0].target, (kCount - 1) * 16U);
  EXPECT_TRUE(outcome.function().complete);
}

TEST(SassListing, SaysThatAnInputHasNoFunction) {
  EXPECT_EQ(read_listing(cuobjdump_sass(), "Fatbin elf code:\n").error,
            "\"listing\": no code in it; make it with 'cuobjdump --dump-sass' or nvdisasm");
}

}  // namespace
}  // namespace proofline::sass_listing_test

// SPDX-License-Identifier: Apache-2.0
//
// Listings and graphs of nvdisasm: what a function holds, and that what is missing from it is said.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "readers/format.h"
#include "support/listing_outcome.h"
#include "support/sample_listings.h"

namespace proofline {
Format nvdisasm_text();
Format nvdisasm_dot();
}  // namespace proofline

namespace proofline::nvdisasm_test {
namespace {

using Outcome = ListingOutcome;
using test_support::kDot;
using test_support::kNvdisasm;

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

TEST(NvdisasmText, ResolvesLabelsAndInnerFunctions) {
  const Outcome outcome = read_listing(nvdisasm_text(), kNvdisasm);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.notes(), "");
  ASSERT_EQ(outcome.listing.functions.size(), 2U);
  const CodeFunction& kernel = outcome.function();
  EXPECT_EQ(kernel.name, "_Z4kernPf");
  EXPECT_EQ(kernel.arch, "sm_80");
  EXPECT_TRUE(kernel.complete);
  EXPECT_EQ(code(kernel),
            "0: MOV R1, c[0x0][0x28]\n"
            "10: BRA `(.L_x_1) -> 40\n"
            "20: CALL.REL.NOINC `($__internal_0_$__cuda_sm20_rem_u64) -> 60\n"
            "30: BRX R2 -0x40 (*\"BRANCH_TARGETS .L_x_0,.L_x_1\"*)\n"
            "40: CALL.ABS.NOINC `(vprintf)\n"
            "50: EXIT\n"
            "60: RET.REL.NODEC R4 `(_Z4kernPf)\n");
  EXPECT_EQ(kernel.operands_of(kernel.instructions[1])[0].kind, OperandKind::kTarget);
  EXPECT_EQ(kernel.operands_of(kernel.instructions[1])[0].value, 0x40);
  EXPECT_EQ(kernel.operands_of(kernel.instructions[4])[0].kind, OperandKind::kSpecial);
  ASSERT_EQ(kernel.inner.size(), 1U);
  EXPECT_EQ(kernel.inner[0].address, 0x60U);
  EXPECT_EQ(kernel.inner[0].name, "$__internal_0_$__cuda_sm20_rem_u64");
  ASSERT_EQ(kernel.branch_targets.size(), 1U);
  EXPECT_EQ(kernel.branch_targets[0].address, 0x30U);
  EXPECT_EQ(kernel.branch_targets[0].targets, (std::vector<std::uint32_t>{0x30, 0x40}));
}

TEST(NvdisasmText, TellsKernelsFromOtherFunctions) {
  const Outcome outcome = read_listing(nvdisasm_text(), kNvdisasm);
  EXPECT_TRUE(outcome.function(0).entry);
  EXPECT_FALSE(outcome.function(1).entry);
  EXPECT_TRUE(outcome.function(1).complete);
}

TEST(NvdisasmText, ReadsResources) {
  const Outcome outcome = read_listing(nvdisasm_text(), kNvdisasm);
  const FunctionResources& kernel = outcome.function(0).resources;
  EXPECT_EQ(kernel.registers, 14U);
  EXPECT_EQ(kernel.stack_bytes, 32U);
  EXPECT_EQ(kernel.barriers, 1U);
  EXPECT_EQ(kernel.parameters, 1U);
  EXPECT_EQ(kernel.parameter_bytes, 16U);
  EXPECT_EQ(kernel.max_threads, 256U);
  EXPECT_EQ(kernel.required_threads, std::nullopt);
  EXPECT_EQ(kernel.line_table, true);
  EXPECT_EQ(outcome.function(1).resources.registers, 24U);
  EXPECT_EQ(outcome.function(1).resources.stack_bytes, std::nullopt);
}

// "kern.cu:12" with its callers after it.
std::string place(const CodeFunction& function, std::size_t instruction) {
  std::string all;
  for (std::uint32_t at = function.instructions.at(instruction).line; at != Instruction::kNone;
       at = function.lines.at(at).inlined_at) {
    const CodeLine& line = function.lines[at];
    all +=
        fmt::format("{}{}:{}", all.empty() ? "" : " < ", function.files.at(line.file), line.line);
  }
  return all;
}

TEST(NvdisasmText, ReadsLinesWithTheirCallers) {
  const CodeFunction kernel = read_listing(nvdisasm_text(), kNvdisasm).function();
  EXPECT_EQ(place(kernel, 0), "/src/kern.cu:10");
  EXPECT_EQ(place(kernel, 1), "/src/inner.cuh:3 < /src/kern.cu:12");
  EXPECT_EQ(place(kernel, 2), "/src/inner.cuh:3 < /src/kern.cu:12");
  EXPECT_EQ(place(kernel, 3), "/src/kern.cu:10");
  EXPECT_EQ(kernel.instructions[0].line, kernel.instructions[3].line);
  EXPECT_EQ(kernel.files.size(), 2U);
}

TEST(NvdisasmText, ReadsACallerThatHasNoRemarkOfItsOwn) {
  const std::string text =
      replaced(std::string(kNvdisasm), "\t//## File \"/src/kern.cu\", line 12\n", "");
  EXPECT_EQ(place(read_listing(nvdisasm_text(), text).function(), 1),
            "/src/inner.cuh:3 < /src/kern.cu:12");
}

TEST(NvdisasmText, ForgetsTheLineAfterARemarkThatItCannotRead) {
  const std::string text = replaced(std::string(kNvdisasm), "\", line 3 inlined at", "\", li");
  const CodeFunction kernel = read_listing(nvdisasm_text(), text).function();
  EXPECT_EQ(place(kernel, 0), "/src/kern.cu:10");
  EXPECT_EQ(place(kernel, 1), "/src/kern.cu:12");
}

TEST(NvdisasmText, ReadsEncodingsAndLifeRanges) {
  const Outcome outcome = read_listing(nvdisasm_text(), R"(	.target	sm_90a

//--------------------- .text.k --------------------------
	.section	.text.k,"ax",@progbits
                                                             // +--------+
                                                             // |  # 0 1 |
        .global         k                                    // |        |
k:                                                           // |        |
.text.k:                                                     // |        |
        /*0000*/                   S2R R0, SR_CTAID.X ;      // |  5 ^ : |
.L_x_0:                                                      // |        |
        /*0010*/                   BRA `(.L_x_0);            // |  7 : : |

//--------------------- .text.l --------------------------
	.section	.text.l,"ax",@progbits
l:
.text.l:
        /*0000*/                   EXIT ;                    /* 0x000000000000794d */
                                                             /* 0x000fea0003800000 */
//--------------------- SYMBOLS --------------------------
)");
  EXPECT_EQ(outcome.notes(), "");
  EXPECT_EQ(outcome.function(0).arch, "sm_90a");
  EXPECT_TRUE(outcome.function(0).inner.empty());
  EXPECT_EQ(code(outcome.function(0)), "0: S2R R0, SR_CTAID.X\n10: BRA `(.L_x_0) -> 10\n");
  EXPECT_EQ(outcome.function(1).encodings.at(0), (Encoding{0x794d, 0x000fea0003800000}));
}

// The end of the code is a label that .size names.
TEST(NvdisasmText, SaysWhereAListingWasCut) {
  const std::string_view text = kNvdisasm;
  const std::size_t begin = text.find(".type           _Z4kernPf");
  const std::size_t end = text.find(".L_x_9:\n") + 7;
  for (std::size_t size = begin; size < end; ++size) {
    const Outcome outcome = read_listing(nvdisasm_text(), text.substr(0, size));
    ASSERT_EQ(outcome.listing.functions.size(), 1U) << size;
    EXPECT_FALSE(outcome.function().complete) << size;
    EXPECT_NE(outcome.notes(), "") << size;
  }
  const Outcome whole = read_listing(nvdisasm_text(), text.substr(0, end));
  EXPECT_TRUE(whole.function().complete);
  EXPECT_EQ(whole.notes(), "");
}

TEST(NvdisasmText, SaysThatABranchGoesNowhere) {
  const std::string text = replaced(std::string(kNvdisasm), ".L_x_1:\n", "");
  const Outcome outcome = read_listing(nvdisasm_text(), text);
  EXPECT_EQ(outcome.function().instructions[1].target, Instruction::kNone);
  EXPECT_FALSE(outcome.function().complete);
  EXPECT_NE(outcome.notes().find("label that its function does not have (2)"), std::string::npos);
}

TEST(NvdisasmText, RefusesCodeFromBeforeVolta) {
  const std::string text = replaced(std::string(kNvdisasm), "EF_CUDA_SM80", "EF_CUDA_SM61");
  EXPECT_NE(read_listing(nvdisasm_text(), text).error.find("sm_61: encodings before Volta"),
            std::string::npos);
}

TEST(NvdisasmText, TakesTheArchitectureFromWhatTellsMost) {
  const auto arch = [](std::string_view head) {
    return read_listing(nvdisasm_text(),
                        fmt::format("{}\n//----- .text.k -----\n\t.section\t.text.k,\"ax\"\n"
                                    "  /*0000*/  EXIT ;\n//----- SYMBOLS -----\n",
                                    head))
        .function()
        .arch;
  };
  EXPECT_EQ(arch("\t.headerflags\t@\"EF_CUDA_ACCELERATORS EF_CUDA_SM90\""), "sm_90a");
  EXPECT_EQ(arch("\t.headerflags\t@\"EF_CUDA_SM75 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM75)\""), "sm_75");
  EXPECT_EQ(arch("\t.target\tsm_100f\n\t.headerflags\t@\"EF_CUDA_SM100\""), "sm_100f");
  EXPECT_EQ(arch("\t.target\tsm_00000090"), "");
  EXPECT_EQ(arch("\t.target\tnonsense"), "");
}

TEST(NvdisasmDot, ReadsTheInstructionsOfTheNodes) {
  const Outcome outcome = read_listing(nvdisasm_dot(), kDot);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.notes(), "");
  ASSERT_EQ(outcome.listing.functions.size(), 2U);
  EXPECT_EQ(outcome.function().name, "_Z4kernPf");
  EXPECT_TRUE(outcome.function().complete);
  EXPECT_EQ(code(outcome.function()),
            "0: MOV R1, c[0x0][0x28]\n10: BRA `(.L_x_1) -> 30\n20: NOP\n30: EXIT\n");
  EXPECT_TRUE(outcome.function().entry);
  EXPECT_EQ(outcome.function(1).name, "other");
  EXPECT_FALSE(outcome.function(1).entry);
}

TEST(NvdisasmDot, OrdersByOffsetsWhereItHasThem) {
  const Outcome outcome = read_listing(nvdisasm_dot(), R"dot(digraph f {
subgraph "cluster_k" {
"k"
[label="{<entry>k:\l0000:\ \ \ @P0\ BRA\ `(.L_1)\ ;\l}"]
".L_1"
[label="{<entry>.L_1:\l0020:\ \ \ BRX\ R2\ -0x30\ (*\"BRANCH_TARGETS\ .L_1,k\"*)\ ;\l}"]
"BB0"
[label="{<entry>0010:\ \ \ NOP\ ;\l}"]
}
}
)dot");
  EXPECT_EQ(outcome.notes(), "");
  EXPECT_EQ(code(outcome.function()),
            "0: BRA `(.L_1) -> 20\n10: NOP\n"
            "20: BRX R2 -0x30 (*\"BRANCH_TARGETS .L_1,k\"*)\n");
  EXPECT_EQ(outcome.function().branch_targets.at(0).targets, (std::vector<std::uint32_t>{0x20, 0}));
}

TEST(NvdisasmDot, SaysThatNodesAreOutOfOrder) {
  const std::string text = replaced(std::string(kDot), "\"_Z4kernPf\":exit0:s -> \"BB0\"",
                                    "\"_Z4kernPf\":exit0:s -> \"BB7\"");
  const Outcome outcome = read_listing(nvdisasm_dot(), text);
  EXPECT_FALSE(outcome.function().complete);
  EXPECT_EQ(outcome.notes(), "line 9: block is not followed by the one that it falls into (1)\n");
}

TEST(NvdisasmDot, SaysWhereAGraphWasCut) {
  const std::size_t begin = kDot.find("[label");
  const std::size_t end = kDot.find("\n}\nsubgraph");
  for (std::size_t size = begin; size < end; ++size) {
    const Outcome outcome = read_listing(nvdisasm_dot(), kDot.substr(0, size));
    ASSERT_EQ(outcome.listing.functions.size(), 1U) << size;
    EXPECT_FALSE(outcome.function().complete) << size;
  }
}

TEST(NvdisasmDot, SaysThatTwoInstructionsHaveOneOffset) {
  const Outcome outcome = read_listing(nvdisasm_dot(), R"dot(digraph f {
subgraph "cluster_k" {
"k"
[label="{<entry>k:\l0000:\ \ \ NOP\ ;\l0000:\ \ \ EXIT\ ;\l}"]
}
}
)dot");
  EXPECT_EQ(code(outcome.function()), "0: NOP\n");
  EXPECT_FALSE(outcome.function().complete);
}

}  // namespace
}  // namespace proofline::nvdisasm_test

// SPDX-License-Identifier: Apache-2.0
//
// Listings of cuobjdump and nvdisasm, whole, pasted, cut and interleaved: what a function holds,
// and that what is missing from it is said.
#include "readers/code/sass_listing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "readers/format.h"
#include "support/listing_outcome.h"

namespace proofline {
Format cuobjdump_sass();
Format nvdisasm_text();
Format nvdisasm_dot();
}  // namespace proofline

namespace proofline::sass_listing_test {
namespace {

using Outcome = ListingOutcome;

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

constexpr std::string_view kCuobjdump = R"x(
Fatbin elf code:
================
arch = sm_90a
code version = [1,8]
host = linux
compile_size = 64bit

	code for sm_90a
	.target	sm_90a

		Function : _Z5firstPf
	.headerflags	@"EF_CUDA_ACCELERATORS EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"
        /*0000*/                   LDC R1, c[0x0][0x28] ;              /* 0x00000a00ff017b82 */
                                                                       /* 0x000fe20000000800 */
        /*0010*/              @!P0 BRA 0x0 ;                           /* 0x00000000000c8947 */
                                                                       /* 0x041fea0003800000 */
        /*0020*/                   NOP;                                /* 0x0000000000007918 */
                                                                       /* 0x000fc00000000000 */
		..........


		Function : _Z6secondPf
	.headerflags	@"EF_CUDA_ACCELERATORS EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"
        /*0000*/                   EXIT ;                              /* 0x000000000000794d */
                                                                       /* 0x000fea0003800000 */
		..........
)x";

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

constexpr std::string_view kNvdisasm =
    R"(	.headerflags	@"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM80"
	.elftype	@"ET_EXEC"


//--------------------- .nv.info                  --------------------------
	.section	.nv.info,"",@"SHT_CUDA_INFO"
	.align	4


	//----- nvinfo : EIATTR_REGCOUNT
	.align		4
        /*0000*/ 	.byte	0x04, 0x2f
        /*0002*/ 	.short	(.L_1 - .L_0)
	.align		4
.L_0:
        /*0004*/ 	.word	index@(_Z4kernPf)
        /*0008*/ 	.word	0x0000000e


	//----- nvinfo : EIATTR_FRAME_SIZE
        /*000c*/ 	.byte	0x04, 0x11
        /*000e*/ 	.short	(.L_3 - .L_2)
        /*0010*/ 	.word	index@(_Z4kernPf)
        /*0014*/ 	.word	0x00000020


//--------------------- .nv.info._Z4kernPf --------------------------
	.section	.nv.info._Z4kernPf,"",@"SHT_CUDA_INFO"


	//----- nvinfo : EIATTR_KPARAM_INFO
        /*0008*/ 	.byte	0x04, 0x17
        /*000c*/ 	.word	0x00000000


	//----- nvinfo : EIATTR_CBANK_PARAM_SIZE
        /*0064*/ 	.byte	0x03, 0x19
        /*0066*/ 	.short	0x0010


	//----- nvinfo : EIATTR_MAX_THREADS
        /*0068*/ 	.byte	0x04, 0x05
        /*006c*/ 	.word	0x00000080
        /*0070*/ 	.word	0x00000002
        /*0074*/ 	.word	0x00000001


//--------------------- .text._Z4kernPf          --------------------------
	.section	.text._Z4kernPf,"ax",@progbits
	.sectionflags	@"SHF_BARRIERS=1"
	.align	128
        .global         _Z4kernPf
        .type           _Z4kernPf,@function
        .size           _Z4kernPf,($__internal_0_$__cuda_sm20_rem_u64 - _Z4kernPf)
        .other          _Z4kernPf,@"STO_CUDA_ENTRY STV_DEFAULT"
_Z4kernPf:
.text._Z4kernPf:
	//## File "/src/kern.cu", line 10
        /*0000*/                   MOV R1, c[0x0][0x28] ;
	//## File "/src/inner.cuh", line 3 inlined at "/src/kern.cu", line 12
	//## File "/src/kern.cu", line 12
        /*0010*/               @P0 BRA `(.L_x_1) ;
        /*0020*/                   CALL.REL.NOINC `($__internal_0_$__cuda_sm20_rem_u64) ;
.L_x_0:
	//## File "/src/kern.cu", line 10
        /*0030*/                   BRX R2 -0x40 (*"BRANCH_TARGETS .L_x_0,.L_x_1"*) ;
.L_x_1:
        /*0040*/                   CALL.ABS.NOINC `(vprintf) ;
        /*0050*/                   EXIT ;
        .weak           $__internal_0_$__cuda_sm20_rem_u64
        .type           $__internal_0_$__cuda_sm20_rem_u64,@function
        .size           $__internal_0_$__cuda_sm20_rem_u64,(.L_x_9 - $__internal_0_$__cuda_sm20_rem_u64)
$__internal_0_$__cuda_sm20_rem_u64:
        /*0060*/                   RET.REL.NODEC R4 `(_Z4kernPf) ;
.L_x_9:


//--------------------- .text._Z6helperf         --------------------------
	.section	.text._Z6helperf,"ax",@progbits
	.sectioninfo	@"SHI_REGISTERS=24"
.text._Z6helperf:
        .weak           _Z6helperf
        .type           _Z6helperf,@function
        .size           _Z6helperf,(.L_x_12 - _Z6helperf)
_Z6helperf:
        /*0000*/                   RET.ABS.NODEC R20 0x0 ;
.L_x_12:


//--------------------- SYMBOLS --------------------------
)";

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

// "kern.cu:12" with its callers behind it.
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

constexpr std::string_view kDot = R"dot(digraph f {
subgraph "cluster__Z4kernPf" {
node [fontname="Courier",fontsize=10,shape=Mrecord];
"_Z4kernPf"
[label="{<entry>	.global		_Z4kernPf\l	.other		_Z4kernPf,\<no\ object\>\l_Z4kernPf:\l.text._Z4kernPf:\l\ \ MOV\ R1,\ c\[0x0\]\[0x28\]\ ;\l|<exit0>\ \ @P0\ BRA\ `(.L_x_1)\ ;\l}"]
"_Z4kernPf":exit0:e -> ".L_x_1":entry:n [style=solid];
"_Z4kernPf":exit0:s -> "BB0":entry:n [style=solid];
node [fontname="Courier",fontsize=10,shape=Mrecord];
"BB0"
[label="{<entry>\ \ NOP;\l}"]
"BB0":entry:s -> ".L_x_1":entry:n [style=solid];
node [fontname="Courier",fontsize=10,shape=Mrecord];
".L_x_1"
[label="{<entry>.L_x_1:\l|<exit0>\ \ EXIT\ ;\l}"]
}
subgraph "cluster_other" {
node [fontname="Courier",fontsize=10,shape=Mrecord];
"other"
[label="{<entry>	.weak		other\l	.type		other,@function\lother:\l|<exit0>\ \ EXIT\ ;\l}"]
}
}
)dot";

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

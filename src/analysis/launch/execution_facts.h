// SPDX-License-Identifier: Apache-2.0
//
// Facts about what the warps execute: active lanes, and the instruction mix.
#pragma once

#include "analysis/analysis.h"
#include "analysis/launch/opcode_counts.h"
#include "model/diagnosis/fact_info.h"

namespace proofline {

namespace facts {

inline constexpr FactInfo::MemberWords kInstructionWords[] = {
    {"atomic", "@ of instructions are atomics"},
    {"barrier", "@ of instructions are barriers"},
    {"conversion", "@ of instructions are conversions"},
    {"fence", "@ of instructions are fences"},
    {"integer", "@ of instructions are integer"},
    {"shared", "@ of instructions access shared memory"},
    {"tensor", "@ of instructions use tensor cores"},
};

inline constexpr FactInfo kExecutionInstructions = {
    .name = "execution.instructions",
    .unit = "inst",
    .meaning = "Warp instructions executed.",
    .words = "@ warp instructions",
    .needs = "smsp__inst_executed.sum",
    .formerly = "inst_executed",
    .quick = true,
};
inline constexpr FactInfo kExecutionIpc = {
    .name = "execution.ipc",
    .unit = "inst/cycle",
    .meaning = "Warp instructions that an SM executes in an active cycle.",
    .needs = "sm__inst_executed.avg.per_cycle_active",
    .formerly = "sm__inst_issued.avg.per_cycle_active",
    .quick = true,
};
inline constexpr FactInfo kExecutionActiveThreadsShare = {
    .name = "execution.active_threads.share",
    .unit = kShare,
    .meaning = "Threads active in an instruction, of 32: less is divergence.",
    .words = "@ of each warp's lanes active",
    .needs = "smsp__thread_inst_executed_per_inst_executed.ratio",
    .quick = true,
};
inline constexpr FactInfo kExecutionUsefulThreadsShare = {
    .name = "execution.useful_threads.share",
    .unit = kShare,
    .meaning = "Threads neither inactive nor switched off by a predicate, of 32.",
    .words = "@ of lanes do work",
    .needs = "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
    .quick = true,
};
inline constexpr FactInfo kExecutionPredicatedOffShare = {
    .name = "execution.predicated_off.share",
    .unit = kShare,
    .meaning = "Of the active threads, those that a predicate switched off.",
    .words = "@ of active lanes predicated off",
    .needs =
        "smsp__thread_inst_executed_per_inst_executed.ratio "
        "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
    .quick = true,
};
inline constexpr FactInfo kExecutionBranchUniformShare = {
    .name = "execution.branch.uniform.share",
    .unit = kShare,
    .meaning =
        "Branches whose threads all went the same way; it can read 0.99 while one lane "
        "works.",
    .words = "@ of branches uniform",
    .needs = "smsp__sass_average_branch_targets_threads_uniform.pct",
};
inline constexpr FactInfo kExecutionBranchShare = {
    .name = "execution.branch.share",
    .unit = kShare,
    .meaning = "Branches of all instructions.",
    .needs = "smsp__inst_executed_op_branch.sum smsp__inst_executed.sum",
};
inline constexpr FactFamily<InstructionClass> kInstructionsShare = {{
    .name = "instructions.<class>.share",
    .unit = kShare,
    .meaning = "Instructions of a class, of all executed: async, atomic, barrier, constant, "
               "control, conversion, fence, fp16, fp32, fp64, global, integer, local, move, "
               "other, shared, shuffle, special-function, tensor, tensor-memory, texture, "
               "uniform, unknown.",
    .member_words = kInstructionWords,
    .needs = kOpcodeMetrics[0],
    .quick = true,
}};
inline constexpr FactFamily<std::string_view> kInstructionsOpcodeCount = {{
    .name = "instructions.opcode.<opcode>.count",
    .unit = "inst",
    .meaning = "Executed instructions with this mnemonic.",
    .needs = kOpcodeMetrics[0],
}};
inline constexpr FactFamily<std::string_view> kInstructionsTensorCount = {{
    .name = "instructions.tensor.<opcode>.count",
    .unit = "inst",
    .meaning = "Tensor instructions by mnemonic.",
    .needs = kOpcodeMetrics[0],
}};
inline constexpr FactInfo kInstructionsWgmmaShare = {
    .name = "instructions.wgmma.share",
    .unit = kShare,
    .meaning = "Warpgroup matrix instructions (HGMMA, QGMMA, IGMMA, BGMMA) of all executed.",
    .words = "@ of instructions are WGMMA",
    .needs = kOpcodeMetrics[0],
};
inline constexpr FactInfo kInstructionsTensorShape = {
    .name = "instructions.tensor.shape",
    .meaning = "The tensor instruction that was executed most.",
    .text = true,
    .words = "tensor instruction: @",
    .needs = kOpcodeMetrics[0],
    .quick = true,
};
inline constexpr FactInfo kInstructionsImadOfFmaShare = {
    .name = "instructions.imad_of_fma.share",
    .unit = kShare,
    .meaning = "Integer multiply-adds among the instructions of the FMA pipe.",
    .words = "@ of the FMA pipe's work is integer multiply-adds",
    .needs = kOpcodeMetrics[0],
    .quick = true,
};
inline constexpr FactInfo kInstructionsWarpgroupOfBarriersShare = {
    .name = "instructions.warpgroup_of_barriers.share",
    .unit = kShare,
    .meaning =
        "Waits for warpgroup matrix instructions among the instructions that stall as "
        "barriers.",
    .needs = kOpcodeMetrics[0],
    .quick = true,
};
inline constexpr FactInfo kInstructionsMultiplyAddShare = {
    .name = "instructions.multiply_add.share",
    .unit = kShare,
    .meaning = "Multiply-adds outside the tensor cores (FFMA, HFMA2, IDP), of all executed.",
    .words = "@ of instructions are multiply-adds outside tensor cores",
    .needs = kOpcodeMetrics[0],
    .quick = true,
};
inline constexpr FactInfo kInstructionsNarrowTypes = {
    .name = "instructions.narrow_types",
    .meaning = "16-bit or narrower number types that the kernel's name or signature holds.",
    .text = true,
    .words = "narrow types in its name: @",
};
inline constexpr FactInfo kInstructionsHalfInputsShare = {
    .name = "instructions.half_inputs.share",
    .unit = kShare,
    .meaning =
        "Conversions from 16-bit or narrower numbers plus half-precision arithmetic, of "
        "all executed.",
    .words = "@ of instructions take half-precision inputs",
    .needs = kOpcodeMetrics[0],
    .quick = true,
};
inline constexpr FactInfo kInstructionsFp64ConversionShare = {
    .name = "instructions.fp64_conversion.share",
    .unit = kShare,
    .meaning =
        "Conversions between FP64 and narrower numbers, of the FP64 instructions: "
        "doubles that the data does not ask for.",
    .words = "@ of instructions convert to or from FP64",
    .needs = kOpcodeMetrics[0],
    .quick = true,
};
inline constexpr FactInfo kInstructionsFp64DivisionShare = {
    .name = "instructions.fp64_division.share",
    .unit = kShare,
    .meaning = "What divisions and roots take of the FP64 instructions, about nine each.",
    .words = "@ of FP64 instructions are divisions and roots",
    .needs = kOpcodeMetrics[0],
    .quick = true,
};
inline constexpr FactInfo kInstructionsIntegerDivisionShare = {
    .name = "instructions.integer_division.share",
    .unit = kShare,
    .meaning =
        "What integer divisions and remainders take of all instructions, about twenty "
        "each.",
    .words = "@ of instructions are integer divisions",
    .needs = kOpcodeMetrics[0],
    .quick = true,
};
inline constexpr FactInfo kInstructionsFootprint = {
    .name = "instructions.footprint",
    .unit = "byte",
    .meaning = "Machine code that was executed at least once.",
    .words = "@ of code executed",
    .needs = "inst_executed",
    .quick = true,
};
inline constexpr FactInfo kInstructionsIcacheHitShare = {
    .name = "instructions.icache_hit.share",
    .unit = kShare,
    .meaning = "Requests that the SM's instruction cache served.",
    .words = "@ instruction-cache hits",
    .value = [](Formula& formula) { return formula.read("sm__icc_request_hit_rate.pct") / 100; },
    .quick = true,
};

}  // namespace facts

inline constexpr FactInfo kExecutionFacts[] = {
    facts::kExecutionInstructions,         facts::kExecutionIpc,
    facts::kExecutionActiveThreadsShare,   facts::kExecutionUsefulThreadsShare,
    facts::kExecutionPredicatedOffShare,   facts::kExecutionBranchUniformShare,
    facts::kExecutionBranchShare,          facts::kInstructionsShare.info,
    facts::kInstructionsOpcodeCount.info,  facts::kInstructionsTensorCount.info,
    facts::kInstructionsWgmmaShare,        facts::kInstructionsTensorShape,
    facts::kInstructionsImadOfFmaShare,    facts::kInstructionsWarpgroupOfBarriersShare,
    facts::kInstructionsMultiplyAddShare,  facts::kInstructionsNarrowTypes,
    facts::kInstructionsHalfInputsShare,   facts::kInstructionsFp64ConversionShare,
    facts::kInstructionsFp64DivisionShare, facts::kInstructionsIntegerDivisionShare,
    facts::kInstructionsFootprint,         facts::kInstructionsIcacheHitShare,
};

}  // namespace proofline

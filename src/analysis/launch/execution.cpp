// SPDX-License-Identifier: Apache-2.0
//
// What the warps execute: how many of their threads take part and how many do useful work, and the
// mix of instructions by class.
#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "analysis/analysis.h"
#include "analysis/launch/opcode_counts.h"

namespace proofline {
namespace {

constexpr FactInfo kExecutionFacts[] = {
    {"execution.instructions", "inst", "Warp instructions executed."},
    {"execution.ipc", "inst/cycle", "Warp instructions that an SM executes in an active cycle."},
    {"execution.active_threads.share", kShare,
     "Threads active in an instruction, of 32: less is divergence."},
    {"execution.useful_threads.share", kShare,
     "Threads neither inactive nor switched off by a predicate, of 32."},
    {"execution.predicated_off.share", kShare,
     "Of the active threads, those that a predicate switched off."},
    {"execution.branch.uniform.share", kShare,
     "Branches whose threads all went the same way; it can read 0.99 while one lane works."},
    {"execution.branch.share", kShare, "Branches of all instructions."},
    {"instructions.<class>.share", kShare,
     "Instructions of a class, of all executed: async, atomic, barrier, constant, control, "
     "conversion, fence, fp16, fp32, fp64, global, integer, local, move, other, shared, shuffle, "
     "special-function, tensor, tensor-memory, texture, uniform, unknown."},
    {"instructions.opcode.<opcode>.count", "inst", "Executed instructions with this mnemonic."},
    {"instructions.tensor.<opcode>.count", "inst", "Tensor instructions by mnemonic."},
    {"instructions.wgmma.share", kShare,
     "Warpgroup matrix instructions (HGMMA, QGMMA, IGMMA, BGMMA) of all executed."},
    {"instructions.tensor.shape", "", "The tensor instruction that was executed most."},
    {"instructions.imad_of_fma.share", kShare,
     "Integer multiply-adds among the instructions of the FMA pipe."},
    {"instructions.warpgroup_of_barriers.share", kShare,
     "Waits for warpgroup matrix instructions among the instructions that stall as barriers."},
    {"instructions.multiply_add.share", kShare,
     "Multiply-adds outside the tensor cores (FFMA, HFMA2, IDP), of all executed."},
    {"instructions.narrow_types", "",
     "16-bit or narrower number types that the kernel's name or signature holds."},
    {"instructions.half_inputs.share", kShare,
     "Conversions from 16-bit or narrower numbers plus half-precision arithmetic, of all "
     "executed."},
    {"instructions.fp64_conversion.share", kShare,
     "Conversions between FP64 and narrower numbers, of the FP64 instructions: doubles that the "
     "data does not ask for."},
    {"instructions.fp64_division.share", kShare,
     "What divisions and roots take of the FP64 instructions, about nine each."},
    {"instructions.integer_division.share", kShare,
     "What integer divisions and remainders take of all instructions, about twenty each."},
    {"instructions.footprint", "byte", "Machine code that was executed at least once."},
    {"instructions.icache_hit.share", kShare, "Requests that the SM's instruction cache served."},
};

constexpr std::string_view kThreads[] = {
    "smsp__thread_inst_executed_per_inst_executed.ratio",
    "smsp__average_thread_inst_executed_per_inst_executed.ratio",
    "smsp__thread_inst_executed_per_inst_executed"};
constexpr std::string_view kThreadsOn[] = {
    "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
    "smsp__average_thread_inst_executed_pred_on_per_inst_executed.ratio",
    "smsp__thread_inst_executed_not_pred_off_per_inst_executed"};

void publish_threads(const Subject& subject, Facts& facts) {
  constexpr double kWarp = 32;
  Formula active(subject);
  const double threads = active.read_any(kThreads);
  active.publish(facts, "execution.active_threads.share", kShare, threads / kWarp);
  Formula useful(subject);
  const double on = useful.read_any(kThreadsOn);
  useful.publish(facts, "execution.useful_threads.share", kShare, on / kWarp);
  Formula off(subject);
  const double all = off.read_any(kThreads);
  const double working = off.read_any(kThreadsOn);
  off.publish(facts, "execution.predicated_off.share", kShare, 1 - working / all);

  publish_percent(subject, facts, "execution.branch.uniform.share",
                  "smsp__sass_average_branch_targets_threads_uniform.pct");
  Formula branches(subject);
  const double count = branches.read("smsp__inst_executed_op_branch.sum");
  branches.publish(facts, "execution.branch.share", kShare,
                   count / branches.read_any({"smsp__inst_executed.sum", "inst_executed"}));
}

// Whether an opcode turns 16-bit or narrower numbers into wider ones or computes with them.
bool takes_narrow_numbers(std::string_view opcode, InstructionClass kind) {
  if (kind == InstructionClass::kFp16) return true;
  if (kind != InstructionClass::kConversion) return false;
  if (opcode.starts_with("HADD2")) return true;
  for (const std::string_view part : {"F16", "BF16", "E4M3", "E5M2", "S8", "U8"}) {
    if (has_part(opcode, part)) return true;
  }
  return false;
}

// What is made of the modifiers too.
constexpr std::string_view kOfModifiers[] = {
    "instructions.half_inputs.share", "instructions.integer_division.share",
    "instructions.fp64_conversion.share", "instructions.fp64_division.share"};

void add_uncounted(std::string_view name, std::string_view why, Facts& facts) {
  facts.add_absent({std::string(name), std::string(why), {std::string(kOpcodeMetrics[0])}});
}

void publish_no_mix(Facts& facts) {
  constexpr std::string_view kWhy = "the capture does not count instructions by opcode";
  for (std::size_t i = 0; i < kInstructionClasses; ++i) {
    const std::string_view name = fact_class(static_cast<InstructionClass>(i));
    add_uncounted("instructions." + std::string(name) + ".share", kWhy, facts);
  }
  for (const std::string_view name :
       {"instructions.opcode.<opcode>.count", "instructions.tensor.<opcode>.count",
        "instructions.wgmma.share", "instructions.tensor.shape", "instructions.imad_of_fma.share",
        "instructions.multiply_add.share", "instructions.warpgroup_of_barriers.share"}) {
    add_uncounted(name, kWhy, facts);
  }
  for (const std::string_view name : kOfModifiers) add_uncounted(name, kWhy, facts);
}

void publish_mix(const Subject& subject, Facts& facts) {
  const OpcodeCounts counts = opcode_counts(subject);
  if (counts.metric.empty()) return publish_no_mix(facts);
  std::map<std::string_view, double> classes;  // all of them, so that none executed reads as zero
  for (std::size_t i = 0; i < kInstructionClasses; ++i) {
    classes[fact_class(static_cast<InstructionClass>(i))] = 0;
  }
  std::map<std::string, double> mnemonics;
  double imad = 0;
  double fma_pipe = 0;
  double narrow = 0;
  double multiply_adds = 0;
  double fp64_conversions = 0;
  double fp64_seeds = 0;
  double integer_seeds = 0;
  for (const OpcodeCount& row : counts.rows) {
    const InstructionClass kind = instruction_class(row.opcode);
    classes[fact_class(kind)] += row.count;
    mnemonics[std::string(mnemonic_of(row.opcode))] += row.count;
    // The compiler moves registers with IMAD.MOV; that is no integer work.
    const bool multiply_add = row.opcode.starts_with("IMAD") && !has_part(row.opcode, "MOV");
    for (const std::string_view name : {"FFMA", "HFMA2", "IDP"}) {
      if (row.opcode.starts_with(name)) multiply_adds += row.count;
    }
    if (multiply_add) imad += row.count;
    if (multiply_add || kind == InstructionClass::kFp32 || kind == InstructionClass::kFp16) {
      fma_pipe += row.count;
    }
    if (takes_narrow_numbers(row.opcode, kind)) narrow += row.count;
    if (row.opcode.starts_with("F2F") && has_part(row.opcode, "F64")) fp64_conversions += row.count;
    if (row.opcode.starts_with("I2F") && has_part(row.opcode, "RP")) integer_seeds += row.count;
    if (has_part(row.opcode, "RCP64H") || has_part(row.opcode, "RSQ64H")) fp64_seeds += row.count;
  }
  const Sources sources = {counts.metric};
  for (const auto& [name, count] : classes) {
    facts.add({"instructions." + std::string(name) + ".share", std::string(kShare),
               count / counts.total, sources});
  }
  for (const auto& [name, count] : mnemonics) {
    facts.add({"instructions.opcode." + name + ".count", "inst", count, sources});
    if (instruction_class(name) == InstructionClass::kTensor) {
      facts.add({"instructions.tensor." + name + ".count", "inst", count, sources});
    }
  }
  facts.add({"instructions.wgmma.share", std::string(kShare),
             (mnemonics["HGMMA"] + mnemonics["QGMMA"] + mnemonics["IGMMA"] + mnemonics["BGMMA"]) /
                 counts.total,
             sources});
  const OpcodeCount* top_tensor = nullptr;
  for (const OpcodeCount& row : counts.rows) {
    if (instruction_class(row.opcode) != InstructionClass::kTensor) continue;
    if (top_tensor == nullptr || row.count > top_tensor->count) top_tensor = &row;
  }
  if (top_tensor != nullptr) {
    facts.add({"instructions.tensor.shape", "", top_tensor->opcode, sources});
  } else {
    facts.add_absent({"instructions.tensor.shape", "no tensor instruction was executed", {}});
  }
  facts.add({"instructions.multiply_add.share", std::string(kShare), multiply_adds / counts.total,
             sources});
  const double warpgroup = mnemonics["WARPGROUP"];
  const double barriers = warpgroup + mnemonics["BAR"];
  facts.add({"instructions.warpgroup_of_barriers.share", std::string(kShare),
             barriers > 0 ? warpgroup / barriers : 0, sources});
  facts.add({"instructions.imad_of_fma.share", std::string(kShare),
             fma_pipe > 0 ? imad / fma_pipe : 0, sources});
  if (counts.modifiers) {
    facts.add(
        {"instructions.half_inputs.share", std::string(kShare), narrow / counts.total, sources});
    // A quotient or root starts from a rough one, which eight multiply-adds refine.
    constexpr double kPerDivision = 9;
    constexpr double kPerIntegerDivision = 20;
    facts.add({"instructions.integer_division.share", std::string(kShare),
               std::min(1.0, kPerIntegerDivision * integer_seeds / counts.total), sources});
    const double fp64 = std::max(1.0, classes["fp64"]);
    facts.add({"instructions.fp64_conversion.share", std::string(kShare),
               std::min(1.0, fp64_conversions / fp64), sources});
    facts.add({"instructions.fp64_division.share", std::string(kShare),
               std::min(1.0, kPerDivision * fp64_seeds / fp64), sources});
  } else {
    for (const std::string_view name : kOfModifiers) {
      add_uncounted(name, "the capture counts opcodes without their modifiers", facts);
    }
  }
}

// BF16 is widened by shifts, which no opcode tells from index arithmetic; a signature does.
void publish_types(const Subject& subject, Facts& facts) {
  std::string types;
  for (const std::string_view type : {"__half", "half2", "bfloat16", "BFloat16", "c10::Half",
                                      "half_t", "bfloat16_t", "fp8", "e4m3", "e5m2", "float8"}) {
    if (subject.launch.name.find(type) == std::string::npos &&
        subject.launch.mangled.find(type) == std::string::npos) {
      continue;
    }
    types += (types.empty() ? "" : ", ") + std::string(type);
  }
  if (types.empty()) {
    facts.add_absent({"instructions.narrow_types", "the kernel's name holds none", {}});
  } else {
    facts.add({"instructions.narrow_types", "", types, {}});
  }
}

// Every instruction that ran has one instance, and one is 16 bytes from sm_70 on.
void publish_footprint(const Subject& subject, Facts& facts) {
  constexpr double kInstructionBytes = 16;
  const Metric* executed = subject.metric("inst_executed");
  if (executed == nullptr || executed->instances == nullptr) {
    facts.add_absent(
        {"instructions.footprint", "the capture does not count by instruction", {"inst_executed"}});
    return;
  }
  double used = 0;
  for (std::size_t i = 0; i < column_size(executed->instances->values); ++i) {
    if (as_number(column_at(executed->instances->values, i)).value_or(0) > 0) ++used;
  }
  facts.add({"instructions.footprint", "byte", used * kInstructionBytes, {"inst_executed"}});
}

void publish_execution(const Subject& subject, Facts& facts) {
  publish_metric(subject, facts, "execution.instructions", "inst",
                 {"smsp__inst_executed.sum", "inst_executed"});
  publish_metric(
      subject, facts, "execution.ipc", "inst/cycle",
      {"sm__inst_executed.avg.per_cycle_active", "sm__inst_issued.avg.per_cycle_active"});
  publish_threads(subject, facts);
  publish_mix(subject, facts);
  publish_types(subject, facts);
  publish_footprint(subject, facts);
  publish_percent(subject, facts, "instructions.icache_hit.share", "sm__icc_request_hit_rate.pct");
}

}  // namespace

Analysis execution() { return {"execution", kExecutionFacts, publish_execution}; }

}  // namespace proofline

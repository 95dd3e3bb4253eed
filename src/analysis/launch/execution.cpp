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
#include "analysis/launch/execution_facts.h"
#include "analysis/launch/opcode_counts.h"

namespace proofline {
namespace {

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
  active.publish(facts, facts::kExecutionActiveThreadsShare, threads / kWarp);
  Formula useful(subject);
  const double on = useful.read_any(kThreadsOn);
  useful.publish(facts, facts::kExecutionUsefulThreadsShare, on / kWarp);
  Formula off(subject);
  const double all = off.read_any(kThreads);
  const double working = off.read_any(kThreadsOn);
  off.publish(facts, facts::kExecutionPredicatedOffShare, 1 - working / all);

  publish_percent(subject, facts, facts::kExecutionBranchUniformShare);
  Formula branches(subject);
  const double count = branches.read("smsp__inst_executed_op_branch.sum");
  branches.publish(facts, facts::kExecutionBranchShare,
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
constexpr FactInfo kOfModifiers[] = {
    facts::kInstructionsHalfInputsShare, facts::kInstructionsIntegerDivisionShare,
    facts::kInstructionsFp64ConversionShare, facts::kInstructionsFp64DivisionShare};

void mark_uncounted(const FactRef& fact, std::string_view why, Facts& facts) {
  facts.mark_absent(fact, std::string(why), {std::string(kOpcodeMetrics[0])});
}

void publish_no_mix(Facts& facts) {
  constexpr std::string_view kWhy = "the capture does not count instructions by opcode";
  for (std::size_t i = 0; i < kInstructionClasses; ++i) {
    mark_uncounted(facts::kInstructionsShare[static_cast<InstructionClass>(i)], kWhy, facts);
  }
  for (const FactInfo& fact :
       {facts::kInstructionsOpcodeCount.info, facts::kInstructionsTensorCount.info,
        facts::kInstructionsWgmmaShare, facts::kInstructionsTensorShape,
        facts::kInstructionsImadOfFmaShare, facts::kInstructionsMultiplyAddShare,
        facts::kInstructionsWarpgroupOfBarriersShare}) {
    mark_uncounted(fact, kWhy, facts);
  }
  for (const FactInfo& fact : kOfModifiers) mark_uncounted(fact, kWhy, facts);
}

void publish_mix(const Subject& subject, Facts& facts) {
  const OpcodeCounts counts = opcode_counts(subject);
  if (counts.metric.empty()) return publish_no_mix(facts);
  std::map<std::string, double> classes;  // all of them, so that none executed reads as zero
  for (std::size_t i = 0; i < kInstructionClasses; ++i) {
    classes[fact_word(static_cast<InstructionClass>(i))] = 0;
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
    classes[fact_word(kind)] += row.count;
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
    facts.add(facts::kInstructionsShare.named(name), count / counts.total, sources);
  }
  for (const auto& [name, count] : mnemonics) {
    facts.add(facts::kInstructionsOpcodeCount[name], count, sources);
    if (instruction_class(name) == InstructionClass::kTensor) {
      facts.add(facts::kInstructionsTensorCount[name], count, sources);
    }
  }
  facts.add(facts::kInstructionsWgmmaShare,
            (mnemonics["HGMMA"] + mnemonics["QGMMA"] + mnemonics["IGMMA"] + mnemonics["BGMMA"]) /
                counts.total,
            sources);
  const OpcodeCount* top_tensor = nullptr;
  for (const OpcodeCount& row : counts.rows) {
    if (instruction_class(row.opcode) != InstructionClass::kTensor) continue;
    if (top_tensor == nullptr || row.count > top_tensor->count) top_tensor = &row;
  }
  if (top_tensor != nullptr) {
    facts.add(facts::kInstructionsTensorShape, top_tensor->opcode, sources);
  } else {
    facts.mark_absent(facts::kInstructionsTensorShape, "no tensor instruction was executed");
  }
  facts.add(facts::kInstructionsMultiplyAddShare, multiply_adds / counts.total, sources);
  const double warpgroup = mnemonics["WARPGROUP"];
  const double barriers = warpgroup + mnemonics["BAR"];
  facts.add(facts::kInstructionsWarpgroupOfBarriersShare, barriers > 0 ? warpgroup / barriers : 0,
            sources);
  facts.add(facts::kInstructionsImadOfFmaShare, fma_pipe > 0 ? imad / fma_pipe : 0, sources);
  if (counts.modifiers) {
    facts.add(facts::kInstructionsHalfInputsShare, narrow / counts.total, sources);
    // A quotient or root starts from a rough one, which eight multiply-adds refine.
    constexpr double kPerDivision = 9;
    constexpr double kPerIntegerDivision = 20;
    facts.add(facts::kInstructionsIntegerDivisionShare,
              std::min(1.0, kPerIntegerDivision * integer_seeds / counts.total), sources);
    const double fp64 = std::max(1.0, classes["fp64"]);
    facts.add(facts::kInstructionsFp64ConversionShare, std::min(1.0, fp64_conversions / fp64),
              sources);
    facts.add(facts::kInstructionsFp64DivisionShare,
              std::min(1.0, kPerDivision * fp64_seeds / fp64), sources);
  } else {
    for (const FactInfo& fact : kOfModifiers) {
      mark_uncounted(fact, "the capture counts opcodes without their modifiers", facts);
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
    facts.mark_absent(facts::kInstructionsNarrowTypes, "the kernel's name holds none");
  } else {
    facts.add(facts::kInstructionsNarrowTypes, types);
  }
}

// Every instruction that ran has one instance, and one is 16 bytes from sm_70 on.
void publish_footprint(const Subject& subject, Facts& facts) {
  constexpr double kInstructionBytes = 16;
  const Metric* executed = subject.metric("inst_executed");
  if (executed == nullptr || executed->instances == nullptr) {
    facts.mark_absent(facts::kInstructionsFootprint, "the capture does not count by instruction",
                      {"inst_executed"});
    return;
  }
  double used = 0;
  for (std::size_t i = 0; i < column_size(executed->instances->values); ++i) {
    if (as_number(column_at(executed->instances->values, i)).value_or(0) > 0) ++used;
  }
  facts.add(facts::kInstructionsFootprint, used * kInstructionBytes, {"inst_executed"});
}

void publish_execution(const Subject& subject, Facts& facts) {
  publish_metric(subject, facts, facts::kExecutionInstructions);
  publish_metric(subject, facts, facts::kExecutionIpc);
  publish_threads(subject, facts);
  publish_mix(subject, facts);
  publish_types(subject, facts);
  publish_footprint(subject, facts);
}

}  // namespace

Analysis execution() { return {"execution", kExecutionFacts, publish_execution}; }

}  // namespace proofline

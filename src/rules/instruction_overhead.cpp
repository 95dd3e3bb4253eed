// SPDX-License-Identifier: Apache-2.0
//
// Most instructions serve addressing, conversion or bookkeeping, not the work.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "rules/rule.h"
#include "rules/shared/features.h"
#include "rules/shared/gains.h"

namespace proofline {
namespace {

constexpr double kLeastOverhead = 0.35;
constexpr double kLeastDivisions = 0.2;
// Better code halves the bookkeeping instructions but does not remove all of them.
constexpr double kSaved = 0.5;

// Removed instructions save time only as far as issue or the integer pipe binds.
double worth(const Trial& trial, double saved, double rest) {
  const double busy = std::max(trial.maybe(facts::kThroughputShare[Level::kIssue]).value_or(0),
                               trial.maybe(facts::kThroughputShare[Level::kInteger]).value_or(0));
  return std::min(saved * std::min(1.0, busy / kNearRoof), 1 - rest / kReachable);
}

Outcome evaluate_divisions(Trial& trial) {
  const double divisions = *trial.maybe(facts::kInstructionsIntegerDivisionShare);
  const double estimate = worth(trial, 0.9 * divisions, far_memory_share(trial));
  if (estimate < kLeastGain) return trial.clean();
  trial.show(facts::kThroughputShare[Level::kIssue]);
  trial.show(facts::kInstructionsShare[InstructionClass::kInteger]);
  return trial.found(
      fmt::format("integer divisions and remainders take about {} of the instructions",
                  percent(divisions)),
      around(estimate, GainKind::kStallShare),
      "compute indices without division: count up with carries in the loop, let the grid's "
      "dimensions be the tensor's, use 32-bit indices, or multiply by a precomputed reciprocal");
}

// A tensor kernel that spends its issue slots on other instructions.
Outcome evaluate_tensor(Trial& trial) {
  const double overhead =
      trial.need(facts::kInstructionsShare[InstructionClass::kInteger]) +
      trial.need(facts::kInstructionsShare[InstructionClass::kConversion]) +
      trial.maybe(facts::kInstructionsShare[InstructionClass::kMove]).value_or(0);
  if (overhead < kLeastOverhead) return trial.clean();
  if (!trial.at_most(facts::kThroughputShare[Level::kTensor], kNearRoof)) return trial.clean();
  const double tensor = *trial.maybe(facts::kThroughputShare[Level::kTensor]);
  const double estimate =
      worth(trial, kSaved * overhead, std::max(tensor, far_memory_share(trial)));
  if (estimate < kLeastGain) return trial.clean();
  trial.show(facts::kThroughputShare[Level::kIssue]);
  return trial.found(
      fmt::format("{} of the instructions compute addresses, convert or move numbers while the "
                  "tensor pipe is {} busy",
                  percent(overhead), percent(tensor)),
      around(estimate, GainKind::kStallShare),
      fmt::format("decode and convert several numbers at once (packed half2, byte permutes, lop3), "
                  "hoist address arithmetic out of the loop{}",
                  has(trial, kTma)        ? ", and load operands with ldmatrix or TMA"
                  : has(trial, kLdmatrix) ? ", and load operands with ldmatrix"
                                          : ""));
}

// On Hopper, mma.sync keeps the tensor cores busy for longer than wgmma with the same operations.
Outcome evaluate_old_path(Trial& trial) {
  constexpr double kOldRate = 0.65;  // of what wgmma does in the same time
  constexpr double kReached = 0.75;  // of the pipe, by wgmma
  const double tensor = trial.need(facts::kThroughputShare[Level::kTensor]);
  const double estimate = 0.9 * (1 - kOldRate * tensor / kReached);
  trial.show(facts::kInstructionsTensorShape);
  trial.show(facts::kOccupancyRegistersPerThread);
  return trial.found(
      fmt::format("the tensor pipe is {} busy with mma.sync instructions, which do a third less in "
                  "that time than wgmma",
                  percent(tensor)),
      around(estimate, GainKind::kCeiling),
      "use warpgroup instructions (wgmma, by CUTLASS 3 or a library built for sm_90a) fed by TMA");
}

bool takes_old_path(Trial& trial) {
  constexpr double kTensorBusy = 0.3;
  const double capability = trial.maybe(facts::kDeviceComputeCapability).value_or(0);
  const double tensor = trial.maybe(facts::kThroughputShare[Level::kTensor]).value_or(0);
  return capability >= 9 && capability < 10 && tensor >= kTensorBusy && tensor < kAtRoof &&
         trial.maybe_text(facts::kInstructionsTensorShape).value_or("").starts_with("HMMA");
}

// Operands of a product are loaded from shared memory by LDS.32 or LDS.64, not by LDS.128.
bool loads_in_pieces(Trial& trial) {
  constexpr double kLeastLsu = 0.4;
  constexpr double kLeastProducts = 0.5;
  constexpr double kWidest = 12;
  const auto width = trial.maybe(facts::kMemorySharedWidth[Access::kLoad]);
  const double lsu = trial.maybe(facts::kThroughputShare[Level::kLsu]).value_or(0);
  return width && *width > 0 && *width <= kWidest && lsu >= kLeastLsu &&
         trial.maybe(facts::kRoofShare).value_or(lsu) < kNearRoof &&
         trial.maybe(facts::kInstructionsMultiplyAddShare).value_or(0) >= kLeastProducts &&
         trial.at_least(facts::kThroughputShare[Level::kLsu], kLeastLsu) &&
         trial.at_least(facts::kInstructionsMultiplyAddShare, kLeastProducts) &&
         trial.at_most(facts::kMemorySharedWidth[Access::kLoad], kWidest);
}

Outcome evaluate_pieces(Trial& trial) {
  constexpr double kVector = 16;
  const double width = *trial.maybe(facts::kMemorySharedWidth[Access::kLoad]);
  const double estimate =
      (1 - width / kVector) * *trial.maybe(facts::kThroughputShare[Level::kLsu]);
  trial.show(facts::kInstructionsShare[InstructionClass::kSharedLoad]);
  trial.show(facts::kStallShare[Stall::kMioThrottle]);
  return trial.found(
      fmt::format(
          "shared-memory loads bring {:.1f} bytes per thread where {:.0f} would do, and keep "
          "the LSU pipe {} busy beside the multiply-adds",
          width, kVector, percent(*trial.maybe(facts::kThroughputShare[Level::kLsu]))),
      around(estimate, GainKind::kStallShare),
      "load operands from shared memory in 16-byte vectors (LDS.128): lay the tile out so that "
      "what a thread needs is adjacent, and let each thread compute a larger tile from them");
}

Outcome evaluate_instruction_overhead(Trial& trial) {
  if (trial.maybe(facts::kInstructionsIntegerDivisionShare).value_or(0) >= kLeastDivisions &&
      trial.at_least(facts::kInstructionsIntegerDivisionShare, kLeastDivisions)) {
    return evaluate_divisions(trial);
  }
  if (loads_in_pieces(trial)) return evaluate_pieces(trial);
  if (!trial.at_least(facts::kInstructionsShare[InstructionClass::kTensor], 0.001))
    return trial.clean();
  return takes_old_path(trial) ? evaluate_old_path(trial) : evaluate_tensor(trial);
}

}  // namespace

Rule instruction_overhead() {
  return {
      .id = "instruction-overhead",
      .group = CauseGroup::kWaste,
      .bound = Bound::kCompute,
      .at = "issue",
      .what =
          "Most instructions serve addressing, conversion or bookkeeping: a tensor kernel busy "
          "with integer work, mma.sync where the GPU has wgmma, indices computed by divisions, or "
          "operands loaded from shared memory in pieces.",
      .why =
          "Every instruction takes an issue slot, whether it does the work or prepares it. A "
          "32-bit division is about twenty instructions, a 64-bit one three times that.",
      .fix =
          "Hoist index arithmetic, replace divisions, decode packed numbers several at a time, let "
          "TMA or ldmatrix compute addresses.",
      .limits =
          "Needs the counts by opcode. Integer work of a kernel without tensor instructions and "
          "divisions may well be the work itself and is left to integer-pipe and issue-slots.",
      .explains = {"tensor-pipe", "issue-slots", "integer-pipe", "dependency-latency",
                   "special-function-pipe", "low-occupancy", "instruction-cache"},
      .evaluate = evaluate_instruction_overhead,
  };
}

}  // namespace proofline

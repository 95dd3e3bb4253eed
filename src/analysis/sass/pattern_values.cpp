// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/pattern_values.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace proofline {
namespace {

using Measure = ValueClaim::Term::Measure;

constexpr double kNoLimit = ValueRange::kNoLimit;

KnownValue exactly(double value) { return {{value, value}, ""}; }
KnownValue unknown(std::string missing) { return {{0, kNoLimit}, std::move(missing)}; }

// Calls of other files add to what a function needs itself: the linker knows the sum.
bool grows_when_linked(const PatternCode& code) {
  if (code.function.resources.linked) return false;
  const auto& instructions = code.function.instructions;
  return !code.function.complete ||
         std::any_of(instructions.begin(), instructions.end(), [&](const Instruction& one) {
           return one.opcode == kUnknownOpcode ||
                  flow_kind(code.opcodes[one.opcode]) == FlowKind::kCall;
         });
}

KnownValue of_function(double value, const PatternCode& code) {
  if (!grows_when_linked(code)) return exactly(value);
  return {{value, kNoLimit}, "it is not linked yet, and what it calls may need more"};
}

KnownValue registers_of(const PatternRegion& region, const PatternCode& code) {
  const PatternScope& scope = code.scope;
  if (region.role != kNoRole && (*scope.roles)[region.role].registers) {
    return exactly(*(*scope.roles)[region.role].registers);
  }
  if (code.function.resources.registers)
    return of_function(*code.function.resources.registers, code);
  if (scope.launched_registers) return exactly(*scope.launched_registers);
  return unknown("a listing does not tell how many are allocated; a cubin or a report does");
}

KnownValue stack_of(const PatternCode& code) {
  const auto& bytes = code.function.resources.stack_bytes;
  if (bytes) return of_function(static_cast<double>(*bytes), code);
  return unknown("the file does not tell the size of the stack frame; a cubin does");
}

KnownValue shared_of(const PatternCode& code) {
  if (const auto& launched = code.scope.launched_shared_bytes) {
    const auto [least, most] = *launched;
    return {{static_cast<double>(least), static_cast<double>(most)},
            least == most ? "" : "its launches differ"};
  }
  const auto fixed = code.function.resources.shared_bytes;
  return {{static_cast<double>(fixed.value_or(0)), kNoLimit},
          "what a launch adds to it is in a report only"};
}

KnownValue loops_of(const PatternRegion& region, const PatternCode& code, bool working) {
  const PatternScope& scope = code.scope;
  double count = 0;
  for (std::uint32_t loop = 0; loop < code.flow.loops.size(); ++loop) {
    const bool polls = loop < scope.polling.size() && scope.polling[loop];
    if (loop == region.loop || (working && polls)) continue;
    if (contains(code, region, code.flow.loops[loop].header)) ++count;
  }
  // A way back into the middle of a loop is none of those that were counted.
  const std::uint32_t more = code.flow.irreducible;
  return {{count, count + more}, more == 0 ? "" : "not all ways back lead to the head of a loop"};
}

KnownValue mbarriers_of(const PatternCode& code, bool unpaired) {
  if (!code.scope.mbarriers) return unknown("mbarriers were not looked for");
  const PatternMbarriers& all = *code.scope.mbarriers;
  const double count = unpaired ? all.unpaired : all.barriers;
  const bool doubtful = unpaired && count > 0 && !all.in_doubt.empty();
  if (all.unplaced == 0 && !doubtful) return exactly(count);
  return {{unpaired ? 0 : count, count + all.unplaced},
          doubtful ? all.in_doubt : "not every mbarrier instruction tells its address"};
}

}  // namespace

KnownValue value_of(Measure measure, const PatternRegion& region, const PatternCode& code) {
  switch (measure) {
    case Measure::kRegisters: return registers_of(region, code);
    case Measure::kStack: return stack_of(code);
    case Measure::kShared: return shared_of(code);
    default: break;
  }
  if (!code.function.complete || code.flow.open()) return unknown("not all of the code is known");
  switch (measure) {
    case Measure::kLoops: return loops_of(region, code, false);
    case Measure::kWorkingLoops:
      if (code.scope.polling.size() < code.flow.loops.size()) return unknown("");
      return loops_of(region, code, true);
    case Measure::kRoles:
      if (!code.scope.roles) return unknown("roles were not looked for");
      return exactly(static_cast<double>(code.scope.roles->size()));
    case Measure::kMbarriers: return mbarriers_of(code, false);
    case Measure::kUnpairedMbarriers: return mbarriers_of(code, true);
    default: break;
  }
  return unknown("");
}

}  // namespace proofline

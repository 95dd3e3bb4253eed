// SPDX-License-Identifier: Apache-2.0
//
// Names: of the enums of a decision, and of a side.
#include "model/measurement/decision.h"

#include <fmt/format.h>

#include "base/text.h"

namespace proofline {

std::string_view to_string(DecisionVerdict verdict) {
  switch (verdict) {
    case DecisionVerdict::kKeep: return "KEEP";
    case DecisionVerdict::kRevert: return "REVERT";
    case DecisionVerdict::kInconclusive: return "INCONCLUSIVE";
    case DecisionVerdict::kInvalid: return "INVALID";
    case DecisionVerdict::kNoDifference: return "NO DIFFERENCE";
  }
  return "";
}

std::string_view to_string(GateState state) {
  switch (state) {
    case GateState::kPassed: return "passed";
    case GateState::kFailed: return "failed";
    case GateState::kNotRun: return "not-run";
  }
  return "";
}

std::string verdict_text(const Decision& decision) {
  std::string text(to_string(decision.verdict));
  if (decision.verdict == DecisionVerdict::kNoDifference) {
    text += fmt::format(" (above {})", share_text(decision.threshold));
  }
  return text;
}

std::string configuration_name(const DecidedConfiguration& decided) {
  std::string implementation = decided.implementation_a;
  if (decided.implementation_b != implementation) {
    implementation += " -> " + decided.implementation_b;
  }
  return configuration_name(decided.benchmark, implementation, decided.axes);
}

std::string side_label(const BenchmarkSide& side) {
  const std::string& command = side.benchmark.command;
  return command.empty() ? side.label : fmt::format("{}: {}", side.label, command);
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "cli/exit_codes.h"

#include <algorithm>

namespace proofline {

ExitCode exit_code_after(const std::vector<Note>& notes) {
  const bool lost = std::any_of(notes.begin(), notes.end(),
                                [](const Note& note) { return note.kind == NoteKind::kLoss; });
  return lost ? ExitCode::kPartial : ExitCode::kDone;
}

ExitCode exit_code_after(const ProfileComparison& comparison) {
  const bool all = !comparison.kernels.empty() &&
                   std::none_of(comparison.kernels.begin(), comparison.kernels.end(),
                                [](const KernelComparison& pair) { return pair.refused; });
  return all ? exit_code_after(comparison.notes) : ExitCode::kPartial;
}

ExitCode exit_code_after(const Decision& decision) {
  switch (decision.verdict) {
    case DecisionVerdict::kKeep: return exit_code_after(decision.notes);
    case DecisionVerdict::kRevert: return ExitCode::kFailed;
    case DecisionVerdict::kInconclusive: return ExitCode::kInconclusive;
    case DecisionVerdict::kNoDifference:
      return decision.keep_same ? exit_code_after(decision.notes) : ExitCode::kNoDifference;
    case DecisionVerdict::kInvalid: break;
  }
  return ExitCode::kInput;
}

ExitCode exit_code_after(const CheckRun& checks) {
  switch (checks.verdict()) {
    case CheckVerdict::kFail: return ExitCode::kFailed;
    case CheckVerdict::kUnknown: return ExitCode::kInconclusive;
    default: return exit_code_after(checks.notes);
  }
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "cli/sanitizer_file.h"

#include <utility>
#include <vector>

#include "base/propagate.h"
#include "cli/exit_codes.h"
#include "cli/notes.h"
#include "views/machine/sanitizer_document.h"
#include "views/machine/sanitizer_json.h"
#include "workflow/sanitize/sanitizer_logs.h"

namespace proofline {

void present_sanitizer(const SanitizerRun& run, const OutputFlags& output, Context& context) {
  std::vector<Note> notes = run.notes;
  for (const SanitizerToolResult& result : run.tools) {
    notes.insert(notes.end(), result.log.notes.begin(), result.log.notes.end());
  }
  present({.document = [&] { return compose_sanitizer(run); },
           .json = [&](JsonWriter& json) { write_sanitizer_json(run, json); },
           .rows = [&] { return compose_sanitizer_rows(run); },
           .notes = std::move(notes)},
          output, context);
}

Result<ExitCode> show_sanitizer_logs(Input first, std::span<const std::string> others,
                                     const OutputFlags& output, const InputLimits& limits,
                                     Context& context) {
  ASSIGN_OR_RETURN(const auto run, read_sanitizer_logs(std::move(first), others, limits));
  present_sanitizer(run, output, context);
  switch (run.outcome()) {
    case SanitizerOutcome::kFindings: return ExitCode::kFailed;
    case SanitizerOutcome::kClean: return exit_code_after(run.tools.front().log.notes);
    default: return ExitCode::kPartial;
  }
}

}  // namespace proofline

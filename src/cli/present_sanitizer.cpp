// SPDX-License-Identifier: Apache-2.0
#include "cli/present_sanitizer.h"

#include <utility>
#include <vector>

#include "base/record_json.h"
#include "cli/exit_codes.h"
#include "views/machine/sanitizer_document.h"

namespace proofline {

void present_sanitizer(const SanitizerRun& run, const OutputFlags& output, Context& context) {
  std::vector<Note> notes = run.notes;
  for (const SanitizerToolResult& result : run.tools) {
    notes.insert(notes.end(), result.log.notes.begin(), result.log.notes.end());
  }
  present({.document = [&] { return compose_sanitizer(run); },
           .json = [&](JsonWriter& json) { write_record(run, json); },
           .rows = [&] { return compose_sanitizer_rows(run); },
           .notes = std::move(notes)},
          output, context);
}

ExitCode present_sanitizer_logs(const SanitizerRun& run, const OutputFlags& output,
                                Context& context) {
  present_sanitizer(run, output, context);
  switch (run.outcome()) {
    case SanitizerOutcome::kFindings: return ExitCode::kFailed;
    case SanitizerOutcome::kClean: return exit_code_after(run.tools.front().log.notes);
    default: return ExitCode::kPartial;
  }
}

}  // namespace proofline

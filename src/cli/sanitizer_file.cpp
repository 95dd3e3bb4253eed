// SPDX-License-Identifier: Apache-2.0
#include "cli/sanitizer_file.h"

#include <utility>

#include "base/propagate.h"
#include "cli/exit_codes.h"
#include "cli/notes.h"
#include "views/machine/sanitizer_document.h"
#include "views/machine/sanitizer_json.h"
#include "workflow/sanitize/sanitizer_logs.h"

namespace proofline {
void present_sanitizer(const SanitizerRun& run, const OutputFlags& output, Context& context) {
  const bool csv = output.format == "csv";
  if (csv) {
    print_notes(run.notes);
    for (const SanitizerToolResult& result : run.tools) print_notes(result.log.notes);
  }
  present({[&] { return csv ? compose_sanitizer_rows(run) : compose_sanitizer(run); },
           [&](JsonWriter& json) { write_sanitizer_json(run, json); }},
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

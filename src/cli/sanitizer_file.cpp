// SPDX-License-Identifier: Apache-2.0
#include "cli/sanitizer_file.h"

#include <fmt/format.h>

#include <utility>

#include "base/propagate.h"
#include "base/text.h"
#include "cli/notes.h"
#include "readers/format.h"
#include "readers/sanitizer/sanitizer_log.h"
#include "views/machine/sanitizer_document.h"
#include "views/machine/sanitizer_json.h"

namespace proofline {
namespace {

Result<SanitizerToolResult> read_log(Input& input) {
  ASSIGN_OR_RETURN(auto log, read_sanitizer_log(input));
  SanitizerToolResult result;
  result.log = std::move(log);
  result.tool = result.log.tool;
  judge_log(result);
  return result;
}

}  // namespace

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
  SanitizerRun run;
  auto result = read_log(first);
  if (!result) return tl::make_unexpected(result.error());
  run.tools.push_back(std::move(*result));
  for (const std::string& path : others) {
    ASSIGN_OR_RETURN(auto input, Input::open(path, limits));
    if (!identify(input, {InputKind::kSanitizerLog})) {
      return fail(ErrorKind::kUsage,
                  fmt::format("{} is a sanitizer's log, {} is not; pass them one by one",
                              quote(first.name()), quote(path)));
    }
    result = read_log(input);
    if (!result) return tl::make_unexpected(result.error());
    run.tools.push_back(std::move(*result));
  }
  present_sanitizer(run, output, context);
  switch (run.outcome()) {
    case SanitizerOutcome::kFindings: return ExitCode::kFailed;
    case SanitizerOutcome::kClean: return exit_code_after(run.tools.front().log.notes);
    default: return ExitCode::kPartial;
  }
}

}  // namespace proofline

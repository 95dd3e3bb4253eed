// SPDX-License-Identifier: Apache-2.0
#include "cli/sanitizer_file.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/propagate.h"
#include "base/text.h"
#include "cli/notes.h"
#include "readers/reader.h"
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

Result<bool> holds_sanitizer_log(Input& input) {
  ASSIGN_OR_RETURN(const auto prefix, input.peek(kSniffBytes));
  return is_sanitizer_log(prefix);
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
    ASSIGN_OR_RETURN(const auto is_log, holds_sanitizer_log(input));
    if (!is_log) {
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

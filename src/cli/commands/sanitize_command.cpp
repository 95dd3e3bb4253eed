// SPDX-License-Identifier: Apache-2.0
//
// `proofline sanitize -- CMD`: runs the program under compute-sanitizer's tools, one after the
// other, and says what they found.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/input.h"
#include "base/propagate.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/output_flags.h"
#include "cli/present_sanitizer.h"
#include "cli/shared_flags.h"
#include "tools/process/find_tool.h"
#include "tools/sanitizer/sanitizer.h"
#include "workflow/sanitize/sanitizer_session.h"

namespace proofline {
namespace {

ExitCode exit_code_of(const SanitizerRun& run) {
  switch (run.outcome()) {
    case SanitizerOutcome::kClean: break;
    case SanitizerOutcome::kFindings: return ExitCode::kFailed;
    case SanitizerOutcome::kHang:
    case SanitizerOutcome::kTooSlow: return ExitCode::kTimeLimit;
    case SanitizerOutcome::kFailed: return ExitCode::kTool;
    case SanitizerOutcome::kApplicationFailed: return ExitCode::kPartial;
    case SanitizerOutcome::kInterrupted:
    case SanitizerOutcome::kNotRun: return ExitCode::kInterrupted;
  }
  for (const SanitizerToolResult& result : run.tools) {
    if (const ExitCode exit = exit_code_after(result.log.notes); exit != ExitCode::kDone)
      return exit;
  }
  return exit_code_after(run.notes);
}

Result<void> check_flags(const SanitizePlan& flags) {
  for (const std::string& tool : flags.only) {
    if (std::find(kSanitizerTools.begin(), kSanitizerTools.end(), tool) != kSanitizerTools.end()) {
      continue;
    }
    return fail(ErrorKind::kUsage, fmt::format("--only {}: no such tool; there are {}", quote(tool),
                                               fmt::join(kSanitizerTools, ", ")));
  }
  if (flags.options.suppressions.empty()) return {};
  RETURN_IF_ERROR(Input::open(flags.options.suppressions));
  return {};
}

Result<ExitCode> run(SanitizePlan flags, const OutputFlags& output, Context& context) {
  RETURN_IF_ERROR(check_flags(flags));
  ASSIGN_OR_RETURN(auto program, find_program(flags.command.front()));
  flags.command.front() = std::move(program);
  if (flags.run.dry_run) {
    context.out.write(describe_sanitizer_commands(flags, context.announcer));
    return ExitCode::kDone;
  }
  ASSIGN_OR_RETURN(const auto done, sanitize(flags, context.announcer));
  present_sanitizer(done, output, context);
  return exit_code_of(done);
}

Run configure_sanitize(Flags line) {
  auto flags = std::make_shared<SanitizePlan>();
  line.add("CMD", flags->command, "The program and its arguments, after --").required();
  line.add("--only", flags->only,
           "These tools: synccheck, racecheck, memcheck, initcheck; default all, in this "
           "order")
      .shown_as("TOOL,...")
      .separated_by(',')
      .one_at_a_time();
  line.add_switch("--keep-going", flags->keep_going,
                  "Run all tools even if one of them finds errors");
  line.add("--suppress", flags->options.suppressions,
           "Leave out what this file lists (what compute-sanitizer --xml --save wrote)")
      .shown_as("FILE");
  line.add("-k,--kernel", flags->options.kernel,
           "Check only kernels with a match of this in their mangled name, which is what the "
           "tools look at (_Z4gemmPf); initcheck has to see all")
      .shown_as("REGEX");
  line.add("--launch-skip", flags->options.launch_skip,
           "Launches of these kernels to skip before checking begins")
      .shown_as("N");
  line.add("--launch-count", flags->options.launch_count,
           "Check only this many launches; default: all")
      .shown_as("N");
  add_time_limit_flag(line, flags->run,
                      "Seconds for the program alone and for each tool; default: from 60 s, more "
                      "where the program alone takes long");
  line.add_switch("--no-alone", flags->no_alone, "Do not run the program without a tool first");
  add_run_flags(line, flags->run);
  auto output = add_output_flags(line);
  return [flags, output](Context& context) -> Result<ExitCode> {
    return run(*flags, *output, context);
  };
}

}  // namespace

Command sanitize_command() {
  return {"sanitize", CommandGroup::kGpu, "Check memory, races and barriers with compute-sanitizer",
          "  proofline sanitize -- ./a.out --size 1024\n"
          "      synccheck, racecheck, memcheck, initcheck, up to the first that finds something\n"
          "  proofline sanitize --only memcheck,initcheck --keep-going -- python train.py\n"
          "      some of them, all to the end; processes that the program starts are checked too\n"
          "  proofline sanitize --time-limit 120 --format json -- ./a.out > findings.json\n"
          "      a gate: exit code 1 for errors, 6 for a program that hangs\n"
          "  proofline sanitize --dry-run -- ./a.out\n"
          "      the commands, to be run by hand; 'proofline diagnose' reads the logs\n",
          configure_sanitize};
}

}  // namespace proofline

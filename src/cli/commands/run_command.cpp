// SPDX-License-Identifier: Apache-2.0
//
// `proofline run PLAYBOOK -- CMD`: a playbook played: measured, judged, the next task chosen, and
// with --change tried, again and again.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "base/propagate.h"
#include "base/record_json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/output_flags.h"
#include "cli/shared_flags.h"
#include "views/measurement/decision_document.h"
#include "views/playbook/check_document.h"
#include "views/playbook/check_record.h"
#include "views/playbook/play_document.h"
#include "workflow/run/play_session.h"

namespace proofline {
namespace {

struct RunFlags {
  std::string playbook;  // or the folder of a play, with --resume
  PlayOptions options;
  bool resume = false;
  bool trust = false;
};

ExitCode exit_code_of(const PlayOutcome& outcome) {
  switch (outcome.result.play.outcome) {
    case PlayState::kWrong: return ExitCode::kFailed;
    case PlayState::kOutOfTime: return ExitCode::kTimeLimit;
    case PlayState::kMeasured: return ExitCode::kDone;
    case PlayState::kChecked: return exit_code_after(*outcome.result.checks);
    case PlayState::kStarted:
    case PlayState::kStopped:
    case PlayState::kWaiting:
    case PlayState::kFinished:
    case PlayState::kSpent: break;
  }
  return outcome.decision ? exit_code_after(*outcome.decision) : ExitCode::kDone;
}

Document compose(const PlayOutcome& outcome) {
  Document document;
  if (outcome.decision) document = compose_decision(*outcome.decision);
  append(compose_play(outcome.result), document);
  return document;
}

Result<ExitCode> run(RunFlags flags, const OutputFlags& output, Context& context) {
  PlayOptions& options = flags.options;
  std::error_code ignored;
  if (flags.resume && !flags.playbook.empty() &&
      !std::filesystem::is_directory(flags.playbook, ignored)) {
    // `run --resume -- CMD`: what is first is no folder but the program.
    auto& command = options.request.command;
    command.insert(command.begin(), std::exchange(flags.playbook, ""));
  }
  if (!flags.resume) {
    if (flags.playbook.empty()) {
      return fail(ErrorKind::kUsage,
                  "no PLAYBOOK to play: name one of 'proofline list playbooks', or a file");
    }
    if (options.request.command.empty()) {
      return fail(ErrorKind::kUsage,
                  "no program to measure: give it after --, as in 'proofline run PLAYBOOK -- CMD'");
    }
    if (options.bench.run.dry_run) {
      ASSIGN_OR_RETURN(const auto commands,
                       describe_play(flags.playbook, options, context.announcer));
      context.out.write(commands);
      return ExitCode::kDone;
    }
  }
  ASSIGN_OR_RETURN(const auto outcome,
                   flags.resume
                       ? resume_play(flags.playbook, options, context.announcer)
                       : begin_play(flags.playbook, options, flags.trust, context.announcer));
  present({.document = [&] { return compose(outcome); },
           .json = [&](JsonWriter& json) { write_record(outcome.result, json); },
           .rows = [&] { return compose_play_rows(outcome.result); },
           .headline = outcome.result.headline},
          output, context);
  return exit_code_of(outcome);
}

void add_loop_flags(Flags line, RunFlags& flags) {
  PlayOptions& options = flags.options;
  PlayRequest& request = options.request;
  line.add("--build", request.build, "What builds the program, in one string").shown_as("CMD");
  line.add("--check", request.check, "A program that returns 0 where the results are right")
      .shown_as("CMD");
  line.add("--change", request.change,
           "Makes the change that was chosen: gets choice.json on standard input, runs in a work "
           "tree of its own. What is faster becomes a commit on the branch proofline/NAME; your "
           "checkout stays as it is")
      .shown_as("CMD");
  line.add("--attempts", options.attempts, "With --change: make this many at most")
      .shown_as("N")
      .in_range(1, 10000)
      .with_default();
  line.add("--a", options.a,
           "With --resume: the program before the change; default: the copy that was kept")
      .shown_as("CMD");
  line.add("--task", options.task, "Take this task or option instead of the one that is next")
      .shown_as("ID");
  line.add("--skip", request.skipped, "Never take this task, and why; may be repeated")
      .shown_as("ID=REASON")
      .one_at_a_time();
}

void add_phase_flags(Flags line, RunFlags& flags) {
  PlayOptions& options = flags.options;
  line.add_switch("--resume", flags.resume,
                  "Go on with the play in the folder given as PLAYBOOK, or the latest: after "
                  "a kill where it was, after a change with its trial");
  line.add("--from", options.from, "Take what is before this phase from earlier runs")
      .shown_as("PHASE");
  line.add("--until", options.until, "Stop after this phase, check or choose").shown_as("PHASE");
  line.add("--again", options.again,
           "Repeat this phase even if its result is kept; may be repeated")
      .shown_as("PHASE")
      .one_at_a_time();
  line.add("--max-time", options.max_time,
           "Begin nothing more after this many seconds (exit code 6); --resume goes on")
      .shown_as("SECONDS")
      .in_range(0.001, 1e7);
  line.add_switch("--trust", flags.trust, "Play a file that belongs to another user");
  line.add("--plays", options.plays, "Where plays are kept").shown_as("DIR").with_default();
}

Run configure_run(Flags line) {
  auto flags = std::make_shared<RunFlags>();
  PlayOptions& options = flags->options;
  line.add("PLAYBOOK", flags->playbook,
           "A shipped playbook (list playbooks) or a TOML file; docs/playbooks.md");
  line.add("CMD", options.request.command, "The program and its arguments, after --");
  line.add("--workload", options.request.workload,
           "What the playbook asks about the workload, or a TOML file of it; may be repeated")
      .shown_as("KEY=VALUE|FILE")
      .one_at_a_time();
  line.add("-k,--kernel", options.request.kernel,
           "Profile this kernel, instead of those that the playbook's locks fit")
      .shown_as("REGEX");
  add_loop_flags(line, *flags);
  add_phase_flags(line, *flags);
  add_journal_flag(line, options.request.journal);
  add_starts_flags(line, options.bench);
  add_decision_flags(line, options.bench.decide);
  line.add("--time-by", options.bench.time_by,
           "How a program is timed: its own result, its kernels' GPU time, or the wall clock")
      .one_of({"auto", "program", "cupti", "wall"})
      .shown_as("auto|program|cupti|wall")
      .with_default();
  line.add("--warm-up", options.bench.warm_up, "Warm-up runs of each side, not counted")
      .shown_as("N")
      .in_range(0, 1000)
      .with_default();
  add_time_limit_flag(line, options.bench.run, "Seconds for each run of a program");
  line.add_switch("--show-output", options.bench.run.show_output,
                  "Pass on what the programs print, to standard error");
  line.add_switch("--dry-run", options.bench.run.dry_run, "Print the commands and run nothing");
  auto output = add_output_flags(line);
  return [flags, output](Context& context) -> Result<ExitCode> {
    return run(*flags, *output, context);
  };
}

}  // namespace

Command run_command() {
  return {"run", CommandGroup::kDecide,
          "Play a playbook: measure, judge, choose a change, try it, repeat",
          "  proofline run moe-evidence --build make --check ./test -- ./moe --tokens 64\n"
          "      every phase in its order, then the task to do next; `run --resume` tries it\n"
          "  proofline run mine.toml --change './agent.sh' --attempts 20 -- ./gemm\n"
          "      a program makes the changes, each in a work tree of its own; what is faster is\n"
          "      kept as a commit on a branch\n"
          "  proofline run mine.toml --dry-run -- ./gemm\n"
          "      the commands, to be run by hand\n",
          configure_run};
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// `proofline doctor [-- CMD]`: what this machine has and lacks for profiling, and what to do.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/program/binary_facts.h"
#include "analysis/program/kernel_totals.h"
#include "base/interrupt.h"
#include "base/propagate.h"
#include "cli/command.h"
#include "cli/notes.h"
#include "cli/shared_flags.h"
#include "diagnosis/preflight/preflight.h"
#include "tools/machine/machine.h"
#include "tools/process/find_tool.h"
#include "tools/process/run_folder.h"
#include "tools/recorder/recorder.h"
#include "views/machine/preflight_document.h"
#include "views/machine/preflight_json.h"

namespace proofline {
namespace {

struct DoctorFlags {
  std::vector<std::string> command;
  RunFlags run;
};

RunEnding ending_of(const ProgramEnd& end) {
  switch (end.ending) {
    case Ending::kExited: return RunEnding::kExited;
    case Ending::kSignal: return RunEnding::kSignal;
    case Ending::kTimeLimit:
    case Ending::kInterrupted:
    case Ending::kEnough: break;
  }
  return RunEnding::kTimeLimit;
}

void count_launches(const Recorder& recorder, PreflightRun& run, std::vector<Note>& notes) {
  auto recording = recorder.read();
  if (!recording) {
    run.not_counted = recording.error().message;
    return;
  }
  run.used_cuda = !recording->processes.empty();
  for (const RecordedProcess& process : recording->processes) {
    if (!process.trouble.empty()) run.not_counted = process.trouble;
  }
  for (Note& note : recording->notes) notes.push_back(std::move(note));
  for (KernelTotal& kernel : total_kernels(*recording).kernels) {
    run.kernels.push_back({std::move(kernel.name), kernel.count, kernel.total_ns});
  }
}

// Runs the command once under our recorder and keeps what it printed.
Result<void> run_command(const DoctorFlags& flags, PreflightCommand& command,
                         Announcer& announcer) {
  PreflightRun& run = command.run;
  const InterruptWatch watch;
  ASSIGN_OR_RETURN(auto folder, RunFolder::create(flags.run.runs, "doctor"));
  Step step;
  step.label = "command";
  step.argv = flags.command;
  step.argv.front() = run.program;
  step.time_limit = flags.run.limit();
  const auto recorder = Recorder::prepare(folder.path("recording"));
  if (recorder) {
    step.variables = recorder->variables();
  } else {
    run.not_counted = recorder.error().message;
  }
  ProgressLine progress(announcer);
  progress.show("doctor: running the command once");
  const auto ended = folder.run(step);
  progress.clear();
  if (!ended) return tl::make_unexpected(ended.error());
  if (ended->end.ending == Ending::kInterrupted) {
    return fail(ErrorKind::kInterrupted, "interrupted while the command ran");
  }
  run.ending = ending_of(ended->end);
  run.exit_code = ended->end.exit_code;
  run.signal = ended->end.signal;
  if (recorder) count_launches(*recorder, run, command.binary.notes);
  ASSIGN_OR_RETURN(auto kept, folder.finish(to_string(run.ending)));
  run.folder = std::move(kept);
  return {};
}

Result<PreflightCommand> examine_command(const DoctorFlags& flags, const Machine& machine,
                                         Announcer& announcer) {
  ASSIGN_OR_RETURN(auto program, find_program(flags.command.front()));
  PreflightCommand command;
  command.binary = read_binary_facts(program);
  command.run.program = std::move(program);
  if (!has_gpu(machine)) {
    command.run.not_counted = "there is no GPU to run it on";
    return command;
  }
  RETURN_IF_ERROR(run_command(flags, command, announcer));
  return command;
}

ExitCode exit_code_of(const Preflight& preflight) {
  if (preflight.run && preflight.run->ending == RunEnding::kTimeLimit) return ExitCode::kTimeLimit;
  switch (preflight.readiness) {
    case Readiness::kReady: return ExitCode::kDone;
    case Readiness::kNoPermission: return ExitCode::kPermission;
    case Readiness::kNotReady: break;
  }
  return ExitCode::kTool;
}

Result<ExitCode> run(const DoctorFlags& flags, const OutputFlags& output, Context& context) {
  MachinePlaces places;
  places.runs = flags.run.runs;
  const Machine machine = examine_machine(places);
  std::optional<PreflightCommand> command;
  if (!flags.command.empty()) {
    ASSIGN_OR_RETURN(auto examined, examine_command(flags, machine, context.announcer));
    command = std::move(examined);
  }
  const Preflight preflight = judge_machine(machine, command);
  const bool csv = output.format == "csv";
  if (csv) print_notes(preflight.notes);
  present({[&] { return csv ? compose_preflight_rows(preflight) : compose_preflight(preflight); },
           [&](JsonWriter& json) { write_preflight_json(preflight, json); }},
          output, context);
  return exit_code_of(preflight);
}

Run configure_doctor(CLI::App& app) {
  auto flags = std::make_shared<DoctorFlags>();
  app.add_option("CMD", flags->command,
                 "After --: a program with its arguments, to be looked at and run once");
  flags->run.time_limit = 300;
  add_time_limit_flag(app, flags->run, "Seconds that the command may run before it is ended");
  add_folder_flag(app, flags->run);
  auto output = add_output_flags(app);
  return [flags, output](Context& context) -> Result<ExitCode> {
    return run(*flags, *output, context);
  };
}

}  // namespace

Command doctor_command() {
  return {
      "doctor", "What this machine has and lacks for profiling, and what to do about it",
      "  proofline doctor\n"
      "      GPU, driver, tools, counter permission, clocks, environment: each with what to do\n"
      "  proofline doctor -- ./a.out --size 4096\n"
      "      the same, and whether a.out fits this GPU, and which kernels it launches\n"
      "  proofline doctor --format json\n"
      "      for a program; exit code 0: ready, 9: only the counters are barred, 5: something\n"
      "      is missing or does not fit, as on a machine without a GPU\n",
      configure_doctor};
}

}  // namespace proofline

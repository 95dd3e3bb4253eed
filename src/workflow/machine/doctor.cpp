// SPDX-License-Identifier: Apache-2.0
#include "workflow/machine/doctor.h"

#include <optional>
#include <utility>

#include "analysis/program/binary_facts.h"
#include "analysis/program/kernel_totals.h"
#include "base/interrupt.h"
#include "base/propagate.h"
#include "readers/timeline/recorded_timeline.h"
#include "tools/machine/machine.h"
#include "tools/process/find_tool.h"
#include "tools/process/run_folder.h"
#include "tools/recorder/recorder.h"

namespace proofline {
namespace {

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
Result<void> run_command(const DoctorPlan& plan, PreflightCommand& command, Announcer& announcer) {
  PreflightRun& run = command.run;
  const InterruptWatch watch;
  ASSIGN_OR_RETURN(auto folder, RunFolder::create(plan.run.runs, "doctor"));
  Step step;
  step.label = "command";
  step.argv = plan.command;
  step.argv.front() = run.program;
  step.time_limit = plan.run.limit();
  step.folder = plan.run.folder;
  const auto recorder = Recorder::prepare(folder.path(kRecordingFolder));
  if (recorder) {
    step.variables = recorder->variables();
  } else {
    run.not_counted = recorder.error().message;
  }
  ProgressLine progress(announcer);
  progress.show("doctor: running the command once");
  const auto ended = folder.run(step);
  progress.clear();
  RETURN_IF_ERROR(ended);
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

Result<PreflightCommand> examine_command(const DoctorPlan& plan, const Machine& machine,
                                         Announcer& announcer) {
  ASSIGN_OR_RETURN(auto program, find_program(plan.command.front()));
  PreflightCommand command;
  command.binary = read_binary_facts(program);
  command.run.program = std::move(program);
  if (!has_gpu(machine)) {
    command.run.not_counted = "there is no GPU to run it on";
    return command;
  }
  RETURN_IF_ERROR(run_command(plan, command, announcer));
  return command;
}

}  // namespace

Result<Preflight> examine(const DoctorPlan& plan, Announcer& announcer) {
  MachinePlaces places;
  places.runs = plan.run.runs;
  const Machine machine = examine_machine(places);
  std::optional<PreflightCommand> command;
  if (!plan.command.empty()) {
    ASSIGN_OR_RETURN(auto examined, examine_command(plan, machine, announcer));
    command = std::move(examined);
  }
  return judge_machine(machine, command);
}

}  // namespace proofline

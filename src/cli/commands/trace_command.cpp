// SPDX-License-Identifier: Apache-2.0
//
// `proofline trace -- CMD`: runs the program under our recorder, or under nsys, and shows what its
// timeline says.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "base/interrupt.h"
#include "base/propagate.h"
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/output_flags.h"
#include "cli/shared_flags.h"
#include "tools/process/find_tool.h"
#include "views/timeline/trace_document.h"
#include "workflow/trace/trace_run.h"

namespace proofline {
namespace {

struct TraceFlags {
  std::string by = "recorder";
  TracePlan plan;
};

Result<ExitCode> run(const TraceFlags& flags, const OutputFlags& output, Context& context) {
  TracePlan plan = flags.plan;
  plan.by_nsys = flags.by == "nsys";
  ASSIGN_OR_RETURN(auto program, find_program(plan.program.front()));
  if (plan.run.name.empty()) {
    plan.run.name = std::filesystem::path(plan.program.front()).filename();
  }
  plan.program.front() = std::move(program);
  if (plan.run.dry_run) {
    ASSIGN_OR_RETURN(const auto commands, describe_trace(plan));
    context.out.write(commands);
    return ExitCode::kDone;
  }
  const InterruptWatch watch;
  ASSIGN_OR_RETURN(const auto traced, trace_program(plan, context.announcer));
  Presentation presentation{
      [&] { return compose_trace(traced.timeline, traced.recorded); },
      [&](JsonWriter& json) { write_trace_json(traced.timeline, traced.recorded, json); }};
  presentation.notes = traced.timeline.notes;
  present(presentation, output, context);
  return traced.hit_time_limit ? ExitCode::kTimeLimit : exit_code_after(traced.timeline.notes);
}

Run configure_trace(Flags line) {
  auto flags = std::make_shared<TraceFlags>();
  TracePlan& plan = flags->plan;
  plan.run.time_limit = 1800;
  line.add("CMD", plan.program, "The program and its arguments, after --").required();
  line.add("--by", flags->by,
           "Who records: recorder (ours, through CUPTI) or nsys (Nsight Systems, exported to "
           "SQLite)")
      .one_of({"recorder", "nsys"})
      .shown_as("recorder|nsys")
      .with_default();
  line.add("--delay", plan.delay,
           "Begin this long after the program's start: leaves out its warm-up")
      .in_range(0.0, 1e6)
      .shown_as("SECONDS");
  line.add("--duration", plan.duration,
           "Record for this long; the program goes on to its end. Default: all of it")
      .in_range(0.0, 1e6)
      .shown_as("SECONDS");
  add_time_limit_flag(line, plan.run, "Seconds for the run of the program");
  add_run_flags(line, plan.run);
  auto output = add_output_flags(line);
  return [flags, output](Context& context) -> Result<ExitCode> {
    return run(*flags, *output, context);
  };
}

}  // namespace

Command trace_command() {
  return {"trace", "Record what a program does with the GPU, and when",
          "  proofline trace -- python train.py\n"
          "      kernels, copies, calls, NVTX ranges and waits of every process that it starts\n"
          "  proofline trace --delay 20 --duration 5 -- ./serve\n"
          "      five seconds of a long run, after its warm-up\n"
          "  proofline trace --by nsys -- ./a.out\n"
          "      recorded by Nsight Systems instead, and read from its export\n",
          configure_trace};
}

}  // namespace proofline

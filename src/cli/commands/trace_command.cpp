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
#include "base/record_json.h"
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/output_flags.h"
#include "cli/shared_flags.h"
#include "tools/process/find_tool.h"
#include "views/timeline/timeline_document.h"
#include "views/timeline/timeline_rows.h"
#include "workflow/trace/trace_run.h"

namespace proofline {
namespace {

struct TraceFlags {
  std::string by = "recorder";
  TracePlan plan;
  TimelineParts parts;
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
  const TimelineDiagnosis& diagnosis = traced.diagnosis;
  present({.document =
               [&] {
                 Document document = compose_timeline(diagnosis, flags.parts);
                 document.blocks.emplace_back(Properties{{{"kept in", traced.recorded}}});
                 return document;
               },
           .json = [&](JsonWriter& json) { write_record(diagnosis, json); },
           .rows = [&] { return compose_timeline_rows(diagnosis); },
           .headline = diagnosis.verdict.headline,
           .notes = diagnosis.report.notes},
          output, context);
  return traced.hit_time_limit ? ExitCode::kTimeLimit : exit_code_after(diagnosis.report.notes);
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
  line.add_switch("--all", flags->parts.all, "Every row of every table");
  line.add_switch("--facts", flags->parts.facts, "Every fact that rules and playbooks can read");
  add_time_limit_flag(line, plan.run, "Seconds for the run of the program");
  add_run_flags(line, plan.run);
  auto output = add_output_flags(line);
  return [flags, output](Context& context) -> Result<ExitCode> {
    return run(*flags, *output, context);
  };
}

}  // namespace

Command trace_command() {
  return {
      "trace", CommandGroup::kGpu, "Record a program's timeline and find what holds it back",
      "  proofline trace -- python train.py\n"
      "      kernels, copies, calls, NVTX ranges and waits of every process that it starts, and\n"
      "      whether the host, copies, communication or kernels hold it back\n"
      "  proofline trace --delay 20 --duration 5 -- ./serve\n"
      "      five seconds of a long run, after its warm-up\n"
      "  proofline trace --by nsys -- ./a.out\n"
      "      recorded by Nsight Systems instead, and read from its export\n",
      configure_trace};
}

}  // namespace proofline

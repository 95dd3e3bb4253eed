// SPDX-License-Identifier: Apache-2.0
//
// `proofline doctor [-- CMD]`: what this machine has and lacks for profiling, and what to do.
#include <memory>

#include "base/propagate.h"
#include "base/record_json.h"
#include "cli/command.h"
#include "cli/output_flags.h"
#include "cli/shared_flags.h"
#include "views/machine/preflight_document.h"
#include "workflow/machine/doctor.h"

namespace proofline {
namespace {

ExitCode exit_code_of(const Preflight& preflight) {
  if (preflight.run && preflight.run->ending == RunEnding::kTimeLimit) return ExitCode::kTimeLimit;
  switch (preflight.readiness) {
    case Readiness::kReady: return ExitCode::kDone;
    case Readiness::kNoPermission: return ExitCode::kPermission;
    case Readiness::kNotReady: break;
  }
  return ExitCode::kTool;
}

Result<ExitCode> run(const DoctorPlan& plan, const OutputFlags& output, Context& context) {
  ASSIGN_OR_RETURN(const auto preflight, examine(plan, context.announcer));
  present({.document = [&] { return compose_preflight(preflight); },
           .json = [&](JsonWriter& json) { write_record(preflight, json); },
           .rows = [&] { return compose_preflight_rows(preflight); },
           .notes = preflight.notes},
          output, context);
  return exit_code_of(preflight);
}

Run configure_doctor(Flags line) {
  auto plan = std::make_shared<DoctorPlan>();
  line.add("CMD", plan->command,
           "After --: a program with its arguments, to be looked at and run once");
  add_time_limit_flag(line, plan->run, "Seconds that the command may run before it is ended");
  add_folder_flag(line, plan->run);
  auto output = add_output_flags(line);
  return
      [plan, output](Context& context) -> Result<ExitCode> { return run(*plan, *output, context); };
}

}  // namespace

Command doctor_command() {
  return {
      "doctor", CommandGroup::kGpu, "Check what this machine has and lacks for profiling",
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

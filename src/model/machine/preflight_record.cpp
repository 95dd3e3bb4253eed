// SPDX-License-Identifier: Apache-2.0
#include "base/record.h"
#include "base/record_schema.h"
#include "model/machine/preflight.h"

namespace proofline {

Record describe(const CheckEvidence* /*type*/) {
  return {
      about("evidence"),
      member<&CheckEvidence::source>("source"),
      member<&CheckEvidence::value>("value"),
  };
}

Record describe(const PreflightCheck* /*type*/) {
  return {
      about("check"),
      member<&PreflightCheck::id>(
          "id", "permanent; environment/NAME for a variable, command/... for the command")
          .pattern("^[a-z][a-z0-9-]*(/[A-Za-z0-9_-]+)?$")
          .not_empty()
          .required(),
      member<&PreflightCheck::status>("status").required(),
      member<&PreflightCheck::what>("what"),
      member<&PreflightCheck::statement>("statement"),
      member<&PreflightCheck::evidence>("evidence"),
      member<&PreflightCheck::next>("next", "what to do; empty: nothing"),
  };
}

Record describe(const PreflightGpu* /*type*/) {
  return {
      about("gpu"),
      member<&PreflightGpu::index>("index"),
      member<&PreflightGpu::name>("name"),
      member<&PreflightGpu::uuid>("uuid"),
      member<&PreflightGpu::compute_capability>("cc"),
  };
}

Record describe(const PreflightKernel* /*type*/) {
  return {
      about("kernel"),
      member<&PreflightKernel::name>("name"),
      member<&PreflightKernel::launches>("launches"),
      member<&PreflightKernel::total_ns>("total_ns"),
  };
}

Record describe(const PreflightRun* /*type*/) {
  return {
      about("command", "How the command ran."),
      member<&PreflightRun::program>("program"),
      member<&PreflightRun::ending>("ending"),
      member<&PreflightRun::exit_code>("exit_code").null_unless([](const PreflightRun& run) {
        return run.ending == RunEnding::kExited;
      }),
      member<&PreflightRun::signal>("signal").null_unless(
          [](const PreflightRun& run) { return run.ending == RunEnding::kSignal; }),
      member<&PreflightRun::not_counted>("not_counted",
                                         "why the launches were not counted; empty: they were"),
      member<&PreflightRun::kernels>("kernels").null_unless(
          [](const PreflightRun& run) { return run.not_counted.empty(); }),
      member<&PreflightRun::folder>("folder"),
  };
}

Record describe(const Preflight* /*type*/) {
  return {
      about("preflight"),
      schema_version(),
      tool(),
      constant("result", "preflight"),
      member<&Preflight::notes>("notes"),
      member<&Preflight::readiness>("readiness", "exit code 0, 9 and 5"),
      member<&Preflight::headline>("headline"),
      group("machine",
            {
                member<&Preflight::distribution>("distribution"),
                member<&Preflight::container>("container", "empty: none"),
                member<&Preflight::driver>("driver"),
                member<&Preflight::driver_cuda>("driver_cuda"),
                member<&Preflight::gpus>("gpus"),
            }),
      member<&Preflight::checks>("checks"),
      member<&Preflight::run>("command"),
  };
}

ResultSchema preflight_record() {
  return {"doctor", "What `proofline doctor --format json` prints", {record_of<Preflight>}};
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// `proofline calibrate`: measures this GPU's ceilings and keeps them for rooflines and benchmarks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "base/propagate.h"
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/output_flags.h"
#include "cli/present_ceilings.h"
#include "tools/calibrate/calibrate.h"
#include "workflow/machine/calibration.h"

namespace proofline {
namespace {

Result<ExitCode> run(const CeilingsPlan& plan, const OutputFlags& output, Context& context) {
  ASSIGN_OR_RETURN(const auto measured, measure_ceilings(plan, context.announcer));
  // Shown in any case: it took its time.
  present_ceilings(measured.ceilings, output, context);
  RETURN_IF_ERROR(measured.stored);
  return exit_code_after(measured.ceilings.notes);
}

Run configure_calibrate(Flags line) {
  auto plan = std::make_shared<CeilingsPlan>();
  line.add("--device", plan->options.device, "The GPU, as CUDA counts them")
      .shown_as("N")
      .with_default();
  line.add("--only", plan->options.names,
           "Only these ceilings; the others stay in the file as they are: " +
               fmt::format("{}", fmt::join(ceiling_names(), ", ")))
      .shown_as("NAME,...")
      .separated_by(',')
      .one_at_a_time();
  line.add("--seconds", plan->options.seconds, "How long each one is measured")
      .shown_as("S")
      .with_default();
  line.add("-o,--out", plan->out,
           "The file; default: ceilings/UUID.json in the nearest .proofline here or above")
      .shown_as("FILE");
  auto output = add_output_flags(line);
  return
      [plan, output](Context& context) -> Result<ExitCode> { return run(*plan, *output, context); };
}

}  // namespace

Command calibrate_command() {
  return {"calibrate", CommandGroup::kGpu,
          "Measure what this GPU can reach: memory, L2 and arithmetic",
          "  proofline calibrate\n"
          "      all ceilings of GPU 0, kept in .proofline for plot and bench\n"
          "  proofline calibrate --device 1 --only dram,l2 --seconds 5\n"
          "      two of them, for longer; what else is known of this GPU stays\n"
          "  proofline calibrate --out ceilings.json\n"
          "      for a roofline on another machine: plot result.json --ceilings ceilings.json\n",
          configure_calibrate};
}

}  // namespace proofline

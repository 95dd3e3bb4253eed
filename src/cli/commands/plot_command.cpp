// SPDX-License-Identifier: Apache-2.0
//
// `proofline plot FILE...`: charts of benchmark results, as files.
#include <memory>
#include <string>
#include <vector>

#include "base/propagate.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/notes.h"
#include "cli/output_flags.h"
#include "views/charts/benchmark_charts.h"
#include "workflow/bench/plot_files.h"

namespace proofline {
namespace {

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  names.reserve(kChartKinds.size() + 1);
  for (const ChartKind kind : kChartKinds) names.emplace_back(to_string(kind));
  names.emplace_back("all");
  return names;
}

Result<ExitCode> run(const PlotPlan& plan, const InputLimits& limits, Context& context) {
  const auto list = [&](const std::string& path) {
    context.out.write(escape_terminal(path) + '\n');
  };
  ASSIGN_OR_RETURN(const auto notes, plot_files(plan, limits, context.announcer, list));
  print_notes(notes);
  return exit_code_after(notes);
}

Run configure_plot(Flags line) {
  auto plan = std::make_shared<PlotPlan>();
  line.add("FILE", plan->files, "Results of benchmarks: ours, nvbench's, Google Benchmark's")
      .required();
  line.add(
          "--kind", plan->kinds,
          "latency, throughput, speedup, scaling, roofline, distribution; default: all that can be "
          "drawn")
      .shown_as("KIND,...")
      .separated_by(',')
      .one_at_a_time()
      .one_of(kind_names());
  line.add("--x", plan->x_axis, "The axis to plot against; default: the one that varies most")
      .shown_as("AXIS");
  line.add("--baseline", plan->baseline,
           "What speed-ups are against: a side or an implementation; default: the first")
      .shown_as("NAME");
  const Flag ceilings =
      line.add("--ceilings", plan->ceilings,
               "The roofline's ceilings, as proofline calibrate stored them; default: those "
               "of this GPU in the nearest .proofline here or above")
          .shown_as("FILE");
  line.add("--roof", plan->roofs,
           "A ceiling given by hand instead, such as DRAM=4.1TB/s or FP32=60TFLOP/s; may be "
           "repeated")
      .shown_as("NAME=RATE")
      .one_at_a_time()
      .excludes(ceilings);
  line.add("-o,--out", plan->out,
           "The folder for the pictures, or the file where there is one and its name ends in "
           ".svg")
      .shown_as("PATH")
      .with_default();
  line.add_switch(
      "--png", plan->png,
      "PNG beside each SVG, by rsvg-convert, Inkscape or ImageMagick, whichever is there");
  line.add("--markdown", plan->markdown,
           "Write the table of results with the pictures below it into this file")
      .shown_as("FILE");
  auto limits = add_input_flags(line);
  return [plan, limits](Context& context) -> Result<ExitCode> {
    return run(*plan, context.watched(*limits), context);
  };
}

}  // namespace

Command plot_command() {
  return {"plot", CommandGroup::kDecide,
          "Draw benchmark results: time, rate, speed-up, scaling, roofline",
          "  proofline plot result.json --out plots\n"
          "      every chart that the measurements allow, as SVG\n"
          "  proofline plot before.json after.json --kind speedup --x seq_len -o up.svg\n"
          "      one chart: the second file against the first\n"
          "  proofline plot a.json --kind roofline --roof DRAM=4TB/s --roof FP32=60TFLOP/s\n"
          "      below ceilings given by hand; without --roof, below those of proofline calibrate\n"
          "  proofline plot bench.json --kind distribution\n"
          "      the two distributions of one proofline bench: no axis is needed\n"
          "  proofline plot result.json --png --markdown report.md\n"
          "      the table and the pictures for a pull request\n",
          configure_plot};
}

}  // namespace proofline

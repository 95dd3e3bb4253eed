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

Run configure_plot(CLI::App& app) {
  auto plan = std::make_shared<PlotPlan>();
  app.add_option("FILE", plan->files, "Results of benchmarks: ours, nvbench's, Google Benchmark's")
      ->required();
  app.add_option("--kind", plan->kinds,
                 "latency, throughput, speedup, scaling, roofline; default all that can be drawn")
      ->type_name("KIND,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(kind_names()));
  app.add_option("--x", plan->x_axis, "The axis to plot against; default: the one that varies most")
      ->type_name("AXIS");
  CLI::Option* ceilings =
      app.add_option("--ceilings", plan->ceilings,
                     "The roofline's ceilings, as proofline calibrate stored them; default: those "
                     "of this GPU in the nearest .proofline here or above")
          ->type_name("FILE");
  app.add_option("--roof", plan->roofs,
                 "A ceiling given by hand instead, such as DRAM=4.1TB/s or FP32=60TFLOP/s; may be "
                 "repeated")
      ->type_name("NAME=RATE")
      ->allow_extra_args(false)
      ->excludes(ceilings);
  app.add_option("--out", plan->out,
                 "The folder for the pictures, or the file where there is one and its name ends in "
                 ".svg")
      ->type_name("PATH")
      ->capture_default_str();
  app.add_flag("--png", plan->png,
               "PNG beside each SVG, by rsvg-convert, Inkscape or ImageMagick, whichever is there");
  app.add_option("--markdown", plan->markdown,
                 "Write the table of results with the pictures below it into this file")
      ->type_name("FILE");
  auto limits = add_input_flags(app);
  return
      [plan, limits](Context& context) -> Result<ExitCode> { return run(*plan, *limits, context); };
}

}  // namespace

Command plot_command() {
  return {"plot", "Charts of benchmark results: time, rate, speed-up, growth, roofline",
          "  proofline plot result.json --out plots\n"
          "      every chart that the measurements allow, as SVG\n"
          "  proofline plot before.json after.json --kind speedup --x seq_len --out speedup.svg\n"
          "      one chart: the second file against the first\n"
          "  proofline plot result.json --kind roofline --roof DRAM=4.1TB/s --roof FP32=60TFLOP/s\n"
          "      below ceilings given by hand; without --roof, below those of proofline calibrate\n"
          "  proofline plot result.json --png --markdown report.md\n"
          "      the table and the pictures for a pull request\n",
          configure_plot};
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// `proofline selftest -- CMD`: measures a program against itself, and says how far comparisons can
// be trusted on this machine.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/propagate.h"
#include "base/record_json.h"
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/notes.h"
#include "cli/output_flags.h"
#include "cli/shared_flags.h"
#include "diagnosis/decision/selftest.h"
#include "views/measurement/selftest_document.h"
#include "workflow/bench/bench_session.h"

namespace proofline {
namespace {

struct SelftestFlags {
  std::vector<std::string> command;
  BenchPlan bench;
};

Result<ExitCode> run(const SelftestFlags& flags, const OutputFlags& output, Context& context) {
  ASSIGN_OR_RETURN(const auto side, command_side("a", flags.command));
  const std::vector<RunSide> sides = {side, {"again", side.argv}};
  if (flags.bench.run.dry_run) {
    context.out.write(describe_schedule(flags.bench, sides));
    return ExitCode::kDone;
  }
  ASSIGN_OR_RETURN(const auto measured, measure_sides(flags.bench, sides, context.announcer));
  ASSIGN_OR_RETURN(auto judged, judge_selftest(measured.series));
  judged.timed_by = to_string(measured.time_by);
  judged.folder = measured.folder;
  present({.document = [&] { return compose_selftest(judged); },
           .json = [&](JsonWriter& json) { write_record(judged, json); },
           .notes = judged.notes},
          output, context);
  return judged.false_alarms.kept() ? exit_code_after(judged.notes) : ExitCode::kFailed;
}

Run configure_selftest(Flags line) {
  auto flags = std::make_shared<SelftestFlags>();
  flags->bench.starts = 20;
  line.add("CMD", flags->command, "The program and its arguments, after --").required();
  line.add("--starts", flags->bench.starts, "Runs of each of the two equal sides")
      .shown_as("N")
      .in_range(10, 10000)
      .with_default();
  add_bench_flags(line, flags->bench);
  auto output = add_output_flags(line);
  return [flags, output](Context& context) -> Result<ExitCode> {
    return run(*flags, *output, context);
  };
}

}  // namespace

Command selftest_command() {
  return {"selftest", CommandGroup::kDecide,
          "Measure the false-positive rate of A/B comparisons here",
          "  proofline selftest -- ./bench --n 4096\n"
          "      false-positive rate, spread, drift, and the smallest change that n runs show\n"
          "  proofline selftest --starts 50 --time-by wall -- ./a.out\n"
          "      wall time of the whole process; more runs, a surer answer\n"
          "  proofline selftest --format json -- ./bench > noise.json\n"
          "      exit code 1 where the program differs from itself, or windows of its runs do\n",
          configure_selftest};
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// `proofline decide A B`: keep a change or revert it, by its measured duration.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "base/propagate.h"
#include "base/record_json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/output_flags.h"
#include "cli/shared_flags.h"
#include "diagnosis/decision/decide.h"
#include "views/measurement/decision_document.h"
#include "workflow/decide/decide_files.h"

namespace proofline {
namespace {

Result<ExitCode> run(const DecidePlan& plan, const OutputFlags& output, const InputLimits& limits,
                     Context& context) {
  ASSIGN_OR_RETURN(const auto decision, decide_files(plan, limits));
  present({.document = [&] { return compose_decision(decision); },
           .json = [&](JsonWriter& json) { write_record(decision, json); },
           .rows = [&] { return compose_decision_rows(decision); },
           .headline = fmt::format("{}: {}", verdict_text(decision), decision.reason),
           .notes = decision.notes},
          output, context);
  return exit_code_after(decision);
}

Run configure_decide(Flags line) {
  auto plan = std::make_shared<DecidePlan>();
  line.add("FILE", plan->files,
           "Results of the benchmark before and after the change: of proofline bench, nvbench "
           "or Google Benchmark; or one file with both")
      .required()
      .counted(1, 2);
  line.add("--a", plan->a,
           "What is before the change: a side's label, an implementation or a benchmark")
      .shown_as("NAME");
  line.add("--b", plan->b, "What is after the change").shown_as("NAME");
  line.add("--profile-a", plan->profile_a,
           "A profile of A; with one of B it explains the difference, and decides nothing")
      .shown_as("FILE");
  line.add("--profile-b", plan->profile_b, "A profile of B").shown_as("FILE");
  line.add("--sanitizer", plan->sanitizer,
           "A log of compute-sanitizer on B; errors in it revert the change")
      .shown_as("FILE")
      .one_at_a_time();
  line.add_switch("--gate-leaks", plan->options.gate_leaks,
                  "Memory that B still holds when it ends reverts it, as any other error does");
  add_decision_flags(line, plan->options);
  line.add_percent("--clear-gain", plan->options.clear_gain, {0, 99},
                   "Time saved from which a gain is called clear");
  line.add_switch("--force", plan->options.force,
                  "Decide although GPU, driver, clock lock, method or inputs differ");
  auto output = add_output_flags(line);
  auto limits = add_input_flags(line);
  return [plan, output, limits](Context& context) -> Result<ExitCode> {
    return run(*plan, *output, context.watched(*limits), context);
  };
}

}  // namespace

Command decide_command() {
  return {
      "decide", CommandGroup::kDecide, "Decide from stored measurements whether to keep a change",
      "  proofline decide before.json after.json\n"
      "      exit code 0 KEEP (4 where part of a file was lost), 1 REVERT, 11 NO DIFFERENCE, 10 "
      "INCONCLUSIVE, 3 INVALID\n"
      "  proofline decide result.json --a naive --b tiled\n"
      "      two implementations in one file\n"
      "  proofline decide a.json b.json --profile-a a.ncu-rep --profile-b b.ncu-rep\n"
      "      with what explains the difference: stalls, registers, occupancy, machine code\n"
      "  proofline decide before.json after.json --sanitizer memcheck.log --keep-same\n"
      "      a clean-up: no errors in it, and no slower than before\n",
      configure_decide};
}

}  // namespace proofline

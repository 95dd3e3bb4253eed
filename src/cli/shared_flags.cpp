// SPDX-License-Identifier: Apache-2.0
#include "cli/shared_flags.h"

#include <limits>
#include <string>
#include <utility>

namespace proofline {

void add_launch_flags(Flags line, LaunchFilter& filter) {
  line.add("-k,--kernel", filter.kernel,
           "Only kernels whose name matches this regex (RE2), or the one with this number")
      .shown_as("REGEX");
  line.add("--launch", filter.launches, "Only this launch, by its number; may be repeated")
      .shown_as("N")
      .one_at_a_time();  // a file may follow
}

void add_rule_flags(Flags line, RuleChoice& rules) {
  const auto add = [&](const std::string& name, std::vector<std::string>& ids,
                       const std::string& help) {
    line.add(name, ids, help).shown_as("ID,...").separated_by(',').one_at_a_time();
  };
  add("--select", rules.select, "Evaluate only these rules");
  add("--ignore", rules.ignore, "Evaluate all rules but these");
  add("--fail-on", rules.fail_on,
      "Exit with 1 where one of these rules finds something, with 10 where it cannot be judged; "
      "any: whichever rule it is");
}

void add_code_flags(Flags line, CodeOptions& code) {
  line.add("-k,--kernel,--function", code.function,
           "Only kernels whose name matches this regex (RE2); of code, mangled or not")
      .shown_as("REGEX");
  line.add("--disassembler", code.disassembler,
           "Who names the instructions of a binary: native (our own tables), nvdisasm (in a "
           "sandbox), or auto: nvdisasm only where our tables lack the architecture")
      .one_of({"auto", "native", "nvdisasm"})
      .shown_as("auto|native|nvdisasm")
      .not_for_agents();
  line.add_switch("--unsafe-disassembler", code.unsafe,
                  "Run nvdisasm without a sandbox, on files you trust")
      .not_for_agents();
}

void add_journal_flag(Flags line, std::string& journal) {
  line.add("--journal", journal,
           "A file, or postgresql://...; default: PROOFLINE_JOURNAL, else "
           ".proofline/journal.sqlite here or above")
      .shown_as("WHERE")
      .not_for_agents();
}

void add_folder_flag(Flags line, RunOptions& flags) {
  line.add("--runs", flags.runs, "Where the files of the run are kept")
      .shown_as("DIR")
      .with_default()
      .not_for_agents();
}

void add_time_limit_flag(Flags line, RunOptions& flags, const std::string& help) {
  const Flag flag =
      line.add("--time-limit", flags.time_limit, help).in_range(0.001, 1e6).shown_as("SECONDS");
  if (flags.time_limit > 0) flag.with_default();
}

void add_run_flags(Flags line, RunOptions& flags) {
  line.add_switch("--show-output", flags.show_output,
                  "Pass on what the program prints, to standard error")
      .not_for_agents();
  add_folder_flag(line, flags);
  line.add("--name", flags.name, "Name of the run; default: the program's")
      .shown_as("NAME")
      .not_for_agents();
  line.add_switch("--dry-run", flags.dry_run, "Print the commands and run nothing")
      .not_for_agents();
}

void add_starts_flags(Flags line, BenchPlan& flags) {
  line.add("--starts", flags.starts, "Runs of each side; default: until the answer is clear")
      .shown_as("N")
      .in_range(1, 10000);
  line.add("--max-starts", flags.max_starts, "Upper limit for the automatic number of runs")
      .shown_as("N")
      .in_range(1, 10000)
      .with_default();
  line.add_percent("--effect", flags.effect, {0.01, 100},
                   "Stop when a change of this size is ruled out and --max-starts would settle no "
                   "smaller one");
}

void add_decision_flags(Flags line, DecideOptions& flags) {
  line.add_percent("--threshold", flags.threshold, {0, 50},
                   "Changes below this do not matter: B is faster or slower only where the whole "
                   "interval is beyond it");
  line.add_percent("--confidence", flags.confidence, {50, 99.99},
                   "Confidence that no configuration is called faster or slower by chance");
  line.add_switch("--keep-same", flags.keep_same,
                  "NO DIFFERENCE is good enough (exit code 0): B must not be slower by more than "
                  "the threshold");
  const auto add_weight = [&flags](std::string name, double weight) {
    flags.weights.push_back({std::move(name), weight});
  };
  line.add_numbers("--weight", add_weight,
                   "How often configurations of this benchmark, implementation or axis=value run; "
                   "without it each counts by its measured time")
      .one_at_a_time();
}

void add_bench_flags(Flags line, BenchPlan& flags) {
  line.add("--time-by", flags.time_by,
           "The program's own result (JSON of our library, nvbench or Google Benchmark, on "
           "standard output or in the file that PROOFLINE_BENCH_OUT names), its kernels' GPU "
           "time, or wall time of the whole process; auto takes the first of these there is")
      .one_of({"auto", "program", "cupti", "wall"})
      .shown_as("auto|program|cupti|wall")
      .with_default();
  line.add("-k,--kernel", flags.kernel,
           "With cupti: only kernels whose name matches this regex (RE2)")
      .shown_as("REGEX");
  line.add("--warm-up", flags.warm_up, "Warm-up runs of each side, not counted")
      .shown_as("N")
      .in_range(0, 1000)
      .with_default();
  line.add("--case", flags.cases,
           "Measure with these arguments added; may be repeated, and each case is measured by "
           "itself")
      .shown_as("NAME=ARGS")
      .one_at_a_time();
  line.add("--axis", flags.axes,
           "Measure with each of these values in place of {NAME} in the commands; with several "
           "axes, every combination")
      .shown_as("NAME=V,V,...")
      .one_at_a_time();
  line.add("--max-time", flags.max_time,
           "Begin no more runs after this many seconds; default: no limit")
      .shown_as("SECONDS")
      .in_range(0.001, 1e6);
  line.add_switch("--keep-going", flags.keep_going,
                  "Leave out and count runs that fail (exit code 4) instead of stopping");
  line.add("--seed", flags.order_seed,
           "Seed of the random order of runs; default: a new one each time, kept in the result")
      .shown_as("N")
      .in_range(0, std::numeric_limits<int>::max());
  add_time_limit_flag(line, flags.run, "Seconds for each run");
  add_run_flags(line, flags.run);
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "cli/shared_flags.h"

namespace proofline {

std::shared_ptr<LaunchFilter> add_launch_flags(Flags line) {
  auto filter = std::make_shared<LaunchFilter>();
  line.add("--kernel", filter->kernel, "Only kernels whose name matches this regex (RE2)")
      .shown_as("REGEX");
  line.add("--launch", filter->launches, "Only this launch, by its number; may be repeated")
      .shown_as("N")
      .one_at_a_time();  // a file may follow
  return filter;
}

std::shared_ptr<CodeOptions> add_code_flags(Flags line) {
  auto flags = std::make_shared<CodeOptions>();
  line.add("--function", flags->function,
           "Only functions whose name matches this regex (RE2), mangled or not")
      .shown_as("REGEX");
  line.add("--disassembler", flags->disassembler,
           "Who names the instructions of a binary: native (our own tables), nvdisasm (in a "
           "sandbox), or auto: nvdisasm only where our tables lack the architecture")
      .one_of({"auto", "native", "nvdisasm"})
      .shown_as("auto|native|nvdisasm");
  line.add_switch("--unsafe-disassembler", flags->unsafe,
                  "Run nvdisasm without a sandbox, on files you trust");
  return flags;
}

void add_journal_flag(Flags line, std::string& journal) {
  line.add("--journal", journal,
           "A file, or postgresql://...; default: PROOFLINE_JOURNAL, else "
           ".proofline/journal.sqlite here or above")
      .shown_as("WHERE");
}

void add_folder_flag(Flags line, RunOptions& flags) {
  line.add("--runs", flags.runs, "Where the files of the run are kept")
      .shown_as("DIR")
      .with_default();
}

void add_time_limit_flag(Flags line, RunOptions& flags, const std::string& help) {
  const Flag flag =
      line.add("--time-limit", flags.time_limit, help).in_range(0.001, 1e6).shown_as("SECONDS");
  if (flags.time_limit > 0) flag.with_default();
}

void add_run_flags(Flags line, RunOptions& flags) {
  line.add_switch("--show-output", flags.show_output, "What the program prints, on standard error");
  add_folder_flag(line, flags);
  line.add("--name", flags.name, "Name of the run; default: the program's").shown_as("NAME");
  line.add_switch("--dry-run", flags.dry_run, "Print the commands and run nothing");
}

void add_starts_flags(Flags line, BenchPlan& flags) {
  line.add("--starts", flags.starts,
           "Starts of each side; default: at least 10, and as many as the spread of the first "
           "6 asks for")
      .shown_as("N")
      .in_range(1, 10000);
  line.add("--max-starts", flags.max_starts, "Most that the default may come to")
      .shown_as("N")
      .in_range(1, 10000)
      .with_default();
  line.add_percent("--effect", flags.effect, {0.01, 100},
                   "The change that the default number of starts is to show");
}

void add_bench_flags(Flags line, BenchPlan& flags) {
  line.add("--time-by", flags.time_by,
           "The program's own result (JSON of our library, nvbench or Google Benchmark, on "
           "standard output or in the file that PROOFLINE_BENCH_OUT names), its kernels' GPU "
           "time, or the wall clock; auto takes the first of these that there is")
      .one_of({"auto", "program", "cupti", "wall"})
      .shown_as("auto|program|cupti|wall")
      .with_default();
  line.add("--kernel", flags.kernel, "With cupti: only kernels whose name matches this regex (RE2)")
      .shown_as("REGEX");
  line.add("--warm-up", flags.warm_up, "Starts of each side before, which do not count")
      .shown_as("N")
      .in_range(0, 1000)
      .with_default();
  line.add("--max-time", flags.max_time,
           "Begin no more starts after so many seconds; default: no limit")
      .shown_as("SECONDS")
      .in_range(0.001, 1e6);
  line.add_switch("--keep-going", flags.keep_going,
                  "A start that fails is left out and counted (exit code 4), not the end of all");
  add_time_limit_flag(line, flags.run, "Seconds for each start");
  add_run_flags(line, flags.run);
}

}  // namespace proofline

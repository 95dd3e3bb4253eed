// SPDX-License-Identifier: Apache-2.0
#include "cli/shared_flags.h"

#include "cli/percent_flag.h"

namespace proofline {

std::shared_ptr<LaunchFilter> add_launch_flags(CLI::App& app) {
  auto filter = std::make_shared<LaunchFilter>();
  app.add_option("--kernel", filter->kernel, "Only kernels whose name matches this regex (RE2)")
      ->type_name("REGEX");
  app.add_option("--launch", filter->launches, "Only this launch, by its number; may be repeated")
      ->type_name("N")
      ->allow_extra_args(false);  // a file may follow
  return filter;
}

std::shared_ptr<CodeOptions> add_code_flags(CLI::App& app) {
  auto flags = std::make_shared<CodeOptions>();
  app.add_option("--function", flags->function,
                 "Only functions whose name matches this regex (RE2), mangled or not")
      ->type_name("REGEX");
  app.add_option("--disassembler", flags->disassembler,
                 "Who names the instructions of a binary: native (our own tables), nvdisasm (in a "
                 "sandbox), or auto: nvdisasm only where our tables lack the architecture")
      ->check(CLI::IsMember({"auto", "native", "nvdisasm"}))
      ->type_name("auto|native|nvdisasm");
  app.add_flag("--unsafe-disassembler", flags->unsafe,
               "Run nvdisasm without a sandbox, on files you trust");
  return flags;
}

void add_journal_flag(CLI::App& app, std::string& journal) {
  app.add_option("--journal", journal,
                 "A file, or postgresql://...; default: PROOFLINE_JOURNAL, else "
                 ".proofline/journal.sqlite here or above")
      ->type_name("WHERE");
}

void add_folder_flag(CLI::App& app, RunOptions& flags) {
  app.add_option("--runs", flags.runs, "Where the files of the run are kept")
      ->type_name("DIR")
      ->capture_default_str();
}

void add_time_limit_flag(CLI::App& app, RunOptions& flags, const std::string& help) {
  CLI::Option* option = app.add_option("--time-limit", flags.time_limit, help)
                            ->check(CLI::Range(0.001, 1e6))
                            ->type_name("SECONDS");
  if (flags.time_limit > 0) option->capture_default_str();
}

void add_run_flags(CLI::App& app, RunOptions& flags) {
  app.add_flag("--show-output", flags.show_output, "What the program prints, on standard error");
  add_folder_flag(app, flags);
  app.add_option("--name", flags.name, "Name of the run; default: the program's")
      ->type_name("NAME");
  app.add_flag("--dry-run", flags.dry_run, "Print the commands and run nothing");
}

void add_starts_flags(CLI::App& app, BenchPlan& flags) {
  app.add_option(
         "--starts", flags.starts,
         "Starts of each side; default: at least 10, and as many as the spread of the first "
         "6 asks for")
      ->type_name("N")
      ->check(CLI::Range(1, 10000));
  app.add_option("--max-starts", flags.max_starts, "Most that the default may come to")
      ->type_name("N")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  add_percent_flag(app, "--effect", flags.effect, {0.01, 100},
                   "The change that the default number of starts is to show");
}

void add_bench_flags(CLI::App& app, BenchPlan& flags) {
  app.add_option("--time-by", flags.time_by,
                 "The program's own result (JSON of our library, nvbench or Google Benchmark, on "
                 "standard output or in the file that PROOFLINE_BENCH_OUT names), its kernels' GPU "
                 "time, or the wall clock; auto takes the first of these that there is")
      ->check(CLI::IsMember({"auto", "program", "cupti", "wall"}))
      ->type_name("auto|program|cupti|wall")
      ->capture_default_str();
  app.add_option("--kernel", flags.kernel,
                 "With cupti: only kernels whose name matches this regex (RE2)")
      ->type_name("REGEX");
  app.add_option("--warm-up", flags.warm_up, "Starts of each side before, which do not count")
      ->type_name("N")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  app.add_option("--max-time", flags.max_time,
                 "Begin no more starts after so many seconds; default: no limit")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.001, 1e6));
  app.add_flag("--keep-going", flags.keep_going,
               "A start that fails is left out and counted (exit code 4), not the end of all");
  add_time_limit_flag(app, flags.run, "Seconds for each start");
  add_run_flags(app, flags.run);
}

}  // namespace proofline

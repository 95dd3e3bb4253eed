// SPDX-License-Identifier: Apache-2.0
#include "cli/run_flags.h"

#include <cmath>

namespace proofline {

std::chrono::milliseconds RunFlags::limit() const {
  return std::chrono::milliseconds(std::llround(1000 * time_limit));
}

void add_folder_flag(CLI::App& app, RunFlags& flags) {
  app.add_option("--runs", flags.runs, "Where the files of the run are kept")
      ->type_name("DIR")
      ->capture_default_str();
}

void add_time_limit_flag(CLI::App& app, RunFlags& flags, const std::string& help) {
  CLI::Option* option = app.add_option("--time-limit", flags.time_limit, help)
                            ->check(CLI::Range(0.001, 1e6))
                            ->type_name("SECONDS");
  if (flags.time_limit > 0) option->capture_default_str();
}

void add_run_flags(CLI::App& app, RunFlags& flags) {
  app.add_flag("--show-output", flags.show_output, "What the program prints, on standard error");
  add_folder_flag(app, flags);
  app.add_option("--name", flags.name, "Name of the run; default: the program's")
      ->type_name("NAME");
  app.add_flag("--dry-run", flags.dry_run, "Print the commands and run nothing");
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// The flags of the commands that run the user's program.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <string>

namespace proofline {

struct RunFlags {
  std::string runs = ".proofline/runs";
  std::string name;       // "": the program's
  double time_limit = 0;  // seconds; 0: none was given
  bool show_output = false;
  bool dry_run = false;

  std::chrono::milliseconds limit() const;
};

void add_folder_flag(CLI::App& app, RunFlags& flags);
// What the limit is for, and what holds without one.
void add_time_limit_flag(CLI::App& app, RunFlags& flags, const std::string& help);
// All of them but the time limit.
void add_run_flags(CLI::App& app, RunFlags& flags);

}  // namespace proofline

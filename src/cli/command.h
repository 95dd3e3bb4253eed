// SPDX-License-Identifier: Apache-2.0
//
// A subcommand: its name, its words for the help, its flags, and what it does. Each is one file
// <name>_command.cpp in this folder that defines `Command <name>_command()`; the list is made from
// the folder. Only this folder prints or decides exit codes.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/input.h"
#include "base/result.h"
#include "cli/exit_codes.h"
#include "views/view.h"
#include "workflow/announcer.h"

namespace proofline {

struct Context {
  const CLI::App& program;  // the whole command line, for help and completion
  Output& out;              // for the result
  Announcer& announcer;     // for what is told before it
};

using Run = std::function<Result<ExitCode>(Context&)>;

struct Command {
  std::string_view name;
  std::string_view summary;   // one line
  std::string_view examples;  // two at least, each with what it is for
  // Adds flags and returns what runs after parsing; the flags' values live in the closure.
  Run (*configure)(CLI::App& app);
};

std::span<const Command> commands();

// The flags that every command with a result has, and the result's way out.
struct OutputFlags {
  std::string format = "terminal";
  std::string colour = "auto";
  std::size_t width = 0;  // 0 = ask the terminal
};

std::shared_ptr<OutputFlags> add_output_flags(CLI::App& app);
void present(const Presentation& presentation, const OutputFlags& flags, Context& context);

// --max-size, for every command that reads a file.
std::shared_ptr<InputLimits> add_input_flags(CLI::App& app);

}  // namespace proofline

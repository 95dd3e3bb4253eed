// SPDX-License-Identifier: Apache-2.0
//
// The command line as a whole: built from the commands, printed as help, turned into completions.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace proofline {

// Adds every command to the program; the results stand in the order of commands().
std::vector<Run> configure(CLI::App& program);

// What --help and `help COMMAND` print for the program or one of its subcommands.
std::string help_text(const CLI::App& app);

}  // namespace proofline

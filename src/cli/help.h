// SPDX-License-Identifier: Apache-2.0
//
// The help of the program and of each command: what it is, usage, commands or flags, examples, exit
// codes.
#pragma once

#include <string>

#include "cli/command_line.h"

namespace proofline {

// What the program is, in a sentence.
std::string program_summary();
// What its help ends with: examples and exit codes.
std::string program_footer();

// What --help and `help COMMAND` print for the program or one of its commands.
std::string help_text(const CommandDescription& described);

}  // namespace proofline

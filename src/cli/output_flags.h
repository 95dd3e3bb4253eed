// SPDX-License-Identifier: Apache-2.0
//
// The flags that every command with a result has (--format, --color, --width, --no-pager), the
// result's way out, and --max-size.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/input.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "views/view.h"

namespace proofline {

struct OutputFlags {
  std::string format = "terminal";
  std::string colour = "auto";
  std::size_t width = 0;  // 0 = ask the terminal
  bool no_pager = false;
};

std::shared_ptr<OutputFlags> add_output_flags(Flags line);
// What a view of rows has no place for goes to stderr.
void present(const Presentation& presentation, const OutputFlags& flags, Context& context);

// --max-size, for every command that reads a file.
std::shared_ptr<InputLimits> add_input_flags(Flags line);

}  // namespace proofline

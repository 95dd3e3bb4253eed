// SPDX-License-Identifier: Apache-2.0
//
// What a command does with notes besides showing them in its result.
#pragma once

#include <vector>

#include "cli/command.h"
#include "model/note.h"

namespace proofline {

// To stderr: where the result has no place for them.
void print_notes(const std::vector<Note>& notes);

// Partial where one of them is a loss.
ExitCode exit_code_after(const std::vector<Note>& notes);

}  // namespace proofline

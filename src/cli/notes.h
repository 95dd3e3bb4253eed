// SPDX-License-Identifier: Apache-2.0
//
// What a command does with notes besides showing them in its result.
#pragma once

#include <vector>

#include "cli/command.h"
#include "model/note.h"

namespace proofline {

// CSV has no place for notes, so they go to stderr there.
void print_notes(const std::vector<Note>& notes);

// Partial where one of them is a loss.
ExitCode exit_code_after(const std::vector<Note>& notes);

}  // namespace proofline

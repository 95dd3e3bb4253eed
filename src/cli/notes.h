// SPDX-License-Identifier: Apache-2.0
//
// What a command does with notes besides showing them in its result.
#pragma once

#include <vector>

#include "model/note.h"

namespace proofline {

// CSV has no place for notes, so they go to stderr there.
void print_notes(const std::vector<Note>& notes);

}  // namespace proofline

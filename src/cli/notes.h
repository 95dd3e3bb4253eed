// SPDX-License-Identifier: Apache-2.0
//
// What a command does with notes besides showing them in its result.
#pragma once

#include <vector>

#include "model/note.h"

namespace proofline {

// To stderr: where the result has no place for them.
void print_notes(const std::vector<Note>& notes);

}  // namespace proofline

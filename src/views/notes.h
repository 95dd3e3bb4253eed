// SPDX-License-Identifier: Apache-2.0
//
// What there is to know about a result, below it.
#pragma once

#include <string>
#include <vector>

#include "model/note.h"
#include "views/document.h"

namespace proofline {

// "offset 12: what (3 times)"
std::string note_text(const Note& note);

void add_notes(const std::vector<Note>& notes, Document& document);

}  // namespace proofline

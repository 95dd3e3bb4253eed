// SPDX-License-Identifier: Apache-2.0
//
// Notes on stderr.
#include "cli/notes.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/message.h"
#include "views/notes.h"

namespace proofline {

void print_notes(const std::vector<Note>& notes) {
  for (const Note& note : notes) {
    print_message(fmt::format("proofline: {}: {}\n", note.kind == NoteKind::kLoss ? "loss" : "note",
                              escape_terminal(note_text(note))));
  }
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// Notes on stderr and in the exit code.
#include "cli/notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "views/notes.h"

namespace proofline {

void print_notes(const std::vector<Note>& notes) {
  for (const Note& note : notes) {
    fmt::print(stderr, "proofline: {}: {}\n", note.kind == NoteKind::kLoss ? "loss" : "note",
               escape_terminal(note_text(note)));
  }
}

ExitCode exit_code_after(const std::vector<Note>& notes) {
  const bool lost = std::any_of(notes.begin(), notes.end(),
                                [](const Note& note) { return note.kind == NoteKind::kLoss; });
  return lost ? ExitCode::kPartial : ExitCode::kDone;
}

}  // namespace proofline

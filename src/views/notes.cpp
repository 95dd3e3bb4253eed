// SPDX-License-Identifier: Apache-2.0
#include "views/notes.h"

#include <fmt/format.h>

#include "views/json_parts.h"

namespace proofline {

std::string note_text(const Note& note) {
  const std::string place = place_text(note);
  std::string text = place.empty() ? note.what : place + ": " + note.what;
  if (note.count > 1) text += fmt::format(" ({} times)", note.count);
  return text;
}

void add_notes(const std::vector<Note>& notes, Document& document) {
  for (const Note& note : notes) {
    document.blocks.emplace_back(Callout{note.kind == NoteKind::kLoss, note_text(note)});
  }
}

}  // namespace proofline

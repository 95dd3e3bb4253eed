// SPDX-License-Identifier: Apache-2.0
#include "model/note.h"

#include <fmt/format.h>

#include "base/record.h"

namespace proofline {

std::string_view to_string(NoteKind kind) {
  switch (kind) {
    case NoteKind::kInfo: return "info";
    case NoteKind::kLoss: return "loss";
  }
  return "";
}

std::string_view to_string(NoteSide side) {
  switch (side) {
    case NoteSide::kNone: return "";
    case NoteSide::kA: return "A";
    case NoteSide::kB: return "B";
  }
  return "";
}

std::string place_text(const Note& note) {
  const std::string_view side = to_string(note.side);
  if (side.empty()) return note.place;
  return note.place.empty() ? std::string(side) : fmt::format("{}, {}", side, note.place);
}

Record describe(const Note* /*type*/) {
  return {
      about("note", "Something odd in spite of which we went on."),
      member<&Note::kind>("kind"),
      derived("side", "of two inputs, the one that it is about",
              [](const Note& note) { return to_string(note.side); })
          .one_of({"A", "B"})
          .if_there(),
      converted(
          "place", [](const Note& note) { return place_text(note); },
          [](Note& note, std::string&& place) { note.place = std::move(place); }),
      member<&Note::what>("what"),
      member<&Note::count>("count").at_least(1),
  };
}

}  // namespace proofline

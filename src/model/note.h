// SPDX-License-Identifier: Apache-2.0
//
// A Note says that we continued although something was odd: where, what, and how many times.
// Every view shows every note; a note of kind kLoss also turns the exit code into "partial result".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace proofline {

struct Record;

enum class NoteKind {
  kInfo,  // worth knowing; nothing of the input was lost
  kLoss,  // part of the input could not be used
};

// Of two inputs that are compared, the one that a note is about.
enum class NoteSide : std::uint8_t { kNone, kA, kB };

struct Note {
  NoteKind kind;
  std::string place;        // "offset 1234", "line 7", "launch 3"; empty: the whole input
  std::string what;         // a sentence without final stop; a stranger's text is escaped in it
  std::uint64_t count = 1;  // how many things this happened to
  NoteSide side = NoteSide::kNone;
};

std::string_view to_string(NoteKind kind);
// "A", "B"; "" for none.
std::string_view to_string(NoteSide side);

// Where a note belongs, with its side: "A, line 7"; "" nowhere in particular.
std::string place_text(const Note& note);

Record describe(const Note*);

}  // namespace proofline

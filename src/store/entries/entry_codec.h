// SPDX-License-Identifier: Apache-2.0
//
// The bytes of the journal's entries: a JSON object for each, whose members are described once, in
// entry_codec.cpp, for writing and for reading. Members are only ever added, at the end: stored
// bytes are hashed, and a member that an old entry lacks counts as absent. So does whatever is not
// of the expected type, since a body may come from anybody who can write to the journal.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "model/journal/entries.h"

namespace proofline {

// Secrets in commands are taken out on the way.
std::string encode_entry(const EntryContent& content);
NewEntry new_entry(std::string id, std::string attempt, const EntryContent& content);

// Nothing where it is no JSON object.
std::optional<EntryContent> decode_entry(const JournalEntry& entry);
// The same where it is of this kind.
template <class Entry>
std::optional<Entry> decode_entry_as(const JournalEntry& entry) {
  if (entry.kind != Entry::kKind) return std::nullopt;
  auto content = decode_entry(entry);
  return content ? std::optional(std::get<Entry>(std::move(*content))) : std::nullopt;
}

}  // namespace proofline

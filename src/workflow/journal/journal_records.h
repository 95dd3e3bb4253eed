// SPDX-License-Identifier: Apache-2.0
//
// What is written to the journal, by hand (an attempt's begin and end, notes, baselines) or by
// `try`. `journal` is as in open_journal_to_write().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/journal/entries.h"
#include "model/note.h"

namespace proofline {

struct WrittenEntry {
  std::string where;  // the journal
  JournalEntry entry;
  std::vector<Note> notes;  // on what it was made of, and on where it waits
};

// Stores an entry of any kind. Where the journal's server cannot be reached it waits for 'journal
// sync' (journal_spool.h) and has no place in a chain; a note says so.
Result<WrittenEntry> write_entry(const std::string& journal, const NewEntry& entry);
// The same without asking the server first.
Result<WrittenEntry> write_entry_for_later(const std::string& journal, const NewEntry& entry);

// Adds the state of the working tree.
Result<WrittenEntry> record_attempt(const std::string& journal, Intent intent);

// `attempt`: the start of an id; "" the note belongs to none. While the journal's server cannot be
// reached: the whole id, or the start of the id of an attempt that waits for it.
Result<WrittenEntry> record_note(const std::string& journal, const std::string& text,
                                 const std::string& attempt);

// No state: abandoned, which only an open attempt can be made without saying so.
Result<WrittenEntry> record_close(const std::string& journal, const std::string& attempt,
                                  std::optional<AttemptState> state, const std::string& reason);

// `side`: its label, where the file has several.
Result<WrittenEntry> record_baseline(const std::string& journal, const std::string& name,
                                     const std::string& file, const std::string& side);

}  // namespace proofline

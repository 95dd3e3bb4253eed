// SPDX-License-Identifier: Apache-2.0
//
// What is written to the journal by hand: an attempt's begin and end, notes, baselines. `journal`
// is as in open_journal_to_write().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/journal/attempt.h"
#include "model/journal/journal.h"
#include "model/note.h"

namespace proofline {

struct WrittenEntry {
  std::string where;  // the journal
  JournalEntry entry;
  std::vector<Note> notes;  // on what it was made of
};

struct Intent {
  std::string hypothesis;
  std::string kind;    // by which expectations are calibrated; "" none
  std::string risk;    // "" none
  std::string expect;  // "10-20%", "1.2x-1.5x"; "" nothing
};
// With the state of the working tree.
Result<WrittenEntry> record_attempt(const std::string& journal, const Intent& intent);

// `attempt`: the start of an id; "" the note belongs to none.
Result<WrittenEntry> record_note(const std::string& journal, const std::string& text,
                                 const std::string& attempt);

// No state: abandoned, which only an open attempt can be made without saying so.
Result<WrittenEntry> record_close(const std::string& journal, const std::string& attempt,
                                  std::optional<AttemptState> state, const std::string& reason);

// `side`: its label, where the file has several.
Result<WrittenEntry> record_baseline(const std::string& journal, const std::string& name,
                                     const std::string& file, const std::string& side);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// Entries for a team's journal while its server cannot be reached: each waits as a file of its own
// in .proofline/unsent until `journal sync` has given it to the server. An entry is stored once
// however often it is given, so whatever is cut off can be done again.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/journal/entries.h"
#include "model/note.h"
#include "store/journal_store.h"
#include "workflow/journal/journal_results.h"

namespace proofline {

struct KeptEntry {
  std::string where;   // the journal that it is for
  std::string folder;  // where it waits
  JournalEntry entry;  // without a place in a chain
};

// `journal` as in open_journal_to_write(). kStorage.
Result<KeptEntry> keep_for_server(const std::string& journal, const NewEntry& entry);

struct Delivery {
  JournalSync sync;
  std::vector<Note> notes;  // on what stays where it is
};

// Gives the journal what waits for it, in the order in which it was written.
Result<Delivery> deliver_kept_entries(JournalStore& to);

// The files of all that wait, whichever journal they are for.
Result<std::vector<std::string>> kept_entry_texts();

// What waits for this journal, in the order in which it was written.
Result<std::vector<JournalEntry>> kept_entries(const std::string& where);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// Which journal a command uses: --journal, else PROOFLINE_JOURNAL, else .proofline/journal.sqlite
// in this folder or, as git does it, the nearest above it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/journal/baseline.h"
#include "model/note.h"
#include "store/journal_store.h"

namespace proofline {

// The path or connection string that open_journal_to_write() would open.
Result<std::string> journal_to_write(const std::string& flag);

// Whether there is one, or one was named.
Result<bool> has_journal(const std::string& flag);

// `flag`: what --journal says; "" not given. A read-only journal can be read.
Result<std::unique_ptr<JournalStore>> open_journal_to_read(const std::string& flag);
// Makes one in this folder where there is none. kStorage where it is read-only.
Result<std::unique_ptr<JournalStore>> open_journal_to_write(const std::string& flag);

// What a reader should know of the store.
std::vector<Note> notes_on(const JournalStore& store);
// That its file is on a disk of several machines; none where it does not.
std::vector<Note> notes_on_disk(const JournalStore& store);

Result<std::vector<JournalEntry>> all_entries(JournalStore& store, const EntryFilter& filter = {});

// That entries cannot be read, and how many; none where all can be.
std::vector<Note> notes_on(const std::vector<JournalEntry>& entries);

Result<std::vector<Baseline>> all_baselines(JournalStore& store);
// kInput where none has this name.
Result<Baseline> find_baseline(JournalStore& store, const std::string& name);

}  // namespace proofline

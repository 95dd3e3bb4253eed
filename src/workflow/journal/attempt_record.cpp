// SPDX-License-Identifier: Apache-2.0
#include "workflow/journal/attempt_record.h"

#include <fmt/format.h>

#include <utility>

#include "base/propagate.h"
#include "base/text.h"
#include "store/entries/attempts.h"
#include "store/entries/entry_codec.h"
#include "store/entries/entry_identity.h"
#include "workflow/journal/journal_place.h"
#include "workflow/journal/journal_records.h"

namespace proofline {

AttemptRecord::AttemptRecord(std::string journal, Announcer& announcer)
    : journal_(std::move(journal)), announcer_(announcer), id_(new_entry_id()) {}

Result<void> AttemptRecord::open(const Intent& intent) {
  return write(new_entry(id_, id_, intent));
}

Result<void> AttemptRecord::add(const EntryContent& content) {
  ASSIGN_OR_RETURN(const bool lost, is_lost());
  if (lost) {
    if (auto written = write_anew(); !written) return written;
  }
  return write(new_entry(new_entry_id(), id_, content));
}

Result<void> AttemptRecord::close(AttemptState state, const std::string& reason) {
  return add(CloseEntry{state, reason});
}

Attempt AttemptRecord::attempt() const {
  std::vector<Attempt> attempts = attempts_of(entries_);
  return attempts.empty() ? Attempt{} : std::move(attempts.front());
}

Result<void> AttemptRecord::write(const NewEntry& entry) {
  auto written =
      server_is_away_ ? write_entry_for_later(journal_, entry) : write_entry(journal_, entry);
  RETURN_IF_ERROR(written);
  where_ = written->where;
  const bool waits = written->entry.chain.empty();
  const bool is_told = !entries_.empty() && entries_.back().chain.empty();
  if (!waits || !is_told) {
    for (const Note& note : written->notes) announcer_.say(note.what);
  }
  server_is_away_ = waits;
  entries_.push_back(std::move(written->entry));
  return {};
}

// Whether the journal no longer has what open() wrote.
Result<bool> AttemptRecord::is_lost() {
  if (server_is_away_) return false;
  const auto store = open_journal_to_read(journal_);
  if (!store && is_out_of_reach(store.error())) {
    server_is_away_ = true;
    return false;
  }
  if (!store && store.error().kind == ErrorKind::kInput) return true;
  RETURN_IF_ERROR(store);
  EntryFilter own;
  own.attempt = id_;
  bool found = false;
  RETURN_IF_ERROR((*store)->read(own, [&](const JournalEntry& entry) {
    found = entry.id == id_;
    return !found;
  }));
  return !found;
}

// Under another id, so that a copy of the old journal can still be synced into the new one.
Result<void> AttemptRecord::write_anew() {
  const std::vector<JournalEntry> lost = std::exchange(entries_, {});
  const JournalEntry& first = lost.front();
  const std::string old = std::exchange(id_, new_entry_id());
  for (const JournalEntry& entry : lost) {
    const std::string id = entry.id == old ? id_ : new_entry_id();
    if (auto written = write({id, id_, entry.kind, entry.body, entry.written}); !written) {
      return written;
    }
  }
  announcer_.say(fmt::format(
      "attempt {} is not in {} any more: the journal was removed or replaced while the attempt "
      "ran; it was written anew as {}, and 'proofline journal verify' will tell",
      old, quote(where_), id_));
  return write(
      new_entry(new_entry_id(), id_, MissedEntry{first.chain, first.sequence, first.hash}));
}

}  // namespace proofline

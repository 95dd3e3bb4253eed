// SPDX-License-Identifier: Apache-2.0
//
// An attempt as it is written while it runs, each entry before the next thing is done. The journal
// is opened for each entry alone: no program is started while it is. What was written is kept in
// mind: where somebody removes or replaces the journal meanwhile, the attempt is written anew from
// its beginning, with the entry that `journal verify` will miss; where a team's server goes away,
// the rest waits for `journal sync`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/journal/attempt.h"
#include "model/journal/entries.h"
#include "workflow/announcer.h"

namespace proofline {

class AttemptRecord {
 public:
  // `journal` as in open_journal_to_write().
  AttemptRecord(std::string journal, Announcer& announcer);

  Result<void> open(const Intent& intent);
  Result<void> add(const EntryContent& content);
  Result<void> close(AttemptState state, const std::string& reason);

  // Another one once it was written anew.
  const std::string& id() const { return id_; }
  const std::string& where() const { return where_; }
  // As far as it was written.
  Attempt attempt() const;

 private:
  Result<void> write(const NewEntry& entry);
  Result<bool> is_lost();
  Result<void> write_anew();

  std::string journal_;
  Announcer& announcer_;
  std::string id_;
  std::string where_;
  std::vector<JournalEntry> entries_;
  bool server_is_away_ = false;  // it is not asked again
};

}  // namespace proofline

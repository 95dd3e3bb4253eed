// SPDX-License-Identifier: Apache-2.0
//
// What the tests of the journal's stores share.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "store/entries/entry_identity.h"
#include "store/journal_store.h"

namespace proofline {

inline std::unique_ptr<JournalStore> open_or_fail(const std::string& where,
                                                  StoreOptions options = {}) {
  auto store = open_journal(where, options);
  if (!store) ADD_FAILURE() << store.error().message;
  return store ? std::move(*store) : nullptr;
}

inline NewEntry note_entry(std::string body) {
  return {new_entry_id(), "", "note", std::move(body)};
}

inline std::vector<JournalEntry> stored_entries(JournalStore& store,
                                                const EntryFilter& filter = {}) {
  std::vector<JournalEntry> entries;
  const Result<void> done = store.read(filter, [&](const JournalEntry& entry) {
    entries.push_back(entry);
    return true;
  });
  if (!done) ADD_FAILURE() << done.error().message;
  return entries;
}

// The breaks as "sequence: what"; empty where the journal is whole.
inline std::vector<std::string> breaks_of(JournalStore& store) {
  const auto verified = verify_journal(store);
  if (!verified) return {verified.error().message};
  std::vector<std::string> breaks;
  for (const ChainBreak& found : verified->breaks) {
    breaks.push_back(std::to_string(found.sequence) + ": " + found.what);
  }
  return breaks;
}

// Runs it in another process, which ends with the number that it returns.
template <class Function>
pid_t start_child(const Function& function) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(function());
  return child;
}

inline int exit_code_of(pid_t child) {
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace proofline

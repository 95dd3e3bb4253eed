// SPDX-License-Identifier: Apache-2.0
//
// Where the journal is kept: one SQLite file, or a team's PostgreSQL, by one interface. An
// entry for which append() returned survives a crash and is stored exactly once.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/journal/entries.h"
#include "model/note.h"

namespace proofline {

// Which entries; empty members do not filter.
struct EntryFilter {
  std::string chain;
  std::string attempt;
  std::string kind;
  std::uint64_t after = 0;  // sequence numbers above this, with `chain`
};

class JournalStore {
 public:
  virtual ~JournalStore() = default;

  // Where it is, without a password.
  virtual std::string where() const = 0;
  // Opened for reading alone: the file or its folder may not be written; says why. "" writable.
  virtual std::string read_only() const = 0;
  // Of this store's own entries.
  virtual std::string chain() const = 0;

  // At the end of this store's chain. kStorage where it is not safely stored.
  virtual Result<JournalEntry> append(const NewEntry& entry) = 0;
  // An entry of another store as it is, with its chain, sequence and hash (`journal sync`): true
  // where it was not there yet.
  virtual Result<bool> adopt(const JournalEntry& entry) = 0;
  // In the order of chains, then sequence; the callback says false for enough.
  virtual Result<void> read(const EntryFilter& filter,
                            const std::function<bool(const JournalEntry&)>& take) = 0;

  // For verify_journal: what each chain was last given, and what the database itself finds wrong
  // with its file.
  virtual Result<std::vector<ChainHead>> heads() = 0;
  virtual Result<std::vector<std::string>> damage() = 0;
};

struct StoreOptions {
  bool create = true;
  // For another process's write, and for a server's answer.
  std::chrono::milliseconds patience{10'000};
};

// A path, or "postgresql://..." / "host=... dbname=...". kStorage; kTool where libpq is missing;
// kInput where there is no such file and none is to be made.
Result<std::unique_ptr<JournalStore>> open_journal(const std::string& where,
                                                   const StoreOptions& options = {});

// Of a connection string: what the store's where() would say, known without the server; "" of a
// path.
Result<std::string> journal_server(const std::string& where);
// Whether the store failed because its server cannot be reached at present.
bool is_out_of_reach(const Error& error);

// Reads everything and checks every chain.
Result<Verification> verify_journal(JournalStore& store);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// What the journal is in any database: a table of entries, and a table of chains with the last
// entry that each was given. SQLite and PostgreSQL differ only in how a statement and a transaction
// are carried out.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "store/journal_store.h"

namespace proofline {

struct SqlParameter {
  std::string value;
  bool bytes = false;  // may hold any bytes; otherwise it is text
};
using SqlRow = std::vector<std::string>;

class SqlSession {
 public:
  virtual ~SqlSession() = default;

  // One statement, with $1, $2, ... for the parameters. Its columns are text or bytes.
  virtual Result<std::vector<SqlRow>> query(const std::string& sql,
                                            const std::vector<SqlParameter>& parameters) = 0;
  Result<std::vector<SqlRow>> query(const std::string& sql) { return query(sql, {}); }
};

class SqlStore : public JournalStore {
 public:
  std::string where() const override { return where_; }
  std::string read_only() const override { return read_only_; }
  std::string chain() const override { return chain_; }

  Result<JournalEntry> append(const NewEntry& entry) override;
  Result<bool> adopt(const JournalEntry& entry) override;
  Result<void> read(const EntryFilter& filter,
                    const std::function<bool(const JournalEntry&)>& take) override;

  Result<std::vector<ChainHead>> heads() override;
  Result<std::vector<std::string>> damage() override { return std::vector<std::string>{}; }

 protected:
  using Work = std::function<Result<void>(SqlSession&)>;

  explicit SqlStore(std::string where) : where_(std::move(where)) {}

  // Does the work as one transaction, alone among all writers. It may be done again from its start
  // where it is not known whether it was stored: work looks first whether it is done already.
  virtual Result<void> write(const Work& work) = 0;
  virtual Result<void> look(const Work& work) = 0;

  // Learns which chain is this store's own; without one it can only be read.
  Result<void> find_chain();
  void forbid_writing(std::string why) { read_only_ = std::move(why); }

 private:
  Result<void> write_if_allowed(const Work& work);

  std::string where_;
  std::string read_only_;
  std::string chain_;
};

// Of the entry before the first one.
inline constexpr std::string_view kNoHash =
    "0000000000000000000000000000000000000000000000000000000000000000";

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// One connection to an SQLite file, set up so that what is committed survives a crash and a hostile
// file can do no more than fail.
#pragma once

#include <sqlite3.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/sql_store.h"

namespace proofline {

class SqliteSession : public SqlSession {
 public:
  // The path is absolute. Neither makes the file.
  static Result<std::unique_ptr<SqliteSession>> open(const std::string& path, bool read_only,
                                                     std::chrono::milliseconds patience);
  ~SqliteSession() override { sqlite3_close(handle_); }
  SqliteSession(const SqliteSession&) = delete;
  SqliteSession& operator=(const SqliteSession&) = delete;

  using SqlSession::query;
  Result<std::vector<SqlRow>> query(const std::string& sql,
                                    const std::vector<SqlParameter>& parameters) override;
  // Statements without results.
  Result<void> run(const std::string& script);

  // It is not known what is on the disk now: nothing but a new connection finds out.
  bool is_unsure() const;

 private:
  SqliteSession(std::string path, std::chrono::milliseconds patience)
      : path_(std::move(path)), patience_(patience) {}
  Result<void> set_up(bool read_only);
  tl::unexpected<Error> failure() const;

  std::string path_;
  std::chrono::milliseconds patience_;
  sqlite3* handle_ = nullptr;
};

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// One connection to PostgreSQL. It never waits past the deadline, whether or not the server
// answers: the calls of libpq that wait are not used, and the one that may resolve a name is
// abandoned where that takes too long.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/libpq.h"
#include "store/postgres_target.h"
#include "store/sql_store.h"

namespace proofline {

class PostgresSession : public SqlSession {
 public:
  using Clock = std::chrono::steady_clock;

  PostgresSession(const Libpq& pq, PostgresTarget target) : pq_(pq), target_(std::move(target)) {}
  ~PostgresSession() override { disconnect(); }
  PostgresSession(const PostgresSession&) = delete;
  PostgresSession& operator=(const PostgresSession&) = delete;

  // For what follows.
  void set_deadline(Clock::time_point deadline) { deadline_ = deadline; }

  // With limits on the server's side too, so that a hung client does not block others.
  Result<void> connect(std::chrono::milliseconds patience);
  void disconnect();
  bool is_connected() const { return connection_ != nullptr; }

  using SqlSession::query;
  // Disconnects where the connection is lost.
  Result<std::vector<SqlRow>> query(const std::string& sql,
                                    const std::vector<SqlParameter>& parameters) override;

  // Why the last query failed: "40001"; "" where the connection was lost.
  const std::string& state() const { return state_; }

 private:
  bool start(std::chrono::milliseconds patience);
  bool send(const std::string& sql, const std::vector<SqlParameter>& parameters);
  Result<std::vector<SqlRow>> receive();
  Result<std::vector<SqlRow>> take(const PqResult& result);
  bool wait(short events);
  tl::unexpected<Error> lost();

  const Libpq& pq_;
  PostgresTarget target_;
  Clock::time_point deadline_;
  PqConnection* connection_ = nullptr;
  std::string state_;
};

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "store/postgres_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <random>
#include <string_view>
#include <thread>
#include <utility>

#include "base/propagate.h"
#include "store/libpq.h"
#include "store/postgres_schema.h"
#include "store/postgres_session.h"
#include "store/postgres_target.h"
#include "store/sql_store.h"

namespace proofline {
namespace {

using Clock = PostgresSession::Clock;
using std::chrono::milliseconds;

// Twice as long each time, up to half a second; by chance, so that two who met do not meet again.
void pause_before_attempt(int attempt, Clock::time_point deadline) {
  static thread_local std::minstd_rand random{std::random_device{}()};
  const int longest = std::min(500, 10 << std::min(attempt, 6));
  const milliseconds pause{std::uniform_int_distribution<int>(1, longest)(random)};
  std::this_thread::sleep_until(std::min(Clock::now() + pause, deadline));
}

// How long a server may take to be restarted.
constexpr milliseconds kRestartPatience{5000};

// libpq's connect_timeout, in seconds, shortens it.
milliseconds restart_patience(const PostgresTarget& target) {
  int seconds = 0;
  for (const auto& [name, value] : target.options) {
    if (name == "connect_timeout") {
      std::from_chars(value.data(), value.data() + value.size(), seconds);
    }
  }
  if (seconds <= 0) return kRestartPatience;
  return std::min<milliseconds>(kRestartPatience, std::chrono::seconds(seconds));
}

// What libpq and the server say meanwhile; a connection that fails has no SQLSTATE.
constexpr std::string_view kRestartWords[] = {
    "is starting up",        "is shutting down",   "in recovery mode",
    "not yet accepting",     "Connection refused", "No such file",
    "closed the connection", "Connection reset",   "terminating connection"};
// And of a server that is not to be had for longer, or of a machine without a network.
constexpr std::string_view kAwayWords[] = {"no answer in time", "No route to host",
                                           "Network is unreachable", "timeout expired",
                                           "could not translate host name"};

template <std::size_t Count>
bool has_one_of(std::string_view message, const std::string_view (&words)[Count]) {
  return std::any_of(std::begin(words), std::end(words), [&](std::string_view one) {
    return message.find(one) != std::string_view::npos;
  });
}

class PostgresStore : public SqlStore {
 public:
  PostgresStore(const Libpq& pq, PostgresTarget target, milliseconds patience)
      : SqlStore(target.where),
        restart_patience_(std::min(patience, restart_patience(target))),
        session_(pq, std::move(target)),
        patience_(patience) {}

  Result<void> open(bool create) {
    return connect_first()
        .and_then([&] { return prepare_postgres_schema(session_, where(), create); })
        .and_then([&] { return find_rights(); })
        .and_then([&] { return find_chain(); });
  }

 protected:
  // One row is locked first, so writers are serialised and cannot deadlock. Where the
  // connection is lost while the server commits, the next attempt waits for that lock, and so for
  // the fate of this one, and then finds the entry by its id or not.
  Result<void> write(const Work& work) override {
    return repeat([&]() -> Result<void> {
      Result<void> done =
          run("BEGIN")
              .and_then([&] { return run("SELECT chain FROM chains WHERE own FOR UPDATE"); })
              .and_then([&] { return work(session_); })
              .and_then([&] { return run("COMMIT"); });
      if (!done && session_.is_connected()) {
        const std::string state = session_.state();
        if (!run("ROLLBACK")) session_.disconnect();
        failed_state_ = state;
      }
      return done;
    });
  }

  Result<void> look(const Work& work) override {
    return repeat([&] { return work(session_); });
  }

 private:
  // A restarting server is worth waiting for; an unknown role or host is reported at once.
  Result<void> connect_first() {
    const Clock::time_point give_up = Clock::now() + restart_patience_;
    for (int count = 1;; ++count) {
      session_.set_deadline(Clock::now() + patience_);
      auto done = session_.connect(patience_);
      if (done || !has_one_of(done.error().message, kRestartWords) || Clock::now() >= give_up)
        return done;
      pause_before_attempt(count, give_up);
    }
  }

  template <class Attempt>
  Result<void> repeat(const Attempt& attempt) {
    const Clock::time_point deadline = Clock::now() + patience_;
    session_.set_deadline(deadline);
    for (int count = 1;; ++count) {
      failed_state_.clear();
      Result<void> done = session_.is_connected() ? Result<void>() : session_.connect(patience_);
      if (done) done = attempt();
      if (done || !worth_repeating()) return done;
      if (Clock::now() >= deadline) {
        done.error().message += fmt::format(" (given up after {} attempts)", count);
        return done;
      }
      pause_before_attempt(count, deadline);
    }
  }

  // A lost connection, a deadlock, or a conflict of transactions.
  bool worth_repeating() const {
    return !session_.is_connected() || failed_state_ == "40001" || failed_state_ == "40P01";
  }

  Result<void> run(const std::string& sql) {
    RETURN_IF_ERROR(session_.query(sql));
    return {};
  }

  Result<void> find_rights() {
    ASSIGN_OR_RETURN(
        const auto rows,
        session_.query(
            "SELECT CASE WHEN pg_is_in_recovery() THEN 'the server is a standby' "
            "WHEN NOT has_table_privilege('entries', 'INSERT') THEN 'this user may only read it' "
            "ELSE '' END"));
    forbid_writing(rows.front().front());
    return {};
  }

  milliseconds restart_patience_;
  PostgresSession session_;
  milliseconds patience_;
  std::string failed_state_;
};

}  // namespace

Result<std::string> postgres_journal_name(const std::string& where) {
  ASSIGN_OR_RETURN(const auto pq, load_libpq());
  return parse_postgres_target(*pq, where).map([](const PostgresTarget& target) {
    return target.where;
  });
}

bool is_out_of_reach(const Error& error) {
  return error.kind == ErrorKind::kStorage &&
         (has_one_of(error.message, kRestartWords) || has_one_of(error.message, kAwayWords));
}

Result<std::unique_ptr<JournalStore>> open_postgres_journal(const std::string& where,
                                                            const StoreOptions& options) {
  ASSIGN_OR_RETURN(const auto pq, load_libpq());
  ASSIGN_OR_RETURN(auto target, parse_postgres_target(*pq, where));
  auto store = std::make_unique<PostgresStore>(*pq, std::move(target), options.patience);
  RETURN_IF_ERROR(store->open(options.create));
  return std::unique_ptr<JournalStore>(std::move(store));
}

}  // namespace proofline

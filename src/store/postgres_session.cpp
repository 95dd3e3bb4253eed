// SPDX-License-Identifier: Apache-2.0
#include "store/postgres_session.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "base/propagate.h"

namespace proofline {
namespace {

void ignore_notice(void* /*context*/, const char* /*message*/) {}

constexpr int kBinary = 1;

SqlRow row_of(const Libpq& pq, const PqResult& result, int row) {
  SqlRow values;
  const int columns = pq.columns(&result);
  values.reserve(static_cast<std::size_t>(columns));
  for (int i = 0; i < columns; ++i) {
    values.emplace_back(pq.value(&result, row, i),
                        static_cast<std::size_t>(pq.length(&result, row, i)));
  }
  return values;
}

using Clock = PostgresSession::Clock;
using Connection = std::unique_ptr<PqConnection, void (*)(PqConnection*)>;
using Options = std::vector<std::pair<std::string, std::string>>;

// False at the deadline.
bool wait_for(const Libpq& pq, const PqConnection* connection, short events,
              Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd socket{pq.socket(connection), events, 0};
    const int ready = ::poll(&socket, 1, static_cast<int>(std::min<long>(left, 60'000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

// A connection that is not usable says why. Waits for the server no longer than until the deadline,
// but for the resolver as long as that takes.
Connection connect_with(const Libpq& pq, const Options& options, Clock::time_point deadline) {
  std::vector<const char*> names;
  std::vector<const char*> values;
  names.reserve(options.size() + 1);
  values.reserve(options.size() + 1);
  for (const auto& [name, value] : options) {
    names.push_back(name.c_str());
    values.push_back(value.c_str());
  }
  names.push_back(nullptr);
  values.push_back(nullptr);
  Connection connection(pq.connect_start(names.data(), values.data(), 0), pq.finish);
  if (connection == nullptr || pq.status(connection.get()) == kPqConnectionBad) return connection;
  pq.set_notices(connection.get(), ignore_notice, nullptr);
  int next = kPqPollingWriting;
  while (next == kPqPollingReading || next == kPqPollingWriting) {
    const short events = next == kPqPollingReading ? POLLIN : POLLOUT;
    if (!wait_for(pq, connection.get(), events, deadline)) break;
    next = pq.connect_poll(connection.get());
  }
  return connection;
}

}  // namespace

bool PostgresSession::wait(short events) { return wait_for(pq_, connection_, events, deadline_); }

void PostgresSession::disconnect() {
  if (connection_ != nullptr) pq_.finish(std::exchange(connection_, nullptr));
}

tl::unexpected<Error> PostgresSession::lost() {
  state_.clear();
  const bool late = Clock::now() >= deadline_;
  const std::string said =
      connection_ == nullptr ? "" : without_secrets(pq_.error_message(connection_), target_);
  disconnect();
  return fail(
      ErrorKind::kStorage,
      fmt::format("{}: {}; check the connection string and whether the server runs", target_.where,
                  late || said.empty() ? "the server gave no answer in time" : said));
}

bool PostgresSession::start(std::chrono::milliseconds patience) {
  Options options = {{"fallback_application_name", "proofline"},
                     {"tcp_user_timeout", std::to_string(patience.count())}};
  options.insert(options.end(), target_.options.begin(), target_.options.end());
  options.emplace_back("client_encoding", "UTF8");
  // A blocked name lookup cannot be cancelled. Of the two threads, the last to finish closes the
  // connection.
  std::promise<Connection> connecting;
  auto connected = connecting.get_future();
  std::thread([&pq = pq_, options = std::move(options), deadline = deadline_,
               connecting = std::move(connecting)]() mutable {
    connecting.set_value(connect_with(pq, options, deadline));
  }).detach();
  if (connected.wait_until(deadline_) != std::future_status::ready) return false;
  connection_ = connected.get().release();
  return connection_ != nullptr && pq_.status(connection_) == kPqConnectionOk &&
         pq_.set_nonblocking(connection_, 1) == 0;
}

Result<void> PostgresSession::connect(std::chrono::milliseconds patience) {
  disconnect();
  if (!start(patience)) return lost();
  const std::string limit = std::to_string(std::max<long>(patience.count(), 1));
  RETURN_IF_ERROR(query(
      "SELECT set_config('statement_timeout', $1, false), set_config('lock_timeout', $1, false), "
      "set_config('idle_in_transaction_session_timeout', $1, false), "
      "set_config('synchronous_commit', 'on', false), "
      "set_config('default_transaction_isolation', 'read committed', false), "
      "set_config('search_path', 'proofline', false)",
      {{limit}}));
  return {};
}

bool PostgresSession::send(const std::string& sql, const std::vector<SqlParameter>& parameters) {
  std::vector<unsigned> types;
  std::vector<const char*> values;
  std::vector<int> lengths;
  std::vector<int> formats;
  for (const SqlParameter& parameter : parameters) {
    types.push_back(parameter.bytes ? kPqTypeBytes : kPqTypeUnknown);
    values.push_back(parameter.value.c_str());
    lengths.push_back(static_cast<int>(parameter.value.size()));
    formats.push_back(parameter.bytes ? kBinary : 0);
  }
  if (pq_.send_query(connection_, sql.c_str(), static_cast<int>(parameters.size()), types.data(),
                     values.data(), lengths.data(), formats.data(), kBinary) == 0) {
    return false;
  }
  // While the server answers early, it takes nothing until its answer is read.
  for (int unsent = pq_.flush(connection_); unsent != 0; unsent = pq_.flush(connection_)) {
    if (unsent < 0 || !wait(POLLIN | POLLOUT)) return false;
    if (pq_.consume_input(connection_) == 0) return false;
  }
  return true;
}

Result<std::vector<SqlRow>> PostgresSession::take(const PqResult& result) {
  const int status = pq_.result_status(&result);
  if (status != kPqCommandOk && status != kPqTuplesOk) {
    const char* state = pq_.result_field(&result, kPqFieldState);
    const char* message = pq_.result_field(&result, kPqFieldMessage);
    if (state == nullptr || message == nullptr) return lost();
    state_ = state;
    return fail(ErrorKind::kStorage, fmt::format("{}: {} (SQLSTATE {})", target_.where,
                                                 without_secrets(message, target_), state_));
  }
  std::vector<SqlRow> rows;
  const int count = pq_.rows(&result);
  rows.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) rows.push_back(row_of(pq_, result, i));
  return rows;
}

Result<std::vector<SqlRow>> PostgresSession::receive() {
  Result<std::vector<SqlRow>> answer;
  for (;;) {
    while (pq_.is_busy(connection_) != 0) {
      if (!wait(POLLIN) || pq_.consume_input(connection_) == 0) return lost();
    }
    const std::unique_ptr<PqResult, void (*)(PqResult*)> result(pq_.get_result(connection_),
                                                                pq_.clear);
    if (result == nullptr) break;
    answer = take(*result);
    if (!is_connected()) return answer;
  }
  // A server that goes down says why, and then closes the connection.
  if (pq_.status(connection_) != kPqConnectionOk) disconnect();
  return answer;
}

Result<std::vector<SqlRow>> PostgresSession::query(const std::string& sql,
                                                   const std::vector<SqlParameter>& parameters) {
  state_.clear();
  if (!is_connected() || !send(sql, parameters)) return lost();
  return receive();
}

}  // namespace proofline

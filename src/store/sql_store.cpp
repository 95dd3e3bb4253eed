// SPDX-License-Identifier: Apache-2.0
#include "store/sql_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/propagate.h"
#include "base/text.h"
#include "store/entries/entry_identity.h"

namespace proofline {

namespace {

constexpr const char* kColumns =
    "chain, CAST(sequence AS TEXT), id, attempt, kind, written, body, previous, hash";

// Entries are read in pages, so that readers do not block writers and memory does not grow with the
// journal.
constexpr std::size_t kPageEntries = 64;

std::uint64_t to_number(const std::string& digits) {
  std::uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

JournalEntry to_entry(const SqlRow& row) {
  return {row[0], to_number(row[1]), row[2], row[3], row[4], row[5], row[6], row[7], row[8]};
}

Result<std::optional<JournalEntry>> find_entry(SqlSession& session, const std::string& id) {
  const auto rows =
      session.query(fmt::format("SELECT {} FROM entries WHERE id = $1", kColumns), {{id}});
  RETURN_IF_ERROR(rows);
  if (rows->empty()) return std::nullopt;
  return to_entry(rows->front());
}

Result<std::optional<ChainHead>> find_head(SqlSession& session, const std::string& chain) {
  const auto rows = session.query(
      "SELECT chain, CAST(sequence AS TEXT), hash FROM chains WHERE chain = $1", {{chain}});
  RETURN_IF_ERROR(rows);
  if (rows->empty()) return std::nullopt;
  const SqlRow& row = rows->front();
  return ChainHead{row[0], to_number(row[1]), row[2]};
}

// The sequence number of the last stored entry, independent of the table of chains; 0: no entry.
Result<std::uint64_t> last_sequence(SqlSession& session, const std::string& chain) {
  ASSIGN_OR_RETURN(
      const auto rows,
      session.query("SELECT CAST(coalesce(max(sequence), 0) AS TEXT) FROM entries WHERE chain = $1",
                    {{chain}}));
  return to_number(rows.front()[0]);
}

Result<void> insert_entry(SqlSession& session, const JournalEntry& entry) {
  RETURN_IF_ERROR(session.query(
      "INSERT INTO entries (chain, sequence, id, attempt, kind, written, body, previous, hash) "
      "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
      {{entry.chain},
       {std::to_string(entry.sequence)},
       {entry.id},
       {entry.attempt},
       {entry.kind},
       {entry.written},
       {entry.body, true},
       {entry.previous},
       {entry.hash}}));
  return {};
}

Result<void> move_head(SqlSession& session, const JournalEntry& to) {
  RETURN_IF_ERROR(session.query("UPDATE chains SET sequence = $2, hash = $3 WHERE chain = $1",
                                {{to.chain}, {std::to_string(to.sequence)}, {to.hash}}));
  return {};
}

Result<void> add_chain(SqlSession& session, const JournalEntry& first) {
  RETURN_IF_ERROR(
      session.query("INSERT INTO chains (chain, own, sequence, hash) VALUES ($1, FALSE, $2, $3)",
                    {{first.chain}, {std::to_string(first.sequence)}, {first.hash}}));
  return {};
}

Result<JournalEntry> append_entry(SqlSession& session, const std::string& chain,
                                  const NewEntry& entry) {
  ASSIGN_OR_RETURN(auto stored, find_entry(session, entry.id));
  if (stored) return std::move(*stored);

  ASSIGN_OR_RETURN(const auto head, find_head(session, chain));
  if (!head) return fail(ErrorKind::kStorage, "the journal's own chain was removed from it");
  // Where the head was set back by hand, later entries exist. The new one follows them all, and its
  // link to the old head lets verify find it.
  ASSIGN_OR_RETURN(const auto last, last_sequence(session, chain));
  JournalEntry next{chain,      std::max(head->sequence, last) + 1,
                    entry.id,   entry.attempt,
                    entry.kind, entry.written.empty() ? utc_now_ms() : entry.written,
                    entry.body, head->hash,
                    ""};
  next.hash = entry_hash(next);
  const Result<void> done =
      insert_entry(session, next).and_then([&] { return move_head(session, next); });
  RETURN_IF_ERROR(done);
  return next;
}

Result<bool> adopt_entry(SqlSession& session, const JournalEntry& entry) {
  ASSIGN_OR_RETURN(const auto stored, find_entry(session, entry.id));
  if (stored && stored->hash == entry.hash) return false;

  const auto same_place = session.query("SELECT id FROM entries WHERE chain = $1 AND sequence = $2",
                                        {{entry.chain}, {std::to_string(entry.sequence)}});
  RETURN_IF_ERROR(same_place);
  if (stored || !same_place->empty()) {
    return fail(ErrorKind::kInput,
                fmt::format("entry {} of chain {} is there already with another text: one of the "
                            "two journals was changed or put back from an older copy; run "
                            "'proofline journal verify' on both",
                            entry.sequence, entry.chain));
  }

  ASSIGN_OR_RETURN(const auto head, find_head(session, entry.chain));
  Result<void> done = insert_entry(session, entry);
  if (done && !head) done = add_chain(session, entry);
  if (done && head && head->sequence < entry.sequence) done = move_head(session, entry);
  RETURN_IF_ERROR(done);
  return true;
}

// Of the entries that the filter takes, the first ones after this one.
Result<std::vector<JournalEntry>> read_page(SqlSession& session, const EntryFilter& filter,
                                            const JournalEntry& last) {
  std::string sql = fmt::format(
      "SELECT {} FROM entries WHERE (chain, sequence) > ($1, CAST($2 AS BIGINT))", kColumns);
  std::vector<SqlParameter> parameters = {{last.chain}, {std::to_string(last.sequence)}};
  const auto also = [&](const char* column, const std::string& value) {
    if (value.empty()) return;
    parameters.push_back({value});
    sql += fmt::format(" AND {} = ${}", column, parameters.size());
  };
  also("chain", filter.chain);
  also("attempt", filter.attempt);
  also("kind", filter.kind);
  // Qualified: PostgreSQL would take a bare "sequence" for the column of the result, a text.
  sql += fmt::format(" ORDER BY entries.chain, entries.sequence LIMIT {}", kPageEntries);
  ASSIGN_OR_RETURN(const auto rows, session.query(sql, parameters));
  std::vector<JournalEntry> page;
  page.reserve(rows.size());
  std::transform(rows.begin(), rows.end(), std::back_inserter(page), to_entry);
  return page;
}

}  // namespace

Result<void> SqlStore::write_if_allowed(const Work& work) {
  if (read_only_.empty()) return write(work);
  return fail(ErrorKind::kStorage,
              fmt::format("{} can only be read: {}", quote(where_), read_only_));
}

Result<JournalEntry> SqlStore::append(const NewEntry& entry) {
  RETURN_IF_ERROR(check_new_entry(entry));
  JournalEntry stored;
  const Result<void> done = write_if_allowed([&](SqlSession& session) -> Result<void> {
    ASSIGN_OR_RETURN(auto appended, append_entry(session, chain_, entry));
    stored = std::move(appended);
    return {};
  });
  RETURN_IF_ERROR(done);
  return stored;
}

Result<bool> SqlStore::adopt(const JournalEntry& entry) {
  RETURN_IF_ERROR(check_adopted_entry(entry));
  // Once it was added it stays so: done again after a lost answer, it finds itself.
  bool is_new = false;
  const Result<void> done = write_if_allowed([&](SqlSession& session) -> Result<void> {
    ASSIGN_OR_RETURN(const auto added, adopt_entry(session, entry));
    is_new = is_new || added;
    return {};
  });
  RETURN_IF_ERROR(done);
  return is_new;
}

Result<void> SqlStore::read(const EntryFilter& filter,
                            const std::function<bool(const JournalEntry&)>& take) {
  JournalEntry last;
  last.chain = filter.chain;
  last.sequence = filter.chain.empty() ? 0 : filter.after;
  for (;;) {
    std::vector<JournalEntry> page;
    Result<void> done = look([&](SqlSession& session) -> Result<void> {
      ASSIGN_OR_RETURN(auto entries, read_page(session, filter, last));
      page = std::move(entries);
      return {};
    });
    if (!done) return done;
    if (!std::all_of(page.begin(), page.end(), take)) return {};
    if (page.size() < kPageEntries) return {};
    last = std::move(page.back());
  }
}

Result<std::vector<ChainHead>> SqlStore::heads() {
  std::vector<ChainHead> heads;
  const Result<void> done = look([&](SqlSession& session) -> Result<void> {
    const auto rows =
        session.query("SELECT chain, CAST(sequence AS TEXT), hash FROM chains ORDER BY chain");
    RETURN_IF_ERROR(rows);
    heads.clear();
    for (const SqlRow& row : *rows) heads.push_back({row[0], to_number(row[1]), row[2]});
    return {};
  });
  RETURN_IF_ERROR(done);
  return heads;
}

Result<void> SqlStore::find_chain() {
  return look([this](SqlSession& session) -> Result<void> {
    ASSIGN_OR_RETURN(const auto rows, session.query("SELECT chain FROM chains WHERE own"));
    if (!rows.empty()) {
      chain_ = rows.front()[0];
    } else if (read_only_.empty()) {
      forbid_writing("its own chain was removed from it");
    }
    return {};
  });
}

}  // namespace proofline

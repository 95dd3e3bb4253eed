// SPDX-License-Identifier: Apache-2.0
//
// A team's journal in a real PostgreSQL: every entry is there once, whatever happens to the
// connection and the server.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "store/entries/entry_identity.h"
#include "store/journal_store.h"
#include "store/libpq.h"
#include "store/postgres_session.h"
#include "support/effort.h"
#include "support/journal.h"
#include "support/postgres.h"
#include "support/postgres_proxy.h"
#include "support/temp_dir.h"

#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#endif

namespace proofline::journal_postgres_test {
namespace {

using Breaks = std::vector<std::string>;
using Accident = PostgresProxy::Accident;

class JournalPostgresTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = std::make_unique<PostgresServer>(); }
  static void TearDownTestSuite() { server_.reset(); }

  void SetUp() override {
    if (!server_->missing().empty()) GTEST_SKIP() << server_->missing();
    run("DROP SCHEMA IF EXISTS proofline CASCADE");
  }

  // As an administrator would with psql; the first value of the answer.
  static std::string run(const std::string& sql) {
    PostgresSession session(**load_libpq(),
                            *parse_postgres_target(**load_libpq(), server_->connection_string()));
    session.set_deadline(PostgresSession::Clock::now() + std::chrono::seconds(30));
    const Result<void> connected = session.connect(std::chrono::seconds(30));
    if (!connected) return connected.error().message;
    const auto rows = session.query(sql);
    if (!rows) return rows.error().message;
    return rows->empty() ? "" : rows->front().front();
  }

  static std::unique_ptr<JournalStore> open() {
    StoreOptions patient;
    patient.patience = std::chrono::seconds(60);
    return open_or_fail(server_->connection_string(), patient);
  }

  static void end_all_connections() {
    run("SELECT CAST(count(pg_terminate_backend(pid)) AS TEXT) FROM pg_stat_activity "
        "WHERE pid <> pg_backend_pid() AND application_name = 'proofline'");
  }

  static std::unique_ptr<PostgresServer> server_;
};
std::unique_ptr<PostgresServer> JournalPostgresTest::server_;

TEST_F(JournalPostgresTest, EntriesComeBackAsTheyWere) {
  const std::string odd = std::string("\0\n\x1b[31m\xff", 8) + "'; DROP TABLE entries; --";
  const NewEntry first = note_entry(odd);
  std::string chain;
  {
    const auto store = open();
    ASSERT_NE(store, nullptr);
    EXPECT_EQ(store->read_only(), "");
    chain = store->chain();
    EXPECT_EQ(chain.size(), 32U);
    ASSERT_TRUE(store->append(first));
    ASSERT_TRUE(store->append({new_entry_id(), first.id, "close", "{}"}));
    ASSERT_TRUE(store->append(first));
  }
  const auto store = open();
  EXPECT_EQ(store->chain(), chain);
  const std::vector<JournalEntry> entries = stored_entries(*store);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].body, odd);
  EXPECT_EQ(entries[0].hash, entry_hash(entries[0]));
  EXPECT_EQ(entries[1].previous, entries[0].hash);
  EXPECT_EQ(stored_entries(*store, {chain, first.id, "close", 1}).size(), 1U);
  EXPECT_EQ(breaks_of(*store), Breaks{});
  run("UPDATE proofline.entries SET body = '{}' WHERE sequence = 1");
  EXPECT_EQ(breaks_of(*store), Breaks{"1: its text is not what was hashed"});
  run("DELETE FROM proofline.entries WHERE sequence = 2");
  EXPECT_EQ(breaks_of(*store).size(), 2U);
}

TEST_F(JournalPostgresTest, TakesOverALocalJournalOnce) {
  const TempDir folder;
  const auto local = open_or_fail(folder.path("journal.sqlite"));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(local->append(note_entry("{}")));
  const auto team = open();
  ASSERT_TRUE(team->append(note_entry("{}")));
  for (const bool expected : {true, false}) {
    for (const JournalEntry& entry : stored_entries(*local)) {
      const auto adopted = team->adopt(entry);
      ASSERT_TRUE(adopted) << adopted.error().message;
      EXPECT_EQ(*adopted, expected);
    }
  }
  EXPECT_EQ(stored_entries(*team).size(), 4U);
  EXPECT_EQ(stored_entries(*team, {local->chain(), "", "", 0}).back().hash,
            stored_entries(*local).back().hash);
  EXPECT_EQ(breaks_of(*team), Breaks{});
}

TEST_F(JournalPostgresTest, ManyWritersWhoseConnectionsAreCutLoseNothing) {
  constexpr std::size_t kWriters = 5;
  const int entries = effort(30, 30, 10);
  std::vector<std::unique_ptr<JournalStore>> stores(kWriters);
  std::vector<std::thread> threads;
  // All want to make the tables.
  for (auto& store : stores) threads.emplace_back([&] { store = open(); });
  for (std::thread& thread : threads) thread.join();
  threads.clear();
  for (const auto& store : stores) {
    ASSERT_NE(store, nullptr);
    threads.emplace_back([&] {
      for (int i = 0; i < entries; ++i) {
        const auto stored = store->append(note_entry("{}"));
        EXPECT_TRUE(stored) << stored.error().message;
      }
    });
  }
  for (int i = 0; i < 10; ++i) end_all_connections();
  for (std::thread& thread : threads) thread.join();
  const auto verified = verify_journal(*stores.front());
  ASSERT_TRUE(verified);
  EXPECT_EQ(verified->entries, kWriters * entries);
  EXPECT_EQ(verified->chains, 1U);
  EXPECT_TRUE(verified->breaks.empty());
}

TEST_F(JournalPostgresTest, AConnectionLostDuringCommitStoresOnce) {
  PostgresProxy proxy(server_->folder());
  const auto store = open_or_fail(PostgresServer::connection_string(proxy.folder()));
  ASSERT_NE(store, nullptr);
  for (const Accident accident : {Accident::kNone, Accident::kLoseCommit, Accident::kLoseAnswer}) {
    proxy.plan(accident);
    const auto stored = store->append(note_entry("{}"));
    ASSERT_TRUE(stored) << stored.error().message;
  }
  const TempDir folder;
  const auto local = open_or_fail(folder.path("journal.sqlite"));
  const auto entry = local->append(note_entry("{}"));
  proxy.plan(Accident::kLoseAnswer);
  const auto adopted = store->adopt(*entry);
  ASSERT_TRUE(adopted) << adopted.error().message;
  EXPECT_TRUE(*adopted);
  EXPECT_EQ(stored_entries(*store).size(), 4U);
  EXPECT_EQ(breaks_of(*store), Breaks{});
}

TEST_F(JournalPostgresTest, AServerThatFallsSilentIsGivenUp) {
  PostgresProxy proxy(server_->folder());
  StoreOptions options;
  options.patience = std::chrono::milliseconds(300);
  ASSERT_NE(open(), nullptr);  // makes the tables, with more patience
  const auto store = open_journal(PostgresServer::connection_string(proxy.folder()), options);
  ASSERT_TRUE(store) << store.error().message;
  proxy.plan(Accident::kFallSilent);
  const NewEntry entry = note_entry("{}");
  const auto refused = (*store)->append(entry);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kStorage);
  ASSERT_TRUE(open()->append(entry));  // once more, with the same id
  EXPECT_EQ(stored_entries(*open()).size(), 1U);
}

TEST_F(JournalPostgresTest, AServerThatNeverAnswersIsGivenUp) {
  const TempDir folder;
  const UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  folder.path(PostgresServer::kSocketName).copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  StoreOptions options;
  options.patience = std::chrono::milliseconds(50);
  const auto store = open_journal("host=" + folder.path("") + " password=hush", options);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().kind, ErrorKind::kStorage);
  EXPECT_NE(store.error().message.find("no answer in time"), std::string::npos)
      << store.error().message;
}

TEST_F(JournalPostgresTest, SurvivesACrashOfTheServer) {
  const auto store = open();
  ASSERT_TRUE(store->append(note_entry("{}")));
  server_->stop_at_once();
  std::thread writer([&] {  // waits for it to come back
    const auto stored = store->append(note_entry("{}"));
    EXPECT_TRUE(stored) << stored.error().message;
  });
  server_->start();
  writer.join();
  EXPECT_EQ(stored_entries(*store).size(), 2U);
  EXPECT_EQ(breaks_of(*store), Breaks{});
}

TEST_F(JournalPostgresTest, RepeatsATransactionThatTheServerGivesUp) {
  const auto store = open();
  // The server refuses the first two as it refuses one of two in a deadlock.
  run("CREATE SEQUENCE proofline.tries");
  run("CREATE FUNCTION proofline.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
      "IF nextval('proofline.tries') <= 2 THEN RAISE EXCEPTION 'busy' USING ERRCODE = '40P01'; "
      "END IF; RETURN NEW; END $$");
  run("CREATE TRIGGER fail BEFORE INSERT ON proofline.entries FOR EACH ROW "
      "EXECUTE FUNCTION proofline.fail()");
  const auto stored = store->append(note_entry("{}"));
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(stored->sequence, 1U);
  EXPECT_EQ(run("SELECT CAST(last_value AS TEXT) FROM proofline.tries"), "3");
}

TEST_F(JournalPostgresTest, AHeldLockIsGivenUpInTime) {
  ASSERT_NE(open(), nullptr);
  PostgresSession other(**load_libpq(),
                        *parse_postgres_target(**load_libpq(), server_->connection_string()));
  other.set_deadline(PostgresSession::Clock::now() + std::chrono::seconds(30));
  ASSERT_TRUE(other.connect(std::chrono::seconds(30)));
  ASSERT_TRUE(other.query("BEGIN"));
  ASSERT_TRUE(other.query("SELECT chain FROM chains FOR UPDATE"));
  StoreOptions options;
  options.patience = std::chrono::milliseconds(300);
  const auto store = open_journal(server_->connection_string(), options);
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_EQ((*store)->append(note_entry("{}")).error().kind, ErrorKind::kStorage);
}

TEST_F(JournalPostgresTest, ANewerVersionAndAReaderWithoutRights) {
  StoreOptions no_tables;
  no_tables.create = false;
  EXPECT_FALSE(open_journal(server_->connection_string(), no_tables));
  ASSERT_TRUE(open()->append(note_entry("{}")));

  run("DROP ROLE IF EXISTS reader");
  run("CREATE ROLE reader LOGIN");
  run("GRANT USAGE ON SCHEMA proofline TO reader");
  run("GRANT SELECT ON ALL TABLES IN SCHEMA proofline TO reader");
  const auto reader = open_or_fail("host=" + server_->folder() + " user=reader dbname=postgres");
  ASSERT_NE(reader, nullptr);
  EXPECT_NE(reader->read_only(), "");
  EXPECT_EQ(reader->append(note_entry("{}")).error().kind, ErrorKind::kStorage);
  EXPECT_EQ(stored_entries(*reader).size(), 1U);

  run("UPDATE proofline.schema_version SET version = 99");
  const auto store = open_journal(server_->connection_string());
  ASSERT_FALSE(store);
  EXPECT_NE(store.error().message.find("newer version"), std::string::npos);
}

TEST_F(JournalPostgresTest, NeverShowsAPassword) {
  const std::vector<std::string> strings = {
      "postgresql://me:s3cret@localhost:1/team",
      "postgresql://me:x@s3cret@localhost:1/team",
      "postgresql://me:s3cret@localhost:notaport/team",
      "host=/nowhere password=s3cret user=me",
      "host=/nowhere password=two s3cret",
      "host=/nowhere nosuch=s3cret",
      "host=/nowhere password='s3cret",
  };
  for (const std::string& text : strings) {
    const auto store = open_journal(text);
    ASSERT_FALSE(store) << text;
    EXPECT_EQ(store.error().message.find("s3cret"), std::string::npos) << store.error().message;
  }
  const auto store = open_or_fail(server_->connection_string() + " password=s3cret");
  EXPECT_NE(store->where().find("dbname=postgres"), std::string::npos);
  EXPECT_EQ(store->where().find("s3cret"), std::string::npos);
}

TEST(JournalWhere, APathWithAnEqualsSignIsAFileWhenItLooksLikeOne) {
  const TempDir folder;
  EXPECT_NE(open_or_fail(folder.path("host=x.sqlite")), nullptr);
}

#if __has_include(<postgresql/libpq-fe.h>)
static_assert(kPqConnectionOk == CONNECTION_OK);
static_assert(kPqConnectionBad == CONNECTION_BAD);
static_assert(kPqPollingFailed == PGRES_POLLING_FAILED);
static_assert(kPqPollingReading == PGRES_POLLING_READING);
static_assert(kPqPollingWriting == PGRES_POLLING_WRITING);
static_assert(kPqPollingOk == PGRES_POLLING_OK);
static_assert(kPqCommandOk == PGRES_COMMAND_OK);
static_assert(kPqTuplesOk == PGRES_TUPLES_OK);
static_assert(kPqFieldState == PG_DIAG_SQLSTATE);
static_assert(kPqFieldMessage == PG_DIAG_MESSAGE_PRIMARY);
static_assert(sizeof(PqOption) == sizeof(PQconninfoOption));
static_assert(offsetof(PqOption, keyword) == offsetof(PQconninfoOption, keyword));
static_assert(offsetof(PqOption, value) == offsetof(PQconninfoOption, val));
static_assert(offsetof(PqOption, display) == offsetof(PQconninfoOption, dispchar));
static_assert(std::is_same_v<Oid, unsigned>);
#endif

}  // namespace
}  // namespace proofline::journal_postgres_test

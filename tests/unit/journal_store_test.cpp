// SPDX-License-Identifier: Apache-2.0
//
// The journal in an SQLite file: what is appended comes back as it was, once, in order, whoever
// else writes.
#include "store/journal_store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "store/entries/entry_identity.h"
#include "store/sqlite_session.h"
#include "support/effort.h"
#include "support/journal.h"
#include "support/temp_dir.h"

namespace proofline::journal_store_test {
namespace {

using ::testing::Test;

class JournalStoreTest : public Test {
 protected:
  std::string path() const { return folder_.path(".proofline/journal.sqlite"); }

  TempDir folder_;
};

TEST_F(JournalStoreTest, MakesItsFolderAndAFileForItsOwnerAlone) {
  const auto store = open_or_fail(path());
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(store->where(), path());
  EXPECT_EQ(store->read_only(), "");
  EXPECT_EQ(store->chain().size(), 32U);
  struct stat file {};
  ASSERT_EQ(::stat(path().c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777U, 0600U);
  EXPECT_EQ(breaks_of(*store), std::vector<std::string>{});
}

TEST_F(JournalStoreTest, DoesNotMakeAFileThatNobodyAskedFor) {
  StoreOptions options;
  options.create = false;
  const auto store = open_journal(path(), options);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().kind, ErrorKind::kInput);
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(JournalStoreTest, EntriesComeBackAsTheyWereInANewSession) {
  std::string odd = "{\"a\":\"";
  odd += std::string("\0\n\x1b[31m\xff", 8) + "\"}";
  const NewEntry open{new_entry_id(), "", "open", odd};
  const NewEntry close{new_entry_id(), open.id, "close", "{}"};
  std::string chain;
  {
    const auto store = open_or_fail(path());
    chain = store->chain();
    ASSERT_TRUE(store->append(open));
    ASSERT_TRUE(store->append(close));
  }
  const auto store = open_or_fail(path());
  EXPECT_EQ(store->chain(), chain);
  const std::vector<JournalEntry> entries = stored_entries(*store);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].body, odd);
  EXPECT_EQ(entries[0].previous, std::string(64, '0'));
  EXPECT_EQ(entries[1].previous, entries[0].hash);
  EXPECT_EQ(entries[1].attempt, open.id);
  EXPECT_EQ(entries[1].kind, "close");
  EXPECT_EQ(entries[1].sequence, 2U);
  EXPECT_EQ(entries[1].chain, chain);
  EXPECT_EQ(entries[1].written.size(), 24U);
  EXPECT_EQ(entries[1].hash, entry_hash(entries[1]));
  EXPECT_EQ(breaks_of(*store), std::vector<std::string>{});
}

TEST_F(JournalStoreTest, AnEntryWrittenTwiceIsStoredOnce) {
  const auto store = open_or_fail(path());
  const NewEntry entry = note_entry("{}");
  const auto first = store->append(entry);
  const auto second = store->append(entry);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->hash, second->hash);
  EXPECT_EQ(stored_entries(*store).size(), 1U);
}

TEST_F(JournalStoreTest, FiltersAndStopsWhenAsked) {
  const auto store = open_or_fail(path());
  const NewEntry open{new_entry_id(), "", "open", "{}"};
  ASSERT_TRUE(store->append(open));
  for (int i = 0; i < 70; ++i) {  // more than one page of them
    ASSERT_TRUE(store->append({new_entry_id(), i % 2 == 0 ? open.id : "", "benchmark", "{}"}));
  }
  EXPECT_EQ(stored_entries(*store).size(), 71U);
  EXPECT_EQ(stored_entries(*store, {"", open.id, "", 0}).size(), 35U);
  EXPECT_EQ(stored_entries(*store, {"", "", "open", 0}).size(), 1U);
  EXPECT_EQ(stored_entries(*store, {store->chain(), "", "", 50}).size(), 21U);
  EXPECT_EQ(stored_entries(*store, {store->chain(), "", "", 50}).front().sequence, 51U);
  EXPECT_EQ(stored_entries(*store, {new_entry_id(), "", "", 0}).size(), 0U);
  std::size_t taken = 0;
  ASSERT_TRUE(store->read({}, [&](const JournalEntry&) { return ++taken < 3; }));
  EXPECT_EQ(taken, 3U);
}

TEST_F(JournalStoreTest, RefusesWhatCannotBeAnEntry) {
  const auto store = open_or_fail(path());
  const auto kind_of_error = [&](const NewEntry& entry) {
    const auto done = store->append(entry);
    return done ? "stored" : std::to_string(static_cast<int>(done.error().kind));
  };
  const std::string usage = std::to_string(static_cast<int>(ErrorKind::kUsage));
  const std::string storage = std::to_string(static_cast<int>(ErrorKind::kStorage));
  EXPECT_EQ(kind_of_error({"short", "", "note", "{}"}), usage);
  EXPECT_EQ(kind_of_error({new_entry_id(), "'; DROP TABLE entries", "note", "{}"}), usage);
  EXPECT_EQ(kind_of_error({new_entry_id(), "", "no\nte", "{}"}), usage);
  EXPECT_EQ(kind_of_error(note_entry(std::string((16U << 20U) + 1, ' '))), storage);
  EXPECT_EQ(kind_of_error(note_entry(std::string(16U << 20U, ' '))), "stored");
  EXPECT_EQ(stored_entries(*store).size(), 1U);
}

TEST_F(JournalStoreTest, TakesOverTheEntriesOfAnotherJournalOnce) {
  const auto other = open_or_fail(folder_.path("other.sqlite"));
  const auto store = open_or_fail(path());
  ASSERT_TRUE(store->append(note_entry("{\"own\":1}")));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(other->append(note_entry("{}")));
  for (const bool expected : {true, false}) {
    for (const JournalEntry& entry : stored_entries(*other)) {
      const auto adopted = store->adopt(entry);
      ASSERT_TRUE(adopted) << adopted.error().message;
      EXPECT_EQ(*adopted, expected);
    }
  }
  EXPECT_EQ(stored_entries(*store).size(), 4U);
  EXPECT_EQ(stored_entries(*store, {other->chain(), "", "", 0}).size(), 3U);
  const auto verified = verify_journal(*store);
  ASSERT_TRUE(verified);
  EXPECT_EQ(verified->chains, 2U);
  EXPECT_EQ(verified->entries, 4U);
  EXPECT_TRUE(verified->breaks.empty());
}

TEST_F(JournalStoreTest, DoesNotTakeOverAChangedEntry) {
  const auto other = open_or_fail(folder_.path("other.sqlite"));
  const auto store = open_or_fail(path());
  auto entry = other->append(note_entry("{}"));
  ASSERT_TRUE(entry);
  JournalEntry changed = *entry;
  changed.body = "{\"faster\":true}";
  EXPECT_EQ(store->adopt(changed).error().kind, ErrorKind::kInput);
  changed.hash = entry_hash(changed);
  ASSERT_TRUE(store->adopt(*entry));
  EXPECT_EQ(store->adopt(changed).error().kind, ErrorKind::kInput);  // the same id
  changed.id = new_entry_id();
  changed.hash = entry_hash(changed);
  EXPECT_EQ(store->adopt(changed).error().kind, ErrorKind::kInput);  // the same place
  EXPECT_EQ(stored_entries(*store).size(), 1U);
}

TEST_F(JournalStoreTest, ManyProcessesWriteWithoutLosingAnything) {
  constexpr int kWriters = 6;
  const int entries = effort(12, 12, 6);
  std::vector<pid_t> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.push_back(start_child([&] {  // they also race to make the file
      StoreOptions patient;
      patient.patience = std::chrono::seconds(120);
      const auto store = open_journal(path(), patient);
      for (int i = 0; store && i < entries; ++i) {
        if (!(*store)->append(note_entry(std::to_string(writer)))) return 1;
      }
      return store ? 0 : 1;
    }));
  }
  for (const pid_t writer : writers) EXPECT_EQ(exit_code_of(writer), 0);
  const auto store = open_or_fail(path());
  const auto verified = verify_journal(*store);
  ASSERT_TRUE(verified);
  EXPECT_EQ(verified->entries, std::uint64_t{kWriters} * entries);
  EXPECT_EQ(verified->chains, 1U);
  EXPECT_TRUE(verified->breaks.empty());
}

TEST_F(JournalStoreTest, KeepsNoWriteAheadLog) {
  const auto store = open_or_fail(path());
  {
    const auto other = SqliteSession::open(path(), false, std::chrono::seconds(1));
    ASSERT_TRUE(other);
    EXPECT_EQ((*other)->query("PRAGMA journal_mode")->front().front(), "delete");
    EXPECT_EQ((*other)->query("PRAGMA synchronous")->front().front(), "3");
  }
  ASSERT_TRUE(store->append(note_entry("{}")));
  EXPECT_FALSE(std::filesystem::exists(path() + "-wal"));
}

TEST(EntryHash, DependsOnEveryFieldAndOnTheirBounds) {
  const JournalEntry entry{"c", 1, "i", "a", "k", "w", "b", "p", ""};
  std::vector<JournalEntry> others(9, entry);
  others[0].chain = "d";
  others[1].sequence = 2;
  others[2].id = "j";
  others[3].attempt = "b";
  others[4].kind = "l";
  others[5].written = "x";
  others[6].body = "c";
  others[7].previous = "q";
  others[8].attempt = "ak";
  others[8].kind = "";
  std::set<std::string> hashes = {entry_hash(entry)};
  for (const JournalEntry& other : others) hashes.insert(entry_hash(other));
  EXPECT_EQ(hashes.size(), others.size() + 1);
  // Stored journals rely on it: it may never change.
  EXPECT_EQ(entry_hash(entry), "72b0731b3c987a1ee7efcbeab940cfb54d245d420dec51a2a03616515549950f");
}

TEST(EntryTime, IsRoundedDownBefore1970Too) {
  using std::chrono::milliseconds;
  const auto text = [](long ms) {
    return utc_ms(std::chrono::system_clock::time_point(milliseconds(ms)));
  };
  EXPECT_EQ(text(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(text(1'500), "1970-01-01T00:00:01.500Z");
  EXPECT_EQ(text(-1), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(text(-86'400'000 - 250), "1969-12-30T23:59:59.750Z");
}

TEST(EntryId, IsNeverTheSame) {
  std::set<std::string> ids;
  for (int i = 0; i < 100; ++i) ids.insert(new_entry_id());
  EXPECT_EQ(ids.size(), 100U);
}

}  // namespace
}  // namespace proofline::journal_store_test

// SPDX-License-Identifier: Apache-2.0
//
// Whatever is done to a journal by hand shows, with the entry's number, and the rest stays
// readable.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "store/entries/entry_identity.h"
#include "store/journal_store.h"
#include "store/sqlite_session.h"
#include "support/journal.h"
#include "support/temp_dir.h"

namespace proofline::journal_verify_test {
namespace {

using Breaks = std::vector<std::string>;

class JournalVerifyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store_ = open_or_fail(path_);
    for (int i = 1; i <= 5; ++i) {
      ASSERT_TRUE(
          store_->append(note_entry("{\"text\":\"entry number " + std::to_string(i) + "\"}")));
    }
    ASSERT_EQ(breaks_of(*store_), Breaks{});
  }

  // As a person would with the sqlite3 program.
  void edit(const std::string& sql) {
    const auto session = SqliteSession::open(path_, false, std::chrono::seconds(1));
    ASSERT_TRUE(session);
    const Result<void> done = (*session)->run(sql);
    ASSERT_TRUE(done) << done.error().message;
  }

  TempDir folder_;
  std::string path_ = folder_.path("journal.sqlite");
  std::unique_ptr<JournalStore> store_;
};

TEST_F(JournalVerifyTest, AChangedText) {
  edit("UPDATE entries SET body = '{}' WHERE sequence = 3");
  EXPECT_EQ(breaks_of(*store_), Breaks{"3: its text is not what was hashed"});
  EXPECT_EQ(stored_entries(*store_).size(), 5U);
}

TEST_F(JournalVerifyTest, AChangedTextWithItsHashMadeAnew) {
  JournalEntry entry = stored_entries(*store_)[2];
  entry.body = "{}";
  edit("UPDATE entries SET body = '{}', hash = '" + entry_hash(entry) + "' WHERE sequence = 3");
  EXPECT_EQ(breaks_of(*store_), Breaks{"4: it does not follow entry 3"});
}

TEST_F(JournalVerifyTest, TheLastTextChangedWithItsHashMadeAnew) {
  JournalEntry entry = stored_entries(*store_)[4];
  entry.body = "{}";
  edit("UPDATE entries SET body = '{}', hash = '" + entry_hash(entry) + "' WHERE sequence = 5");
  EXPECT_EQ(breaks_of(*store_), Breaks{"5: it is not the entry that was recorded as the last one"});
}

TEST_F(JournalVerifyTest, RemovedEntriesInTheMiddleAndAtTheStart) {
  edit("DELETE FROM entries WHERE sequence IN (1, 3, 4)");
  EXPECT_EQ(breaks_of(*store_), (Breaks{"1: entry 1 is missing", "3: entries 3 to 4 are missing"}));
}

TEST_F(JournalVerifyTest, ARemovedEndStaysMissingAfterTheNextEntry) {
  edit("DELETE FROM entries WHERE sequence > 3");
  EXPECT_EQ(breaks_of(*store_), Breaks{"4: entries 4 to 5 are missing"});
  const auto next = store_->append(note_entry("{}"));
  ASSERT_TRUE(next);
  EXPECT_EQ(next->sequence, 6U);
  EXPECT_EQ(breaks_of(*store_), Breaks{"4: entries 4 to 5 are missing"});
}

TEST_F(JournalVerifyTest, ARemovedWholeChain) {
  edit("DELETE FROM entries");
  EXPECT_EQ(breaks_of(*store_), Breaks{"1: entries 1 to 5 are missing"});
}

TEST_F(JournalVerifyTest, ARemovedEndWithTheRecordOfIt) {
  edit("DELETE FROM chains; DELETE FROM entries WHERE sequence > 3");
  const std::string lost =
      "3: which entry is the last one is not recorded any more: entries after this one may be "
      "missing";
  EXPECT_EQ(breaks_of(*store_), Breaks{lost});
  const std::string no_chain = "0: the journal's own chain was removed from it";
  EXPECT_EQ(breaks_of(*open_or_fail(path_)), (Breaks{no_chain, lost}));
  edit("DELETE FROM entries");
  EXPECT_EQ(breaks_of(*open_or_fail(path_)), Breaks{no_chain});
}

TEST_F(JournalVerifyTest, AnInsertedEntryAndAChangedOrder) {
  edit("UPDATE entries SET sequence = 9 WHERE sequence = 2");
  const Breaks breaks = breaks_of(*store_);
  EXPECT_EQ(breaks, (Breaks{"2: entry 2 is missing", "6: entries 6 to 8 are missing",
                            "9: its text is not what was hashed",
                            "5: it is recorded as the last one, while entries up to 9 follow"}));
}

TEST_F(JournalVerifyTest, AHeadThatWasSetBackBlocksNobodyAndStaysVisible) {
  const std::string third = stored_entries(*store_)[2].hash;
  edit("UPDATE chains SET sequence = 3, hash = '" + third + "'");
  EXPECT_EQ(breaks_of(*store_),
            Breaks{"3: it is recorded as the last one, while entries up to 5 follow"});
  for (const std::uint64_t expected : {6U, 7U}) {
    const auto next = store_->append(note_entry("{}"));
    ASSERT_TRUE(next) << next.error().message;
    EXPECT_EQ(next->sequence, expected);
  }
  EXPECT_EQ(breaks_of(*store_), Breaks{"6: it does not follow entry 5"});
}

TEST_F(JournalVerifyTest, WithoutItsOwnChainItCanStillBeRead) {
  edit("DELETE FROM chains");
  const auto store = open_or_fail(path_);
  ASSERT_NE(store, nullptr);
  EXPECT_NE(store->read_only(), "");
  EXPECT_EQ(store->append(note_entry("{}")).error().kind, ErrorKind::kStorage);
  EXPECT_EQ(store_->append(note_entry("{}")).error().kind, ErrorKind::kStorage);
  EXPECT_EQ(stored_entries(*store).size(), 5U);
}

TEST_F(JournalVerifyTest, ABitFlippedInTheFile) {
  store_.reset();
  std::ostringstream whole;
  whole << std::ifstream(path_, std::ios::binary).rdbuf();
  std::string bytes = whole.str();
  const std::size_t at = bytes.find("entry number 3");
  ASSERT_NE(at, std::string::npos);
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  folder_.write("journal.sqlite", bytes);
  store_ = open_or_fail(path_);
  EXPECT_EQ(breaks_of(*store_), Breaks{"3: its text is not what was hashed"});
}

TEST_F(JournalVerifyTest, AnIndexThatDoesNotMatchItsTable) {
  const std::string id = stored_entries(*store_)[1].id;
  store_.reset();
  std::ostringstream whole;
  whole << std::ifstream(path_, std::ios::binary).rdbuf();
  std::string bytes = whole.str();
  // The id is in the table and in the index over ids.
  const std::size_t first = bytes.find(id);
  const std::size_t second = bytes.find(id, first + 1);
  ASSERT_NE(second, std::string::npos);
  bytes[second + 31] = bytes[second + 31] == '0' ? '1' : '0';
  folder_.write("journal.sqlite", bytes);
  store_ = open_or_fail(path_);
  EXPECT_NE(breaks_of(*store_), Breaks{});
}

}  // namespace
}  // namespace proofline::journal_verify_test

// SPDX-License-Identifier: Apache-2.0
//
// A journal's file under bad conditions: damaged, foreign, newer, locked, moved, or not ours to
// write. Each gets a message, and none is changed.
#include <gtest/gtest.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX, not in <csignal>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "store/journal_store.h"
#include "store/sqlite_schema.h"
#include "store/sqlite_session.h"
#include "support/journal.h"
#include "support/temp_dir.h"

namespace proofline::journal_file_test {
namespace {

namespace fs = std::filesystem;

std::string content_of(const std::string& path) {
  std::ostringstream whole;
  whole << std::ifstream(path, std::ios::binary).rdbuf();
  return whole.str();
}

class JournalFileTest : public ::testing::Test {
 protected:
  void make(int entries) {
    const auto store = open_or_fail(path_);
    for (int i = 0; i < entries; ++i) {
      ASSERT_TRUE(store->append(note_entry("{\"text\":\"" + std::string(3000, 'x') + "\"}")));
    }
  }

  std::unique_ptr<SqliteSession> session() const {
    auto opened = SqliteSession::open(path_, false, std::chrono::seconds(1));
    return opened ? std::move(*opened) : nullptr;
  }

  // Neither opened nor verified, with that in the message, and left as it is.
  void expect_refused(const std::string& part) {
    const std::string before = content_of(path_);
    const auto store = open_journal(path_);
    std::string message = store ? "" : store.error().message;
    if (store) {
      const auto verified = verify_journal(**store);
      message = verified ? "verified" : verified.error().message;
    } else {
      EXPECT_EQ(store.error().kind, ErrorKind::kStorage);
    }
    EXPECT_NE(message.find(part), std::string::npos) << message;
    EXPECT_EQ(content_of(path_), before);
  }

  TempDir folder_;
  std::string path_ = folder_.path("journal.sqlite");
};

TEST_F(JournalFileTest, AFileThatIsNoDatabase) {
  folder_.write("journal.sqlite", std::string(5000, 'j'));
  expect_refused("is damaged or not a journal");
  folder_.write("journal.sqlite", "{}");
  expect_refused("is damaged or not a journal");
}

TEST_F(JournalFileTest, AFolderInItsPlace) {
  ASSERT_TRUE(fs::create_directory(path_));
  const auto store = open_journal(path_);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().kind, ErrorKind::kStorage);
}

TEST_F(JournalFileTest, ADatabaseOfAnotherProgram) {
  folder_.write("journal.sqlite", "");
  ASSERT_TRUE(session()->run("CREATE TABLE photos (name TEXT)"));
  expect_refused("is a database of another program");
}

TEST_F(JournalFileTest, ANewerVersion) {
  make(1);
  ASSERT_TRUE(session()->run("PRAGMA user_version = 99"));
  expect_refused("newer version of proofline");
}

TEST_F(JournalFileTest, ACutFile) {
  make(8);
  const std::string whole = content_of(path_);
  folder_.write("journal.sqlite", whole.substr(0, whole.size() / 2));
  expect_refused("is damaged");
}

TEST_F(JournalFileTest, GarbageInAPage) {
  make(8);
  std::string bytes = content_of(path_);
  for (std::size_t i = 4096 * 4; i < 4096 * 8; ++i) bytes[i] = static_cast<char>(i * 37);
  folder_.write("journal.sqlite", bytes);
  const auto store = open_journal(path_);
  EXPECT_TRUE(!store || !breaks_of(**store).empty());
  EXPECT_EQ(content_of(path_), bytes);
}

TEST_F(JournalFileTest, AnEmptyFileIsOneThatWasNotFinished) {
  folder_.write("journal.sqlite", "");
  EXPECT_TRUE(open_or_fail(path_)->append(note_entry("{}")));
}

TEST_F(JournalFileTest, AnEmptyFileIsNoJournalToRead) {
  StoreOptions reading;
  reading.create = false;
  const auto expect_refused_to_read = [&] {
    const std::string before = content_of(path_);
    const auto store = open_journal(path_, reading);
    ASSERT_FALSE(store);
    EXPECT_EQ(store.error().kind, ErrorKind::kInput);
    EXPECT_NE(store.error().message.find("is empty, not a journal"), std::string::npos);
    EXPECT_EQ(content_of(path_), before);
  };
  folder_.write("journal.sqlite", "");
  expect_refused_to_read();
  ASSERT_TRUE(session()->run("CREATE TABLE x (y); DROP TABLE x"));  // a database without tables
  ASSERT_NE(content_of(path_), "");
  expect_refused_to_read();
}

TEST_F(JournalFileTest, ATriggerInItDoesNothing) {
  make(1);
  ASSERT_TRUE(session()->run(
      "CREATE TRIGGER hostile AFTER INSERT ON entries BEGIN DELETE FROM entries; END"));
  const auto store = open_or_fail(path_);
  ASSERT_TRUE(store->append(note_entry("{}")));
  EXPECT_EQ(stored_entries(*store).size(), 2U);
}

TEST_F(JournalFileTest, AnInterruptedMigrationLeavesTheOldVersionUsable) {
  make(3);
  const std::string before = content_of(path_);
  std::vector<std::string> steps = journal_schema();
  steps.emplace_back("ALTER TABLE entries ADD COLUMN extra TEXT; CREATE TABLE chains (no TEXT);");
  EXPECT_FALSE(bring_to_schema(*session(), path_, false, true, steps));
  EXPECT_EQ(content_of(path_), before);
  EXPECT_EQ(stored_entries(*open_or_fail(path_)).size(), 3U);

  steps.back() = "ALTER TABLE entries ADD COLUMN extra TEXT;";
  const Result<void> done = bring_to_schema(*session(), path_, false, true, steps);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(session()->query("PRAGMA user_version")->front().front(), "2");
  expect_refused("newer version");  // by the program that knows version 1
  EXPECT_EQ(stored_entries(*open_or_fail(path_ + ".v1.backup")).size(), 3U);
}

TEST_F(JournalFileTest, APausedWriterIsNamed) {
  make(1);
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const pid_t writer = start_child([&] {
    const auto held = session();
    if (!held || !held->run("BEGIN IMMEDIATE")) return 1;
    if (::write(ready[1], "x", 1) != 1) return 1;
    ::pause();
    return 0;
  });
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ::close(ready[0]);
  ::close(ready[1]);
  StoreOptions options;
  options.patience = std::chrono::milliseconds(20);
  const auto store = open_or_fail(path_, options);
  const auto refused = store->append(note_entry("{}"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kStorage);
  EXPECT_NE(refused.error().message.find("process " + std::to_string(writer)), std::string::npos)
      << refused.error().message;
  EXPECT_EQ(stored_entries(*store).size(), 1U);  // readers do not wait for it
  ::kill(writer, SIGKILL);
  exit_code_of(writer);
  EXPECT_TRUE(store->append(note_entry("{}")));
}

TEST_F(JournalFileTest, MovedReplacedOrLinkedWhileOpen) {
  const auto store = open_or_fail(path_);
  ASSERT_TRUE(store->append(note_entry("{}")));
  const std::string aside = folder_.path("aside.sqlite");

  fs::rename(path_, aside);
  EXPECT_EQ(store->append(note_entry("{}")).error().kind, ErrorKind::kStorage);
  fs::copy_file(aside, path_);
  EXPECT_EQ(store->append(note_entry("{}")).error().kind, ErrorKind::kStorage);
  EXPECT_EQ(stored_entries(*open_or_fail(path_)).size(), 1U);
  fs::rename(aside, path_);
  fs::create_hard_link(path_, aside);
  EXPECT_EQ(store->append(note_entry("{}")).error().kind, ErrorKind::kStorage);
  EXPECT_NE(open_or_fail(path_)->read_only(), "");
  fs::remove(aside);
  EXPECT_TRUE(store->append(note_entry("{}")));
  EXPECT_EQ(stored_entries(*store).size(), 2U);
}

// As somebody who is not root, whom no mode stops.
template <class Function>
int as_ordinary_user(const Function& function) {
  return exit_code_of(start_child([&] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) return 99;
    return function();
  }));
}

TEST_F(JournalFileTest, WhatMayNotBeWrittenCanStillBeRead) {
  make(2);
  const auto reads_only = [&] {
    const auto store = open_journal(path_);
    if (!store) return 1;
    if ((*store)->read_only().empty()) return 2;
    if (stored_entries(**store).size() != 2) return 3;
    const auto refused = (*store)->append(note_entry("{}"));
    if (refused || refused.error().kind != ErrorKind::kStorage) return 4;
    return breaks_of(**store).empty() ? 0 : 5;
  };
  ASSERT_EQ(::chmod(folder_.path("").c_str(), 0777), 0);
  ASSERT_EQ(::chmod(path_.c_str(), 0444), 0);
  EXPECT_EQ(as_ordinary_user(reads_only), 0);
  ASSERT_EQ(::chmod(path_.c_str(), 0666), 0);
  ASSERT_EQ(::chmod(folder_.path("").c_str(), 0555), 0);
  EXPECT_EQ(as_ordinary_user(reads_only), 0);
  EXPECT_EQ(as_ordinary_user([&] {
              const auto store = open_journal(folder_.path("new/journal.sqlite"));
              return !store && store.error().kind == ErrorKind::kStorage ? 0 : 1;
            }),
            0);
  ASSERT_EQ(::chmod(folder_.path("").c_str(), 0755), 0);
}

}  // namespace
}  // namespace proofline::journal_file_test

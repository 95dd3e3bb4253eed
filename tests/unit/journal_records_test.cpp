// SPDX-License-Identifier: Apache-2.0
//
// The journal without a command line: what is written by hand comes back as attempts, what makes no
// sense is refused before anything is stored, and a second journal gets what it lacks.
#include "workflow/journal/journal_records.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/temp_dir.h"
#include "workflow/journal/journal_filter.h"
#include "workflow/journal/journal_place.h"
#include "workflow/journal/journal_reading.h"
#include "workflow/journal/journal_sync.h"

namespace proofline::journal_records_test {
namespace {

class JournalRecordsTest : public testing::Test {
 protected:
  // The id of an attempt that was opened.
  std::string open(const std::string& hypothesis, const std::string& kind = "") {
    const auto written = record_attempt(journal_, {.hypothesis = hypothesis, .kind = kind});
    EXPECT_TRUE(written) << written.error().message;
    return written ? written->entry.id : "";
  }

  JournalReading read() const {
    auto reading = read_journal(journal_);
    EXPECT_TRUE(reading) << reading.error().message;
    return reading ? *reading : JournalReading();
  }

  TempDir dir_;
  std::string journal_ = dir_.path("journal.sqlite");
};

TEST_F(JournalRecordsTest, AnAttemptGoesFromIntentToItsEnd) {
  const auto opened = record_attempt(journal_, {.hypothesis = "float4 loads",
                                                .kind = "loads",
                                                .expected = GainRange{0.1, 0.2},
                                                .risk = "spills"});
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->where, journal_);
  const std::string start = opened->entry.id.substr(0, 8);
  ASSERT_TRUE(record_note(journal_, "168 registers", start));
  ASSERT_TRUE(record_close(journal_, start, AttemptState::kReverted, "it spills"));
  const JournalReading reading = read();
  ASSERT_EQ(reading.attempts.size(), 1U);
  const Attempt& attempt = reading.attempts.front();
  EXPECT_EQ(attempt.hypothesis, "float4 loads");
  EXPECT_EQ(attempt.kind, "loads");
  EXPECT_EQ(attempt.expected, (GainRange{0.1, 0.2}));
  EXPECT_EQ(attempt.state, AttemptState::kReverted);
  EXPECT_EQ(attempt.reason, "it spills");
  EXPECT_EQ(attempt.entries.size(), 3U);
  EXPECT_TRUE(reading.remarks.empty());
}

TEST_F(JournalRecordsTest, StoresNothingOfWhatMakesNoSense) {
  EXPECT_EQ(record_attempt(journal_, {.hypothesis = " "}).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(record_note(journal_, "", "").error().kind, ErrorKind::kUsage);
  EXPECT_EQ(record_baseline(journal_, "", "result.json", "").error().kind, ErrorKind::kUsage);
  EXPECT_FALSE(std::filesystem::exists(journal_));
}

TEST_F(JournalRecordsTest, WhatIsClosedIsClosedAgainOnlyWithAState) {
  const std::string id = open("vector loads");
  ASSERT_TRUE(record_close(journal_, id, {}, "no time"));
  EXPECT_EQ(read().attempts.front().state, AttemptState::kAbandoned);
  EXPECT_EQ(record_close(journal_, id, {}, "again").error().kind, ErrorKind::kUsage);
  ASSERT_TRUE(record_close(journal_, id, AttemptState::kKept, "found the time"));
  EXPECT_EQ(read().attempts.front().state, AttemptState::kKept);
}

TEST_F(JournalRecordsTest, AnIdThatNoneOrSeveralBeginWithIsRefused) {
  std::vector<Attempt> attempts(2);
  attempts[0].id = "3f2a";
  attempts[1].id = "3f90";
  EXPECT_EQ(find_attempt(attempts, "3f9")->id, "3f90");
  EXPECT_EQ(find_attempt(attempts, "3f").error().kind, ErrorKind::kInput);
  EXPECT_EQ(find_attempt(attempts, "4").error().kind, ErrorKind::kInput);
}

TEST_F(JournalRecordsTest, FiltersByKindAndByTextInAnyCase) {
  open("Vector LOADS", "loads");
  open("fewer barriers", "synchronisation");
  ASSERT_TRUE(record_note(journal_, "loads are next", ""));
  JournalChoice choice;
  choice.grep = "loads";
  JournalReading reading = read();
  JournalFilter::make(choice)->apply(reading);
  ASSERT_EQ(reading.attempts.size(), 1U);
  EXPECT_EQ(reading.attempts.front().hypothesis, "Vector LOADS");
  EXPECT_EQ(reading.remarks.size(), 1U);
  choice.kind = "synchronisation";
  reading = read();
  JournalFilter::make(choice)->apply(reading);
  EXPECT_TRUE(reading.attempts.empty());
  EXPECT_TRUE(reading.remarks.empty());
}

TEST_F(JournalRecordsTest, ASyncGivesTheOtherJournalWhatItLacksOnce) {
  open("one");
  open("two");
  const auto from = open_journal_to_read(journal_);
  const auto to = open_journal_to_write(dir_.path("other.sqlite"));
  ASSERT_TRUE(from && to);
  const auto first = sync_journal(**from, **to);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->entries, 2U);
  EXPECT_EQ(first->adopted, 2U);
  const auto second = sync_journal(**from, **to);
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second->adopted, 0U);
}

}  // namespace
}  // namespace proofline::journal_records_test

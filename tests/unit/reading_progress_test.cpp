// SPDX-License-Identifier: Apache-2.0
//
// What is shown while large files are read: how much of all of them, whatever their compression.
#include "workflow/reading_progress.h"

#include <gtest/gtest.h>

#include <string>

#include "support/collecting_announcer.h"
#include "support/temp_dir.h"

namespace proofline {
namespace {

constexpr std::uint64_t kMegabyte = 1'000'000;

TEST(ReadingProgressTest, CountsWhatIsReadOfAllFiles) {
  CollectingAnnouncer announcer;
  ReadingProgress reading(announcer, std::chrono::seconds(0));
  reading.on_read("a", 0, 30 * kMegabyte);
  reading.on_read("b", 0, 10 * kMegabyte);
  reading.on_read("a", 30 * kMegabyte, 30 * kMegabyte);
  EXPECT_TRUE(announcer.line.starts_with("reading \"a\": 75 % of 40 MB")) << announcer.line;
  reading.on_read("b", 10 * kMegabyte, 10 * kMegabyte);
  EXPECT_EQ(announcer.line, "40 MB read, working on it");
}

TEST(ReadingProgressTest, DoesNotClaimToKnowHowLongAPipeIs) {
  CollectingAnnouncer announcer;
  ReadingProgress reading(announcer, std::chrono::seconds(0));
  reading.on_read("-", 2500 * kMegabyte, 0);
  EXPECT_EQ(announcer.line, "reading standard input: 2.50 GB so far");
}

TEST(ReadingProgressTest, SaysNothingOfWhatIsReadAtOnce) {
  CollectingAnnouncer announcer;
  ReadingProgress reading(announcer, std::chrono::hours(1));
  reading.on_read("a", kMegabyte, kMegabyte);
  EXPECT_EQ(announcer.shown, 0);
}

TEST(ReadingProgressTest, HearsOfEveryPieceOfAFile) {
  struct Watch final : InputWatch {
    void on_read(const std::string&, std::uint64_t bytes, std::uint64_t size) override {
      EXPECT_GE(bytes, last);
      EXPECT_EQ(size, 40 * kMegabyte);
      last = bytes;
      ++pieces;
    }
    std::uint64_t last = 0;
    int pieces = 0;
  } watch;
  const TempDir dir;
  const std::string path = dir.write("large", std::string(40 * kMegabyte, 'x'));
  auto input = Input::open(path, {.max_bytes = {}, .watch = &watch});
  ASSERT_TRUE(input);
  ASSERT_TRUE(input->take_rest());
  EXPECT_EQ(watch.last, 40 * kMegabyte);
  EXPECT_GT(watch.pieces, 2);
}

}  // namespace
}  // namespace proofline

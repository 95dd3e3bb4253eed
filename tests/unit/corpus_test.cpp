// SPDX-License-Identifier: Apache-2.0
//
// Real files from strangers, where PROOFLINE_CORPUS names the folder that holds them: every one is
// read, and the odd ones come with the right note. Skipped without it; none of them is in this
// repository.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "readers/read_profile.h"

namespace proofline::corpus_test {
namespace {

namespace fs = std::filesystem;

class Corpus : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("PROOFLINE_CORPUS");
    if (folder == nullptr || *folder == '\0') {
      GTEST_SKIP() << "PROOFLINE_CORPUS is not set: no real files to try";
    }
    root_ = folder;
    if (!fs::is_directory(root_ / "ncu-rep") && fs::is_directory(root_ / "corpus")) {
      root_ /= "corpus";
    }
  }

  fs::path root_;
};

bool has_note(const Profile& profile, std::string_view words) {
  for (const Note& note : profile.notes) {
    if (note.what.find(words) != std::string::npos) return true;
  }
  return false;
}

bool lost_something(const Profile& profile) {
  for (const Note& note : profile.notes) {
    if (note.kind == NoteKind::kLoss) return true;
  }
  return false;
}

TEST_F(Corpus, EveryReportIsRead) {
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(root_ / "ncu-rep")) {
    const fs::path& path = entry.path();
    SCOPED_TRACE(path.filename().string());
    const auto profile =
        read_profile(path.string(), {.instances = true, .code = true, .nvidia_rules = true});
    ASSERT_TRUE(profile) << profile.error().message;
    ++files;
    EXPECT_EQ(profile->format, "ncu-rep");
    EXPECT_FALSE(profile->launches.empty());
    EXPECT_FALSE(lost_something(*profile));
    EXPECT_EQ(profile->bytes.total, fs::file_size(path));
    EXPECT_EQ(profile->bytes.total, profile->bytes.used + profile->bytes.skipped);
    for (const Launch& launch : profile->launches) {
      EXPECT_FALSE(launch.name.empty());
      EXPECT_FALSE(launch.compute_capability.empty());
      EXPECT_GT(launch.metrics.size(), 50U);
    }
    const bool legacy = path.extension() == ".nsight-cuprof-report";
    EXPECT_EQ(has_note(*profile, "counts in threads"), legacy);
    EXPECT_EQ(profile->producer == "Nsight Compute before 2020.2", legacy);
    const bool newest = profile->producer.find(" 2026.") != std::string::npos;
    EXPECT_EQ(has_note(*profile, "newer Nsight Compute"), newest);
  }
  EXPECT_GT(files, 30U);
}

TEST_F(Corpus, EveryCsvIsRead) {
  for (const auto& entry : fs::directory_iterator(root_ / "ncu-csv")) {
    SCOPED_TRACE(entry.path().filename().string());
    const auto profile = read_profile(entry.path().string());
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_EQ(profile->format, "ncu-csv");
    EXPECT_FALSE(lost_something(*profile));
    for (const Launch& launch : profile->launches) EXPECT_GT(launch.metrics.size(), 10U);
  }
}

// Logs that hold only ncu's progress name the report they belong to instead.
TEST_F(Corpus, EveryTextIsReadOrNamesItsReport) {
  for (const auto& entry : fs::directory_iterator(root_ / "ncu-text")) {
    SCOPED_TRACE(entry.path().filename().string());
    const auto profile = read_profile(entry.path().string());
    if (entry.path().extension() == ".log") {
      ASSERT_FALSE(profile);
      EXPECT_NE(profile.error().message.find(".ncu-rep"), std::string::npos);
    } else {
      ASSERT_TRUE(profile) << profile.error().message;
      EXPECT_EQ(profile->format, "ncu-text");
      EXPECT_FALSE(lost_something(*profile));
      EXPECT_FALSE(profile->launches.empty());
    }
  }
}

}  // namespace
}  // namespace proofline::corpus_test

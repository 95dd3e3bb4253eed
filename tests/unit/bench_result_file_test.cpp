// SPDX-License-Identifier: Apache-2.0
//
// The files that the measurement library writes its result to.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "bench/result_file.h"
#include "support/temp_dir.h"

namespace proofline::bench::bench_result_file_test {
namespace {

namespace fs = std::filesystem;

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(BenchResultFile, IsAsItWasUntilTheResultTakesItsPlace) {
  const TempDir folder;
  const std::string path = folder.write("result.json", "before, and longer");
  const auto file = ResultFile::prepare(path);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(content(path), "before, and longer");
  ASSERT_TRUE(file->write("after"));
  EXPECT_EQ(content(path), "after");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path("")), {}), 1);
}

TEST(BenchResultFile, ALinkStaysOne) {
  const TempDir folder;
  const std::string target = folder.write("target", "before, and longer");
  const std::string link = folder.path("link");
  fs::create_symlink("target", link);
  const auto file = ResultFile::prepare(link);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(content(target), "before, and longer");
  ASSERT_TRUE(file->write("after"));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(content(target), "after");
}

TEST(BenchResultFile, ADeviceIsWrittenTo) {
  const auto full = ResultFile::prepare("/dev/full");
  ASSERT_TRUE(full) << full.error().message;
  const auto written = full->write("result");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "cannot write \"/dev/full\": No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST(BenchResultFile, WhatCannotBeWrittenIsSaidBeforeThereIsAResult) {
  const TempDir folder;
  EXPECT_FALSE(ResultFile::prepare(folder.path("missing/result.json")));
  const auto directory = ResultFile::prepare(folder.path(""));
  ASSERT_FALSE(directory);
  EXPECT_NE(directory.error().message.find("Is a directory"), std::string::npos);
}

}  // namespace
}  // namespace proofline::bench::bench_result_file_test

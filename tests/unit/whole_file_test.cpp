// SPDX-License-Identifier: Apache-2.0
//
// That a file the user named is replaced whole, and that what is no regular file stays what it is.
#include "base/whole_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/output.h"
#include "base/unique_fd.h"
#include "support/temp_dir.h"

namespace proofline::whole_file_test {
namespace {

namespace fs = std::filesystem;

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(WholeFileTest, IsAsItWasUntilTheResultTakesItsPlace) {
  const TempDir folder;
  const std::string path = folder.write("result.json", "before, and longer");
  const auto file = WholeFile::prepare(path);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(content(path), "before, and longer");
  ASSERT_TRUE(file->write("after"));
  EXPECT_EQ(content(path), "after");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path("")), {}), 1);
}

TEST(WholeFileTest, MayBeWrittenPieceByPiece) {
  const TempDir folder;
  const std::string path = folder.write("result.json", "before");
  const auto file = WholeFile::prepare(path);
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_TRUE(file->write([&](Output& output) {
    output.write("after ");
    output.flush();
    EXPECT_EQ(content(path), "before");
    output.write("all");
  }));
  EXPECT_EQ(content(path), "after all");
}

TEST(WholeFileTest, ALinkStaysOne) {
  const TempDir folder;
  const std::string target = folder.write("target", "before, and longer");
  const std::string link = folder.path("link");
  fs::create_symlink("target", link);
  const auto file = WholeFile::prepare(link);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(content(target), "before, and longer");
  ASSERT_TRUE(file->write("after"));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(content(target), "after");
}

TEST(WholeFileTest, ALinkToNothingLeadsToTheNewFile) {
  const TempDir folder;
  const std::string link = folder.path("link");
  fs::create_symlink("target", link);
  ASSERT_TRUE(write_whole_file(link, "after"));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(content(folder.path("target")), "after");
}

TEST(WholeFileTest, LinksInACircleAreRefused) {
  const TempDir folder;
  fs::create_symlink("two", folder.path("one"));
  fs::create_symlink("one", folder.path("two"));
  const auto written = write_whole_file(folder.path("one"), "after");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::kStorage);
  EXPECT_TRUE(fs::is_symlink(folder.path("one")));
}

TEST(WholeFileTest, KeepsWhoMayReadIt) {
  const TempDir folder;
  const std::string path = folder.write("private", "before");
  ::chmod(path.c_str(), 0600);
  ASSERT_TRUE(write_whole_file(path, "after"));
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
}

TEST(WholeFileTest, AFifoIsWrittenIntoAndStaysOne) {
  const TempDir folder;
  const std::string path = folder.path("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const UniqueFd reader(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  ASSERT_TRUE(write_whole_file(path, "after"));
  char piece[16] = {};
  EXPECT_EQ(::read(reader.get(), piece, sizeof(piece)), 5);
  EXPECT_STREQ(piece, "after");
  EXPECT_TRUE(fs::is_fifo(path));
}

// As /dev/stdout is: what was written through the descriptor before stays in front.
TEST(WholeFileTest, AnOpenDescriptorIsWrittenThrough) {
  const TempDir folder;
  const std::string path = folder.path("redirected");
  const UniqueFd open_file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(::write(open_file.get(), "first ", 6), 6);
  const std::string link = folder.path("link");
  fs::create_symlink("/proc/self/fd/" + std::to_string(open_file.get()), link);
  ASSERT_TRUE(write_whole_file(link, "then"));
  ASSERT_EQ(::write(open_file.get(), " last", 5), 5);
  EXPECT_EQ(content(path), "first then last");
  EXPECT_TRUE(fs::is_symlink(link));
}

TEST(WholeFileTest, ADeviceIsWrittenTo) {
  const auto full = WholeFile::prepare("/dev/full");
  ASSERT_TRUE(full) << full.error().message;
  const auto written = full->write("result");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "cannot write \"/dev/full\": No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST(WholeFileTest, WhatCannotBeWrittenIsSaidBeforeThereIsAResult) {
  const TempDir folder;
  EXPECT_FALSE(WholeFile::prepare(folder.path("missing/result.json")));
  const auto directory = WholeFile::prepare(folder.path(""));
  ASSERT_FALSE(directory);
  EXPECT_NE(directory.error().message.find("Is a directory"), std::string::npos);
}

}  // namespace
}  // namespace proofline::whole_file_test

// SPDX-License-Identifier: Apache-2.0
//
// That the beginning and the end of a flood are kept, and that nothing else is lost.
#include "tools/process/kept_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/compress_file.h"
#include "base/input.h"
#include "base/text.h"
#include "support/temp_dir.h"

namespace proofline::kept_stream_test {
namespace {

std::string all_of(const std::string& path) {
  auto input = Input::open(path);
  return input ? std::string(input->take_rest().value_or("")) : "";
}

// Bytes that tell where in the stream they were.
std::string numbered(std::uint64_t bytes) {
  std::string text;
  for (std::uint64_t i = 0; text.size() < bytes; i += 8) {
    const std::string number = std::to_string(i);
    text.append(7 - std::min<std::size_t>(7, number.size()), '0').append(number, 0, 7) += '\n';
  }
  text.resize(bytes);
  return text;
}

TEST(KeptStream, KeepsTheBeginningAndTheEnd) {
  const TempDir dir;
  constexpr std::uint64_t kMost = KeptStream::kMostOutput;
  for (const std::uint64_t dropped : {std::uint64_t{0}, std::uint64_t{1}, kMost / 2 + 12345}) {
    const std::string path = dir.path(std::to_string(dropped));
    const std::string text = numbered(kMost + dropped);
    KeptStream stream;
    ASSERT_TRUE(stream.open(path));
    constexpr std::size_t kPiece = 1'000'003;
    for (std::size_t at = 0; at < text.size(); at += kPiece) {
      stream.take(std::string_view(text).substr(at, kPiece));
    }
    stream.close();
    EXPECT_EQ(stream.bytes(), text.size());
    EXPECT_EQ(stream.is_cut(), dropped > 0);
    std::string expected = text.substr(0, kMost / 2);
    if (dropped > 0) {
      expected += "\n[proofline: " + group_digits(dropped) + " bytes are left out here]\n";
    }
    expected += text.substr(text.size() - kMost / 2);
    EXPECT_TRUE(all_of(path) == expected) << dropped;
    EXPECT_EQ(stream.tail(), text.substr(text.size() - (64U << 10U)));
    std::vector<Note> notes;
    stream.report("x", notes);
    EXPECT_EQ(notes.size(), dropped > 0 ? 1U : 0U);
  }
}

TEST(CompressFile, IsReadAsItWas) {
  const TempDir dir;
  const std::string text = numbered(3'000'000);
  const std::string path = dir.write("out", text);
  ASSERT_EQ(compress_file(path), 0);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_LT(std::filesystem::file_size(path + ".zst"), text.size() / 2);
  EXPECT_TRUE(all_of(path + ".zst") == text);
}

TEST(CompressFile, LeavesWhatItCannotReplace) {
  const TempDir dir;
  const std::string path = dir.write("out", "text");
  dir.write("out.zst", "the user's");
  EXPECT_NE(compress_file(path), 0);
  EXPECT_EQ(all_of(path), "text");
  EXPECT_EQ(all_of(path + ".zst"), "the user's");
}

}  // namespace
}  // namespace proofline::kept_stream_test

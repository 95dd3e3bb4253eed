// SPDX-License-Identifier: Apache-2.0
//
// Input over plain files, compressed files and memory, and over everything that only looks like a
// file or does not stay what it was.

#include "base/input.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "base/output.h"
#include "support/temp_dir.h"

namespace proofline::input_test {
namespace {

// Bytes without a pattern that a compressor could use, the same in every run.
std::string noise(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint32_t state = 1;
  for (char& c : bytes) {
    state = state * 1664525U + 1013904223U;
    c = static_cast<char>(state >> 24U);
  }
  return bytes;
}

std::string gzip(std::string_view content) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(std::string_view content) {
  std::string out(ZSTD_compressBound(content.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), content.data(), content.size(), 1));
  return out;
}

std::string rest_of(Input& input) {
  const auto rest = input.take_rest();
  return rest ? std::string(*rest) : "error: " + rest.error().message;
}

// Why opening fails; "" if it does not.
std::string open_error(const std::string& path, const InputLimits& limits = {}) {
  const auto input = Input::open(path, limits);
  if (input) return "";
  EXPECT_EQ(input.error().kind, ErrorKind::kInput);
  return input.error().message;
}

#define EXPECT_CONTAINS(text, part) \
  EXPECT_NE(std::string(text).find(part), std::string::npos) << (text)

TEST(InputFile, TakesPeeksAndSkipsInOrder) {
  const TempDir dir;
  const std::string path = dir.write("a", "0123456789abcdef");
  auto input = Input::open(path);
  ASSERT_TRUE(input);
  EXPECT_EQ(input->name(), path);
  EXPECT_EQ(input->peek(3), "012");
  EXPECT_EQ(input->offset(), 0U);
  EXPECT_EQ(input->take(6), "012345");
  EXPECT_EQ(input->peek(2), "67");
  EXPECT_EQ(input->skip(4), 4U);
  EXPECT_EQ(input->offset(), 10U);
  EXPECT_EQ(input->take(2), "ab");
  EXPECT_EQ(input->take_rest(), "cdef");
  EXPECT_EQ(input->offset(), 16U);
  EXPECT_EQ(input->take(1), "");
  EXPECT_EQ(input->peek(1), "");
  EXPECT_TRUE(input->finish());
  EXPECT_FALSE(input->damage());
}

TEST(InputFile, IsReadWholeWhateverThePieces) {
  const TempDir dir;
  const std::string content = noise(1'000'003);
  const std::string path = dir.write("a", content);
  for (const std::uint64_t piece : {1'000ULL, 65'536ULL, 999'999ULL, 1'000'003ULL, 5'000'000ULL}) {
    auto input = Input::open(path);
    ASSERT_TRUE(input);
    std::string seen;
    for (auto part = input->take(piece); !part->empty(); part = input->take(piece)) seen += *part;
    EXPECT_EQ(seen, content) << piece;
  }
}

TEST(InputFile, EndsEarlyOnlyAtTheEnd) {
  const TempDir dir;
  const std::string path = dir.write("a", "0123456789");
  auto input = Input::open(path);
  ASSERT_TRUE(input);
  EXPECT_EQ(input->peek(1000), "0123456789");
  EXPECT_EQ(input->skip(7), 7U);
  EXPECT_EQ(input->skip(~0ULL), 3U);
  EXPECT_EQ(input->take(~0ULL), "");
}

TEST(InputFile, ClaimedLengthDoesNotAllocate) {
  const TempDir dir;
  auto input = Input::open(dir.write("a", "abc"));
  ASSERT_TRUE(input);
  EXPECT_EQ(input->take(1ULL << 62U), "abc");
}

TEST(InputFile, MayBeEmptyOrTiny) {
  const TempDir dir;
  auto empty = Input::open(dir.write("empty", ""));
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->peek(10), "");
  EXPECT_EQ(empty->take_rest(), "");
  auto tiny = Input::open(dir.write("tiny", "\x1f"));
  ASSERT_TRUE(tiny);
  EXPECT_EQ(tiny->take_rest(), "\x1f");
}

TEST(InputFile, MayBeReachedBySymlink) {
  const TempDir dir;
  std::filesystem::create_symlink(dir.write("a", "abc"), dir.path("link"));
  auto input = Input::open(dir.path("link"));
  ASSERT_TRUE(input);
  EXPECT_EQ(input->take_rest(), "abc");
}

TEST(InputFile, MovesWithItsWindow) {
  const TempDir dir;
  auto input = Input::open(dir.write("a", "abcdef"));
  ASSERT_TRUE(input);
  EXPECT_EQ(input->take(2), "ab");
  Input moved = std::move(*input);
  EXPECT_EQ(moved.offset(), 2U);
  EXPECT_EQ(moved.take_rest(), "cdef");
}

TEST(InputRefuses, WhatIsNoRegularFile) {
  const TempDir dir;
  EXPECT_CONTAINS(open_error(dir.path(".")), "is a directory");
  EXPECT_CONTAINS(open_error("/dev/zero"), "is a character device");
  ASSERT_EQ(::mkfifo(dir.path("fifo").c_str(), 0600), 0);
  EXPECT_CONTAINS(open_error(dir.path("fifo")), "is a FIFO");

  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = dir.path("socket");
  ASSERT_LT(path.size(), sizeof(address.sun_path));
  path.copy(address.sun_path, path.size());
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_CONTAINS(open_error(path), "is a socket");
  ::close(fd);
}

TEST(InputRefuses, WhatCannotBeOpened) {
  const TempDir dir;
  EXPECT_CONTAINS(open_error(dir.path("none")), "No such file or directory");
  EXPECT_CONTAINS(open_error(""), "No such file or directory");
  EXPECT_CONTAINS(open_error(dir.path("bad\n\x1bname")), "bad\\n\\x1bname");
  EXPECT_CONTAINS(open_error("/" + std::string(5000, 'x')), "File name too long");
}

TEST(InputRefuses, SparseFileByItsSize) {
  const TempDir dir;
  const std::string path = dir.write("sparse", "x");
  ASSERT_EQ(::truncate(path.c_str(), off_t{1} << 40U), 0);
  EXPECT_CONTAINS(open_error(path), "has 1099511627776 bytes");
  EXPECT_CONTAINS(open_error(path), "max_size");
  InputLimits limits;
  limits.max_bytes = 1ULL << 41U;
  auto input = Input::open(path, limits);
  ASSERT_TRUE(input);
  EXPECT_EQ(input->skip(1ULL << 40U), 1ULL << 40U);  // at once, since nothing is read
}

TEST(InputLimit, IsExact) {
  const TempDir dir;
  const std::string path = dir.write("a", "0123456789");
  InputLimits limits;
  limits.max_bytes = 10;
  EXPECT_EQ(open_error(path, limits), "");
  EXPECT_TRUE(Input::from_memory("0123456789", "m", limits));
  limits.max_bytes = 9;
  EXPECT_CONTAINS(open_error(path, limits), "the limit is 9");
  EXPECT_FALSE(Input::from_memory("0123456789", "m", limits));
}

TEST(InputChange, ShrinkingFileIsNoticedWhenRead) {
  const TempDir dir;
  const std::string path = dir.write("a", noise(100'000));
  auto input = Input::open(path);
  ASSERT_TRUE(input);
  ASSERT_EQ(::truncate(path.c_str(), 50'000), 0);
  const auto taken = input->take(100'000);
  ASSERT_FALSE(taken);
  EXPECT_CONTAINS(taken.error().message, "changed while reading");
}

TEST(InputChange, IsNoticedAtTheEnd) {
  const TempDir dir;
  const std::string path = dir.write("a", "0123456789");
  auto grown = Input::open(path);
  ASSERT_TRUE(grown);
  std::ofstream(path, std::ios::app) << "more";
  EXPECT_EQ(grown->take_rest(), "0123456789");
  const auto finished = grown->finish();
  ASSERT_FALSE(finished);
  EXPECT_CONTAINS(finished.error().message, "changed while reading");

  auto rewritten = Input::open(path);
  ASSERT_TRUE(rewritten);
  std::filesystem::last_write_time(path, std::filesystem::file_time_type{});
  EXPECT_FALSE(rewritten->finish());
}

// Puts the pipe's end in the place of standard input for as long as it lives.
class StandardInput {
 public:
  explicit StandardInput(int fd) : saved_(::dup(STDIN_FILENO)) { ::dup2(fd, STDIN_FILENO); }
  ~StandardInput() {
    ::dup2(saved_, STDIN_FILENO);
    ::close(saved_);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

 private:
  int saved_;
};

TEST(InputStandardInput, MayBeAPipeWithCompressedBytes) {
  const std::string content = noise(3'000'000);
  for (const std::string& stored : {content, gzip(content)}) {
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe(pipe.data()), 0);
    const StandardInput redirected(pipe[0]);
    std::thread writer([&] {
      Output(pipe[1]).write(stored);
      ::close(pipe[1]);
    });
    auto input = Input::open("-");
    EXPECT_TRUE(input);
    EXPECT_EQ(input->skip(1'000'000), 1'000'000U);
    EXPECT_EQ(rest_of(*input), content.substr(1'000'000));
    EXPECT_TRUE(input->finish());
    writer.join();
    ::close(pipe[0]);
  }
}

TEST(InputMemory, IsSeenInPlace) {
  const std::string content = noise(5000);
  auto input = Input::from_memory(content, "m");
  ASSERT_TRUE(input);
  EXPECT_EQ(input->take(10)->data(), content.data());
  EXPECT_EQ(input->skip(90), 90U);
  EXPECT_EQ(input->peek(10)->data(), content.data() + 100);
  EXPECT_EQ(input->take_rest()->size(), 4900U);
  EXPECT_TRUE(input->finish());
}

class InputCompressed : public testing::TestWithParam<std::string> {
 protected:
  static std::string compress(std::string_view content) {
    return GetParam() == "gzip" ? gzip(content) : zstd(content);
  }
};

TEST_P(InputCompressed, IsUndone) {
  const TempDir dir;
  const std::string content = noise(700'000) + std::string(700'000, 'x');
  const std::string stored = compress(content);
  auto file = Input::open(dir.write("a", stored));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->peek(5), content.substr(0, 5));
  EXPECT_EQ(file->skip(600'000), 600'000U);
  EXPECT_EQ(file->offset(), 600'000U);
  EXPECT_EQ(rest_of(*file), content.substr(600'000));
  EXPECT_TRUE(file->finish());
  EXPECT_FALSE(file->damage());
  auto memory = Input::from_memory(stored, "m");
  ASSERT_TRUE(memory);
  EXPECT_EQ(rest_of(*memory), content);
  EXPECT_FALSE(memory->damage());
}

TEST_P(InputCompressed, MayHaveSeveralParts) {
  const std::string stored = compress("one ") + compress("") + compress("two");
  auto input = Input::from_memory(stored, "m");
  ASSERT_TRUE(input);
  EXPECT_EQ(rest_of(*input), "one two");
  EXPECT_FALSE(input->damage());
}

TEST_P(InputCompressed, IsUndoneOnce) {
  const std::string inner = compress("content");
  const std::string outer = compress(inner);
  auto input = Input::from_memory(outer, "m");
  ASSERT_TRUE(input);
  EXPECT_EQ(rest_of(*input), inner);
}

TEST_P(InputCompressed, DeliversWhatIsBeforeACut) {
  const std::string content = noise(1'000'000);
  const std::string stored = compress(content);
  const TempDir dir;
  auto input = Input::open(dir.write("a", stored.substr(0, 500'000)));
  ASSERT_TRUE(input);
  const std::string got = rest_of(*input);
  EXPECT_GT(got.size(), 300'000U);
  EXPECT_EQ(got, content.substr(0, got.size()));
  ASSERT_TRUE(input->damage());
  EXPECT_CONTAINS(input->damage()->message, "damaged at stored byte 500000: cut off");
  EXPECT_EQ(input->take(1), "");
}

TEST_P(InputCompressed, SaysWhereverItIsCut) {
  const std::string stored = compress("a short text") + compress("another");
  const std::size_t boundary = compress("a short text").size();
  for (std::size_t size = 4; size < stored.size(); ++size) {
    const std::string cut = stored.substr(0, size);
    auto input = Input::from_memory(cut, "m");
    ASSERT_TRUE(input);
    rest_of(*input);
    EXPECT_EQ(input->damage().has_value(), size != boundary) << size;
  }
}

TEST_P(InputCompressed, SaysWhatIsWrong) {
  std::string stored = compress(noise(1000));
  stored[500] ^= 0x55;
  stored += "garbage";
  auto input = Input::from_memory(stored, "m");
  ASSERT_TRUE(input);
  rest_of(*input);
  EXPECT_TRUE(input->damage());
}

TEST_P(InputCompressed, BombStopsAtTheCap) {
  const std::string stored = compress(std::string(InputLimits::kFreeExpansionBytes + 1, '\0'));
  auto input = Input::from_memory(stored, "m");
  ASSERT_TRUE(input);
  EXPECT_EQ(input->skip(1'000'000), 1'000'000U);
  const auto rest = input->skip(~0ULL);
  ASSERT_FALSE(rest);
  EXPECT_CONTAINS(rest.error().message, "more than 67108864, the limit; raise it with max_size");

  InputLimits limits;
  limits.max_bytes = InputLimits::kFreeExpansionBytes + 1;
  auto allowed = Input::from_memory(stored, "m", limits);
  ASSERT_TRUE(allowed);
  EXPECT_EQ(allowed->skip(~0ULL), *limits.max_bytes);
}

INSTANTIATE_TEST_SUITE_P(Formats, InputCompressed, testing::Values("gzip", "zstd"),
                         [](const auto& test) { return test.param; });

TEST(InputSeekable, GivesAnyPieceWhereverItLies) {
  const std::string content = noise(1'000'000);
  const TempDir folder;
  const std::string plain = folder.write("plain", content);
  const std::string packed = folder.write("packed", gzip(content));
  const std::string packed_memory = gzip(content);
  Result<Input> inputs[] = {Input::open(plain), Input::open(packed),
                            Input::from_memory(content, "memory"),
                            Input::from_memory(packed_memory, "packed memory")};
  for (auto& input : inputs) {
    ASSERT_TRUE(input);
    SCOPED_TRACE(input->name());
    ASSERT_TRUE(input->peek(100));
    EXPECT_EQ(input->make_seekable(), content.size());
    std::string piece(5000, '\0');
    EXPECT_EQ(input->read_at(999'000, piece.data(), piece.size()), 1000U);
    EXPECT_EQ(piece.substr(0, 1000), content.substr(999'000));
    EXPECT_EQ(input->read_at(10, piece.data(), piece.size()), 5000U);
    EXPECT_EQ(piece, content.substr(10, 5000));
    EXPECT_EQ(input->read_at(2'000'000, piece.data(), piece.size()), 0U);
    EXPECT_TRUE(input->finish());
  }
}

TEST(InputSeekable, DamagedBytesEndWhereTheyAreDamaged) {
  const std::string content = noise(100'000);
  const std::string stored = gzip(content);
  auto input = Input::from_memory(std::string_view(stored).substr(0, stored.size() / 2), "cut");
  ASSERT_TRUE(input);
  const auto size = input->make_seekable();
  ASSERT_TRUE(size);
  EXPECT_LT(*size, content.size());
  EXPECT_TRUE(input->damage());
  std::string piece(*size, '\0');
  EXPECT_EQ(input->read_at(0, piece.data(), piece.size()), *size);
  EXPECT_EQ(piece, content.substr(0, *size));
}

TEST(InputSeekable, AFileThatShrinksIsNoticed) {
  const TempDir folder;
  const std::string path = folder.write("file", noise(100'000));
  auto input = Input::open(path);
  ASSERT_TRUE(input);
  ASSERT_TRUE(input->make_seekable());
  std::filesystem::resize_file(path, 10);
  std::string piece(1000, '\0');
  EXPECT_FALSE(input->read_at(50'000, piece.data(), piece.size()));
  EXPECT_FALSE(input->finish());
}

TEST(InputGzip, PaddingWithZerosIsNoDamage) {
  const std::string stored = gzip("content") + std::string(1000, '\0');
  auto input = Input::from_memory(stored, "m");
  ASSERT_TRUE(input);
  EXPECT_EQ(rest_of(*input), "content");
  EXPECT_FALSE(input->damage());
}

TEST(InputGzip, WrongChecksumIsDamage) {
  std::string stored = gzip("content");
  stored[stored.size() - 8] ^= 1;
  auto input = Input::from_memory(stored, "m");
  ASSERT_TRUE(input);
  EXPECT_EQ(rest_of(*input), "content");
  ASSERT_TRUE(input->damage());
  EXPECT_CONTAINS(input->damage()->message, "incorrect data check");
}

TEST(InputZstd, SkippableFramesAreSkipped) {
  const std::string skippable("\x50\x2a\x4d\x18\x03\x00\x00\x00xyz", 11);
  const std::string stored = skippable + zstd("content") + skippable;
  auto input = Input::from_memory(stored, "m");
  ASSERT_TRUE(input);
  EXPECT_EQ(rest_of(*input), "content");
  EXPECT_FALSE(input->damage());
}

}  // namespace
}  // namespace proofline::input_test

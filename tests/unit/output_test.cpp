// SPDX-License-Identifier: Apache-2.0
//
// Output into a string, a pipe, a full device and a pipe that nobody reads.

#include "base/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string>
#include <thread>

namespace proofline::output_test {
namespace {

TEST(Output, AppendsToAString) {
  std::string text = "a";
  Output output(text);
  output.write("bc");
  output.put('d');
  EXPECT_EQ(text, "abcd");
  EXPECT_EQ(output.error(), 0);
}

TEST(Output, WritesSmallAndLargePiecesInOrder) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  std::string seen;
  std::thread reader([&] {
    std::array<char, 4096> part{};
    for (ssize_t n = 0; (n = ::read(pipe[0], part.data(), part.size())) > 0;)
      seen.append(part.data(), static_cast<std::size_t>(n));
  });
  std::string expected;
  {
    Output output(pipe[1]);
    for (const std::size_t size : {3U, 70'000U, 1U, 65'536U, 65'535U, 300'000U, 5U}) {
      const std::string piece(size, static_cast<char>('a' + size % 26));
      output.write(piece);
      output.put('\n');
      expected += piece + '\n';
    }
    output.flush();
    EXPECT_EQ(output.error(), 0);
    output.write("at the end");
    expected += "at the end";
  }
  ::close(pipe[1]);
  reader.join();
  ::close(pipe[0]);
  EXPECT_EQ(seen, expected);
}

TEST(Output, WaitsForANonBlockingPipe) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_NONBLOCK), 0);
  ASSERT_EQ(::fcntl(pipe[0], F_SETFL, 0), 0);
  std::size_t seen = 0;
  std::thread reader([&] {
    std::array<char, 4096> part{};
    for (ssize_t n = 0; (n = ::read(pipe[0], part.data(), part.size())) > 0;)
      seen += static_cast<std::size_t>(n);
  });
  Output output(pipe[1]);
  output.write(std::string(1'000'000, 'x'));
  EXPECT_EQ(output.error(), 0);
  ::close(pipe[1]);
  reader.join();
  ::close(pipe[0]);
  EXPECT_EQ(seen, 1'000'000U);
}

TEST(Output, RemembersThatTheDeviceWasFull) {
  const int fd = ::open("/dev/full", O_WRONLY);
  ASSERT_GE(fd, 0);
  Output output(fd);
  output.write("small pieces wait in the buffer");
  EXPECT_EQ(output.error(), 0);
  output.flush();
  EXPECT_EQ(output.error(), ENOSPC);
  output.write(std::string(100'000, 'x'));
  EXPECT_EQ(output.error(), ENOSPC);
  ::close(fd);
}

TEST(Output, RemembersThatNobodyReads) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  ::close(pipe[0]);
  Output output(pipe[1]);
  output.write("x");
  output.flush();
  EXPECT_EQ(output.error(), EPIPE);
  ::close(pipe[1]);
  std::signal(SIGPIPE, before);
}

}  // namespace
}  // namespace proofline::output_test

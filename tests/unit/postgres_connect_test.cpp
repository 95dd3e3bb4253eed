// SPDX-License-Identifier: Apache-2.0
//
// A name that no resolver answers for: in a network of its own, whose name server takes every
// question and is silent.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <string>

#include "store/libpq.h"
#include "store/postgres_session.h"
#include "support/temp_dir.h"

namespace proofline::postgres_connect_test {
namespace {

constexpr int kNotAllowed = 77;

bool listen_and_be_silent() {
  const int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
  ifreq loopback{};
  loopback.ifr_name[0] = 'l';
  loopback.ifr_name[1] = 'o';
  loopback.ifr_flags = IFF_UP;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(53);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return ::ioctl(socket, SIOCSIFFLAGS, &loopback) == 0 &&
         ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

// Of this process alone.
bool enter_silent_network(const std::string& resolver, const std::string& order) {
  return ::unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS) == 0 &&
         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount(resolver.c_str(), "/etc/resolv.conf", nullptr, MS_BIND, nullptr) == 0 &&
         ::mount(order.c_str(), "/etc/nsswitch.conf", nullptr, MS_BIND, nullptr) == 0 &&
         listen_and_be_silent();
}

std::string message_of_connecting() {
  const Libpq& pq = **load_libpq();
  const auto target = parse_postgres_target(pq, "postgresql://tester@journal.invalid/team");
  PostgresSession session(pq, *target);
  session.set_deadline(PostgresSession::Clock::now() + std::chrono::milliseconds(100));
  const Result<void> connected = session.connect(std::chrono::milliseconds(100));
  return connected ? "connected" : connected.error().message;
}

TEST(PostgresConnect, DoesNotWaitForAResolver) {
  if (!load_libpq()) GTEST_SKIP() << "libpq is not installed (Debian: libpq5)";
  const TempDir folder;
  // The longest that the resolver can be told to wait: two and a half minutes.
  std::ofstream(folder.path("resolv.conf")) << "nameserver 127.0.0.1\n"
                                               "options timeout:30 attempts:5\n";
  std::ofstream(folder.path("nsswitch.conf")) << "hosts: dns\n";
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (!enter_silent_network(folder.path("resolv.conf"), folder.path("nsswitch.conf"))) {
      ::_exit(kNotAllowed);
    }
    ::alarm(60);
    const std::string message = message_of_connecting();
    const auto written = ::write(pipe[1], message.data(), message.size());
    ::_exit(written == static_cast<ssize_t>(message.size()) ? 0 : 1);
  }
  ::close(pipe[1]);
  std::array<char, 1024> buffer{};
  const ssize_t size = ::read(pipe[0], buffer.data(), buffer.size());
  ::close(pipe[0]);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotAllowed) {
    GTEST_SKIP() << "no network of its own can be made here";
  }
  ASSERT_EQ(status, 0) << "it waits for the resolver";
  const std::string message(buffer.data(), static_cast<std::size_t>(size));
  EXPECT_NE(message.find("gave no answer in time"), std::string::npos) << message;
}

}  // namespace
}  // namespace proofline::postgres_connect_test

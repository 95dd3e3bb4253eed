// SPDX-License-Identifier: Apache-2.0
#include "base/interrupt.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "base/check.h"

namespace proofline {
namespace {

constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t g_count = 0;
int g_pipe[2] = {-1, -1};
std::array<struct sigaction, kSignals.size()> g_before;

void count(int /*number*/) {
  const int error = errno;
  g_count = g_count + 1;
  [[maybe_unused]] const ssize_t written = ::write(g_pipe[1], "", 1);
  errno = error;
}

}  // namespace

InterruptWatch::InterruptWatch() {
  CHECK(g_pipe[0] < 0, "interrupts are watched already");
  if (::pipe2(g_pipe, O_CLOEXEC | O_NONBLOCK) != 0) g_pipe[0] = g_pipe[1] = -1;
  struct sigaction action {};
  action.sa_handler = count;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &g_before[i]);
    // Under nohup SIGHUP is ignored and stays so.
    if (g_before[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptWatch::~InterruptWatch() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &g_before[i], nullptr);
  }
  ::close(g_pipe[0]);
  ::close(g_pipe[1]);
  g_pipe[0] = g_pipe[1] = -1;
  g_count = 0;
}

int interrupts() { return g_count; }

int interrupt_fd() { return g_pipe[0]; }

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"

namespace proofline {
namespace {

std::size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

}  // namespace

Progress::Progress() : terminal_(::isatty(STDERR_FILENO) == 1) {}

void Progress::show(std::string_view what) {
  if (!terminal_) return;
  // The last column stays free: some terminals go to the next line when it is used.
  std::string line = elide_middle(escape_terminal(what), terminal_columns() - 1);
  if (line == shown_) return;
  fmt::print(stderr, "\r\x1b[K{}", line);
  std::fflush(stderr);
  shown_ = std::move(line);
}

void Progress::clear() {
  if (shown_.empty()) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  shown_.clear();
}

std::string clock_text(std::chrono::seconds time) {
  const auto seconds = time.count();
  if (seconds < 3600) return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
  return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::string elapsed_text(std::chrono::steady_clock::time_point start) {
  const auto elapsed = std::chrono::steady_clock::now() - start;
  return clock_text(std::chrono::duration_cast<std::chrono::seconds>(elapsed));
}

}  // namespace proofline

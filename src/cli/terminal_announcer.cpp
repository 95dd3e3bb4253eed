// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal_announcer.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <utility>

#include "base/text.h"
#include "cli/message.h"

namespace proofline {
namespace {

std::size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

}  // namespace

TerminalAnnouncer::TerminalAnnouncer(bool lines)
    : terminal_(::isatty(STDERR_FILENO) == 1), lines_(lines) {}

void TerminalAnnouncer::say(std::string_view sentence) {
  remove_line();
  print_message(fmt::format("proofline: {}\n", sentence));
}

void TerminalAnnouncer::progress(std::string_view what) {
  if (lines_) {
    std::string line = escape_terminal(what);
    if (line == said_) return;
    print_message(fmt::format("proofline: {}\n", line));
    said_ = std::move(line);
    return;
  }
  if (!terminal_) return;
  // The last column stays free: some terminals go to the next line when it is used.
  std::string line = elide_middle(escape_terminal(what), terminal_columns() - 1);
  if (line == shown_) return;
  print_message("\r\x1b[K" + line);
  shown_ = std::move(line);
}

void TerminalAnnouncer::remove_line() {
  if (shown_.empty()) return;
  print_message("\r\x1b[K");
  shown_.clear();
}

}  // namespace proofline

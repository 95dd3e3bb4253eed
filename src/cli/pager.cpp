// SPDX-License-Identifier: Apache-2.0
#include "cli/pager.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/output.h"
#include "base/split_command.h"
#include "base/unique_fd.h"

namespace proofline {
namespace {

std::string pager_command() {
  for (const char* variable : {"PROOFLINE_PAGER", "PAGER"}) {
    if (const char* value = std::getenv(variable)) return value;
  }
  return "less";
}

// Words where no shell is needed to understand them, as git does it.
std::vector<std::string> words_of(const std::string& command) {
  constexpr std::string_view kShellCharacters = "|&;<>()$`\\*?[#~=%";
  if (command.find_first_of(kShellCharacters) == command.npos) {
    if (auto words = split_command(command)) return *words;
  }
  return {"sh", "-c", command};
}

std::size_t screen_rows() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

[[noreturn]] void become_pager(int text_fd, int error_fd, std::vector<std::string>& words) {
  ::dup2(text_fd, STDIN_FILENO);
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
  // Quit where it fits, colours as they are, the screen stays: only where the user said nothing.
  ::setenv("LESS", "FRX", 0);
  ::setenv("LV", "-c", 0);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp(arguments.front(), arguments.data());
  const char failed = 1;
  static_cast<void>(!::write(error_fd, &failed, 1));
  ::_exit(127);
}

void wait_for(pid_t pager) {
  while (::waitpid(pager, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

bool can_page(int fd) {
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  const std::string command = pager_command();
  // A pager writes to standard output.
  return fd == STDOUT_FILENO && ::isatty(fd) == 1 && !dumb && !command.empty() && command != "cat";
}

bool page(std::string_view text) {
  const std::size_t rows = screen_rows();
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  if (rows == 0 || lines < rows) return false;
  std::vector<std::string> words = words_of(pager_command());
  int text_pipe[2];
  int error_pipe[2];
  if (words.empty() || ::pipe2(text_pipe, O_CLOEXEC) != 0) return false;
  UniqueFd text_read(text_pipe[0]);
  UniqueFd text_write(text_pipe[1]);
  if (::pipe2(error_pipe, O_CLOEXEC) != 0) return false;
  UniqueFd error_read(error_pipe[0]);
  UniqueFd error_write(error_pipe[1]);
  const pid_t pager = ::fork();
  if (pager < 0) return false;
  if (pager == 0) become_pager(text_read.get(), error_write.get(), words);
  text_read.reset();
  error_write.reset();
  char failed = 0;
  while (::read(error_read.get(), &failed, 1) < 0 && errno == EINTR) {
  }
  if (failed == 0) {
    // ^C belongs to the pager while it runs.
    const auto before = std::signal(SIGINT, SIG_IGN);
    static_cast<void>(write_all(text_write.get(), text));  // the user may leave it early
    text_write.reset();
    wait_for(pager);
    std::signal(SIGINT, before);
    return true;
  }
  wait_for(pager);
  return false;
}

}  // namespace proofline

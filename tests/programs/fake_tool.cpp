// SPDX-License-Identifier: Apache-2.0
//
// Stands in for ncu, compute-sanitizer and nsys where there is no GPU. Copied under a tool's name,
// it does what the file NAME.plan beside it says, one step a line:
//
//     [WORD]           what follows is for calls that have WORD among their arguments; the first
//                      such part is taken. What is before any part is for all calls
//     record FOLDER    writes its arguments and its environment there, each ended by NUL, to the
//                      files PID.argv and PID.env
//     print FILE       prints a recorded file; warn FILE: on standard error
//     log FILE         appends it to what --log-file names (%p is the process), or prints it
//     report FILE      copies it to where --export or -o says
//     output FILE      copies it to where -o says; a name without an extension gets that of FILE
//     garbage BYTES    prints so many, of all values but newline, and as many to the log
//     ignore           all signals that can be ignored
//     daemonise        leaves a process in a session of its own that holds the pipes open
//     hang             for ever
//     crash            dies of a signal
//     exit CODE        0 where the plan ends without it
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

extern char** environ;

namespace {

constexpr int kBadPlan = 99;

using Words = std::vector<std::string>;

[[noreturn]] void give_up(const std::string& why) {
  std::cerr << "fake_tool: " << why << '\n';
  std::exit(kBadPlan);
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) give_up("cannot read " + path);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) give_up("cannot write");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void write_file(const std::string& path, std::string_view bytes, int flags) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | flags, 0644);
  if (fd < 0) give_up("cannot write " + path);
  write_all(fd, bytes);
  ::close(fd);
}

[[noreturn]] void wait_for_ever() {
  while (true) ::pause();
}

void daemonise() {
  if (::fork() != 0) return;
  ::setsid();
  if (::fork() != 0) ::_exit(0);
  ::signal(SIGTERM, SIG_IGN);
  wait_for_ever();
}

class Tool {
 public:
  explicit Tool(Words arguments) : arguments_(std::move(arguments)) {}

  void follow(const std::string& plan_file) {
    std::istringstream plan(contents(plan_file));
    bool is_for_us = true;
    bool found_part = false;
    for (std::string line; std::getline(plan, line);) {
      if (line.empty()) continue;
      if (line.front() == '[') {
        is_for_us = !found_part && has(line.substr(1, line.size() - 2));
        found_part = found_part || is_for_us;
      } else if (is_for_us) {
        const std::size_t space = std::min(line.find(' '), line.size());
        step(line.substr(0, space), line.substr(std::min(space + 1, line.size())));
      }
    }
  }

 private:
  bool has(const std::string& word) const {
    return std::find(arguments_.begin(), arguments_.end(), word) != arguments_.end();
  }

  // The argument after this one, or after its '='; "" where it is not given.
  std::string value_of(const std::string& option) const {
    for (std::size_t i = 1; i < arguments_.size(); ++i) {
      if (arguments_[i - 1] == option) return arguments_[i];
      if (arguments_[i].rfind(option + '=', 0) == 0) return arguments_[i].substr(option.size() + 1);
    }
    return "";
  }

  void step(const std::string& what, const std::string& operand) const {
    if (what == "record") return record(operand);
    if (what == "print") return write_all(STDOUT_FILENO, contents(operand));
    if (what == "warn") return write_all(STDERR_FILENO, contents(operand));
    if (what == "log") return log(contents(operand));
    if (what == "report") return report(contents(operand));
    if (what == "output") return leave(operand);
    if (what == "garbage") return print_garbage(std::stoull(operand));
    if (what == "ignore") return ignore_signals();
    if (what == "daemonise") return daemonise();
    if (what == "hang") wait_for_ever();
    if (what == "crash") ::raise(SIGSEGV);
    if (what == "exit") std::exit(std::stoi(operand));
    give_up("no such step: " + what);
  }

  void record(const std::string& folder) const {
    const std::string stem = folder + '/' + std::to_string(::getpid());
    std::string environment;
    for (char** variable = environ; *variable != nullptr; ++variable) {
      environment.append(*variable).push_back('\0');
    }
    write_file(stem + ".env", environment, O_TRUNC);
    std::string words;
    for (const std::string& word : arguments_) words.append(word).push_back('\0');
    write_file(stem + ".argv", words, O_TRUNC);
  }

  void log(std::string_view bytes) const {
    std::string path = value_of("--log-file");
    if (const std::size_t process = path.find("%p"); process != std::string::npos) {
      path.replace(process, 2, std::to_string(::getpid()));
    }
    path.empty() ? write_all(STDOUT_FILENO, bytes) : write_file(path, bytes, O_APPEND);
  }

  void report(std::string_view bytes) const {
    std::string path = value_of("--export");
    if (path.empty()) path = value_of("-o");
    if (path.empty()) give_up("a report, but no place for it");
    constexpr std::string_view kSuffix = ".ncu-rep";
    if (path.size() < kSuffix.size() || path.substr(path.size() - kSuffix.size()) != kSuffix) {
      path += kSuffix;
    }
    write_file(path, bytes, O_TRUNC);
  }

  void leave(const std::string& file) const {
    std::filesystem::path path = value_of("-o");
    if (path.empty()) give_up("an output, but no place for it");
    if (!path.has_extension()) path += std::filesystem::path(file).extension();
    write_file(path, contents(file), O_TRUNC);
  }

  void print_garbage(std::uint64_t count) const {
    std::string piece(1U << 20U, '\0');
    std::uint32_t state = 1;
    for (char& c : piece) {
      state = state * 1664525U + 1013904223U;
      c = static_cast<char>(state >> 24U);
      if (c == '\n') c = '\0';
    }
    for (std::uint64_t left = count; left > 0;) {
      const std::string_view part(piece.data(), std::min<std::uint64_t>(left, piece.size()));
      write_all(STDOUT_FILENO, part);
      if (!value_of("--log-file").empty()) log(part);
      left -= part.size();
    }
  }

  static void ignore_signals() {
    for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_IGN);
  }

  Words arguments_;
};

}  // namespace

int main(int argc, char** argv) {
  std::array<char, 4096> self{};
  if (::readlink("/proc/self/exe", self.data(), self.size() - 1) <= 0) give_up("no /proc");
  Tool(Words(argv, argv + argc)).follow(std::string(self.data()) + ".plan");
}

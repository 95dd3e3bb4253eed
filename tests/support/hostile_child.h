// SPDX-License-Identifier: Apache-2.0
//
// Runs of tests/programs/hostile_child, and a look for processes that it left behind.
#pragma once

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/process/process.h"

namespace proofline {

constexpr std::chrono::minutes kLong{1};
constexpr std::chrono::milliseconds kShort{200};
constexpr std::size_t kMegabyte = 1U << 20U;

inline Program hostile(std::vector<std::string> words, std::chrono::milliseconds limit = kLong) {
  words.insert(words.begin(), PROOFLINE_HOSTILE_CHILD);
  return {std::move(words), {"PATH=/usr/bin:/bin", "LANG=C"}, limit, {}};
}

inline Result<Captured> capture(const Program& program) {
  return capture_program(program, kMegabyte);
}

inline bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// A word that no other process has on its command line.
inline std::string unique_word() {
  static int count = 0;
  return "proofline-test-" + std::to_string(::getpid()) + '-' + std::to_string(++count);
}

inline bool runs_somewhere(const std::string& word) {
  std::error_code error;
  for (const auto& process : std::filesystem::directory_iterator("/proc", error)) {
    const std::ifstream file(process.path() / "cmdline", std::ios::binary);
    std::ostringstream line;
    line << file.rdbuf();  // nothing, where the process is gone by now
    if (has(line.str(), word)) return true;
  }
  return false;
}

// Whether it comes to that within ten seconds.
inline bool comes_to(bool runs, const std::string& word) {
  for (int i = 0; i < 10'000; ++i) {
    if (runs_somewhere(word) == runs) return true;
    ::poll(nullptr, 0, 1);
  }
  return false;
}

// Lets this function run the program with that word on its command line in a process of its own,
// kills that process, and says whether the program dies with it.
template <class Run>
bool dies_with_its_parent(const std::string& word, const Run& run) {
  const pid_t parent = ::fork();
  if (parent == 0) {
    run();
    ::_exit(0);
  }
  const bool started = comes_to(true, word);
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  return started && comes_to(false, word);
}

}  // namespace proofline

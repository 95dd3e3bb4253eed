// SPDX-License-Identifier: Apache-2.0
//
// Runs a program and takes what it prints: no shell, nothing of ours inherited (descriptors, signal
// dispositions, environment), an end to its time and to its output, and nothing left of it
// afterwards, not even descendants that left its process group.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace proofline {

struct Program {
  std::vector<std::string> argv;         // the first is the program, as an absolute path
  std::vector<std::string> environment;  // "NAME=value"; all that the program gets
  std::chrono::milliseconds time_limit{};
  std::size_t max_output = 0;  // bytes on its standard output; a program that prints more is ended
};

struct ProcessEnd {
  int exit_code = 0;
  int signal = 0;      // that it died of; 0: it exited
  std::string output;  // all of its standard output
  std::string errors;  // the last few kilobytes of its standard error
};

// What the child does to itself before it becomes the program. It runs between fork and exec, where
// only system calls are safe: whatever needs memory is prepared when the object is made.
class ChildSetup {
 public:
  virtual ~ChildSetup() = default;
  // CLONE_NEW... flags for the child.
  virtual int clone_flags() const noexcept = 0;
  // Null, or which step failed (a string literal) with the cause in errno; the program is then not
  // started.
  virtual const char* apply() const noexcept = 0;
};

// Waits until the program ends. Standard input is empty. Errors: kTool where it cannot be started
// or prints too much, kTimeLimit. Children that other threads start meanwhile would be ended too.
Result<ProcessEnd> run_process(const Program& process, const ChildSetup* setup = nullptr);

}  // namespace proofline

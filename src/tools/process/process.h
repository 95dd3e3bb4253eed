// SPDX-License-Identifier: Apache-2.0
//
// Runs a program: no shell, nothing of ours inherited (descriptors, signal dispositions), an end to
// its time, and nothing left of it afterwards, not even descendants that left its process group or
// that outlive us when we are killed (tools/process/keeper.h sees to that).
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace proofline {

struct Program {
  std::vector<std::string> argv;           // the first is the program, as an absolute path
  std::vector<std::string> environment;    // "NAME=value"; all that the program gets
  std::chrono::milliseconds time_limit{};  // 0: none
  // What it has to end by itself, after SIGTERM, before it is killed; 0: it is killed at once.
  std::chrono::milliseconds grace{};
};

// What the child does to itself before it becomes the program. It runs between fork and exec, where
// only system calls are safe: memory is allocated when the object is made.
class ChildSetup {
 public:
  virtual ~ChildSetup() = default;
  // CLONE_NEW... flags for the child.
  virtual int clone_flags() const noexcept = 0;
  // Null, or which step failed (a string literal) with the cause in errno; the program is then not
  // started.
  virtual const char* apply() const noexcept = 0;
};

// Takes what a program prints, as it comes; standard output and standard error stay apart.
class OutputListener {
 public:
  virtual ~OutputListener() = default;
  // False: enough, the program is ended.
  virtual bool on_output(std::string_view piece) = 0;
  virtual bool on_errors(std::string_view piece) = 0;
  // At least ten times a second.
  virtual bool on_tick() { return true; }
};

enum class Ending {
  kExited,
  kSignal,       // died of one that we did not send
  kTimeLimit,    // ended by us
  kInterrupted,  // ended by us: the user asked (base/interrupt.h)
  kEnough,       // ended by us: the listener said so
};

inline double seconds_of(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

struct ProgramEnd {
  Ending ending = Ending::kExited;
  int exit_code = 0;                    // of kExited
  int signal = 0;                       // of kSignal
  std::chrono::nanoseconds duration{};  // from just before exec until it was reaped

  bool succeeded() const { return ending == Ending::kExited && exit_code == 0; }
};

// "exited with 3", "died of signal 9", "ran out of its time"
std::string end_text(const ProgramEnd& end);

// Waits until the program ends. Standard input is empty. Errors: kTool where it cannot be started,
// kTimeLimit where something of it cannot be ended, because it hangs in a driver.
Result<ProgramEnd> run_program(const Program& program, OutputListener& listener,
                               const ChildSetup* setup = nullptr);

struct Captured {
  int exit_code = 0;
  int signal = 0;      // that it died of; 0: it exited
  std::string output;  // all of its standard output
  std::string errors;  // the last few kilobytes of its standard error
};

// For a program whose output is its result. Errors, besides those above: kTool where it prints more
// than `max_output` bytes, kTimeLimit, kInterrupted.
Result<Captured> capture_program(const Program& program, std::size_t max_output,
                                 const ChildSetup* setup = nullptr);

}  // namespace proofline

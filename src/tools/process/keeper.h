// SPDX-License-Identifier: Apache-2.0
//
// The keeper is a process between us and a program that we run. Everything that descends from the
// program becomes the keeper's child when its own parent dies, so the keeper can end all of it:
// when the program is done, when we say so, and also when we are killed and can say nothing any
// more.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "tools/process/process.h"

namespace proofline {

// All that the keeper and the program need, made before the fork: between fork and exec only system
// calls are safe.
struct KeeperPlan {
  std::vector<char*> argv;
  std::vector<char*> environment;
  std::vector<int> open_fds;  // of ours: not for the program
  int input;
  int output;
  int errors;
  int control;  // read end: orders to the keeper; closed: we are gone
  int status;   // write end: KeeperMessages
  // Our ends of the pipes, which the keeper closes.
  std::vector<int> not_its_own;
  const ChildSetup* setup;  // may be null
};

// What we can order, one byte each.
inline constexpr char kAskToEnd = 'T';  // SIGTERM to the program's process group
inline constexpr char kEndAll = 'K';

struct KeeperMessage {
  enum class Kind { kStarts, kNotStarted, kEnded, kStuck } kind;
  const char* step;  // of kNotStarted: a literal, so it means the same on both sides
  int error;         // of kNotStarted: errno
  int wait_status;   // of kEnded: the program's
  pid_t pid;         // of kStuck: what does not die
  // Of kStarts: just before the process becomes the program; of kEnded: when it was reaped. By the
  // monotonic clock, so that neither our own forks nor what is ended after the program counts.
  std::int64_t at_ns;
};

// The keeper's life, in a process that was just forked.
[[noreturn]] void keep(const KeeperPlan& plan) noexcept;

}  // namespace proofline

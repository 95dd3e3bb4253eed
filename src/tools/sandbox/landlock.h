// SPDX-License-Identifier: Apache-2.0
//
// Landlock: a process gives up all files but those below a few paths. Needs no privilege and holds
// for root too. In mainline since Linux 5.13, not in every build.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace proofline {

class Landlock {
 public:
  // Which version of it the kernel has; 0: none.
  static int version();

  // Lets what is below these paths be read and executed; those that do not exist are left out.
  static Result<Landlock> allow_reading(std::span<const std::string> paths);

  // For good, for this process and all that it starts; it must have given up new privileges. System
  // calls only: fit for the time between fork and exec. False: errno says why.
  bool apply() const noexcept;

 private:
  explicit Landlock(UniqueFd rules) : rules_(std::move(rules)) {}
  UniqueFd rules_;
};

}  // namespace proofline

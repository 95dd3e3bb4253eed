// SPDX-License-Identifier: Apache-2.0
//
// CHECK(condition, why) guards what only our own bug can break; no input can reach it. It throws,
// so that the program can say "our bug" and leave with the exit code for it instead of dying.
#pragma once

#include <stdexcept>
#include <string>

namespace proofline {

class CheckFailed : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace proofline

#define CHECK(condition, why)                                                               \
  do {                                                                                      \
    if (!(condition))                                                                       \
      throw ::proofline::CheckFailed(std::string(__FILE__) + ": " #condition ": " + (why)); \
  } while (false)

// SPDX-License-Identifier: Apache-2.0
//
// ncu's log read while it grows: how far it is, for the terminal, and whether it still goes on.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "tools/ncu/ncu_log.h"
#include "workflow/announcer.h"

namespace proofline {

class NcuWatch {
 public:
  // `kernels`: how many launches will be profiled; 0 not known.
  NcuWatch(std::string log, std::size_t kernels, ProgressLine& progress)
      : path_(std::move(log)), kernels_(kernels), progress_(progress) {}

  // Shows what is new. False: there is no hope that it goes on.
  bool look();

 private:
  using Clock = std::chrono::steady_clock;
  std::string line();
  std::string time_left() const;

  std::string path_;
  std::size_t kernels_;
  ProgressLine& progress_;
  NcuLog log_;
  std::size_t read_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point first_;  // when the first kernel began
  Clock::time_point grown_ = Clock::now();
};

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// One line on the terminal that says what goes on, gone when there is something else to say. Where
// standard error is no terminal there is none: logs stay free of it.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace proofline {

class Progress {
 public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // "ncu: scale(float*), pass 12 of 38": a stranger's text is escaped, a long one shortened.
  void show(std::string_view what);
  void clear();

 private:
  bool terminal_;
  std::string shown_;
};

// "0:07", "12:30", "1:02:30".
std::string clock_text(std::chrono::seconds time);
std::string elapsed_text(std::chrono::steady_clock::time_point start);

}  // namespace proofline

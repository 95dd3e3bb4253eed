// SPDX-License-Identifier: Apache-2.0
#include "workflow/clock_text.h"

#include <fmt/format.h>

#include <cmath>

namespace proofline {

std::string clock_text(std::chrono::seconds time) {
  const auto seconds = time.count();
  if (seconds < 3600) return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
  return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::string elapsed_text(std::chrono::steady_clock::time_point start) {
  const auto elapsed = std::chrono::steady_clock::now() - start;
  return clock_text(std::chrono::duration_cast<std::chrono::seconds>(elapsed));
}

std::string left_text(std::chrono::steady_clock::time_point start, std::size_t done,
                      std::size_t all) {
  if (done == 0 || all <= done) return "";
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  const double left = passed.count() / static_cast<double>(done) * static_cast<double>(all - done);
  return fmt::format(", about {} left",
                     clock_text(std::chrono::seconds(static_cast<long>(std::ceil(left)))));
}

}  // namespace proofline

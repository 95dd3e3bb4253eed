// SPDX-License-Identifier: Apache-2.0
#include "workflow/clock_text.h"

#include <fmt/format.h>

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

}  // namespace proofline

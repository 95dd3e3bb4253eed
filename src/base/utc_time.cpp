// SPDX-License-Identifier: Apache-2.0
#include "base/utc_time.h"

namespace proofline {

std::string utc_text(std::time_t time, const char* format) {
  std::tm utc{};
  if (::gmtime_r(&time, &utc) == nullptr) return "";
  char text[64];
  return {text, std::strftime(text, sizeof text, format, &utc)};
}

}  // namespace proofline

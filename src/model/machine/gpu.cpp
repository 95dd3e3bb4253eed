// SPDX-License-Identifier: Apache-2.0
#include "model/machine/gpu.h"

#include <fmt/format.h>

#include "model/machine/machine.h"

namespace proofline {

std::string gpu_uuid_text(const std::array<unsigned char, 16>& uuid) {
  std::string text = "GPU";
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", uuid[i]);
  }
  return text;
}

std::string cuda_version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

bool is_held_back(std::uint64_t clock_reasons) {
  constexpr std::uint64_t kHeldBack =
      kClockPowerCap | kClockSlowdown | kClockWarm | kClockHot | kClockPowerBrake;
  return (clock_reasons & kHeldBack) != 0;
}

}  // namespace proofline

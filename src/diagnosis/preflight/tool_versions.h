// SPDX-License-Identifier: Apache-2.0
//
// Which release of CUDA a tool belongs to, and what that asks of the driver.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "model/machine/machine.h"

namespace proofline {

struct CudaRelease {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;

  auto operator<=>(const CudaRelease&) const = default;
};

std::string to_string(CudaRelease release);

// 13010 -> 13.1
CudaRelease cuda_release(std::uint32_t version);
// Absent for versions that we were not told about.
std::optional<CudaRelease> cuda_release_of(const MachineTool& tool);
// The oldest driver that runs programs of this release, 580 of "580.65.06"; of releases newer than
// we know, at least that of the newest we do.
std::optional<std::uint32_t> oldest_driver_for(CudaRelease release);
// 580 of "580.159.04"; 0 where it is no version.
std::uint32_t driver_branch(const std::string& version);

}  // namespace proofline

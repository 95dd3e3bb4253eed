// SPDX-License-Identifier: Apache-2.0
//
// What NVIDIA's management library says of the driver and its GPUs. The library is part of the
// driver and is opened only when it is asked; where it, or one of its functions, is missing, the
// answer is absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/machine.h"

namespace proofline {

struct NvmlAnswer {
  std::string trouble;            // why there is nothing else; "" there is
  bool version_mismatch = false;  // the trouble is that the kernel's module is of another version
  std::string driver;
  std::optional<std::uint32_t> cuda;  // 13000
  std::optional<bool> confidential;
  std::optional<bool> confidential_tools;
  std::vector<GpuState> gpus;
};

NvmlAnswer ask_nvml(const std::string& library = "libnvidia-ml.so.1");

}  // namespace proofline

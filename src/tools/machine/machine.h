// SPDX-License-Identifier: Apache-2.0
//
// Finds out what a machine has: asks the system, the driver and the tools themselves, and changes
// nothing.
#pragma once

#include <string>
#include <vector>

#include "model/machine/machine.h"
#include "tools/process/find_tool.h"

namespace proofline {

struct MachinePlaces {
  std::string root;  // before /proc, /etc, /dev and /sys; "" the machine itself
  std::string nvml = "libnvidia-ml.so.1";
  std::string cuda = "libcuda.so.1";
  std::vector<std::string> tools = tool_folders();
  std::string runs = ".proofline/runs";
};

Machine examine_machine(const MachinePlaces& places);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// Finds out what a machine has: asks the system, the driver and the tools themselves, and changes
// nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/machine.h"
#include "tools/find_tool.h"

namespace proofline {

struct MachinePlaces {
  std::string root;  // before /proc, /etc, /dev and /sys; "" the machine itself
  std::string nvml = "libnvidia-ml.so.1";
  std::string cuda = "libcuda.so.1";
  std::vector<std::string> tools = tool_folders();
  std::string runs = ".proofline/runs";
};

Machine examine_machine(const MachinePlaces& places);

// "2025.3.1.0" in "Version 2025.3.1.0 (build 36398880)", "13.0.85" in "release 13.0, V13.0.85"; ""
// where the text has none.
std::string tool_version_in(std::string_view text);

}  // namespace proofline

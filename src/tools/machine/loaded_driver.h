// SPDX-License-Identifier: Apache-2.0
//
// The NVIDIA driver that the kernel has loaded, without asking any library of the driver's.
#pragma once

#include <string>

namespace proofline {

// "580.159.04"; "" where none is loaded. `root` is prefixed to /proc.
std::string loaded_driver(const std::string& root = "");

}  // namespace proofline

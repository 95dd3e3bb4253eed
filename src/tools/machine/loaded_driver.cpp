// SPDX-License-Identifier: Apache-2.0
#include "tools/machine/loaded_driver.h"

#include <re2/re2.h>

#include <fstream>

namespace proofline {

// "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build ..."
std::string loaded_driver(const std::string& root) {
  std::ifstream file(root + "/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  std::string version;
  re2::RE2::PartialMatch(line, R"(\s([0-9]{3}\.[0-9.]*[0-9])\s)", &version);
  return version;
}

}  // namespace proofline

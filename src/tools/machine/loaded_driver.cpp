// SPDX-License-Identifier: Apache-2.0
#include "tools/machine/loaded_driver.h"

#include <fstream>
#include <sstream>

#include "base/characters.h"

namespace proofline {
namespace {

// "580.159.04": three digits, a point, then digits and points, of which a digit is the last.
bool is_driver_version(const std::string& word) {
  if (word.find_first_not_of("0123456789.") != std::string::npos) return false;
  return word.size() > 4 && word.find('.') == 3 && is_digit(word.back());
}

}  // namespace

// "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build ..."
std::string loaded_driver(const std::string& root) {
  std::ifstream file(root + "/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (is_driver_version(word)) return word;
  }
  return "";
}

}  // namespace proofline

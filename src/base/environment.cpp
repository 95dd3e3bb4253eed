// SPDX-License-Identifier: Apache-2.0
#include "base/environment.h"

#include <cstdlib>

namespace proofline {

std::string_view environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::vector<std::string> folder_list(std::string_view variable) {
  std::vector<std::string> folders;
  while (!variable.empty()) {
    const std::size_t colon = variable.find(':');
    folders.emplace_back(colon == 0 ? "." : variable.substr(0, colon));
    variable.remove_prefix(colon == std::string_view::npos ? variable.size() : colon + 1);
  }
  return folders;
}

}  // namespace proofline

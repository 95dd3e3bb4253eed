// SPDX-License-Identifier: Apache-2.0
//
// The environment that this process was started in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace proofline {

// "" where it is not set.
std::string_view environment_variable(const char* name);

// The folders of PATH, LD_LIBRARY_PATH and the like; an empty one in between means the current one.
std::vector<std::string> folder_list(std::string_view variable);

}  // namespace proofline

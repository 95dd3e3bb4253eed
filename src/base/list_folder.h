// SPDX-License-Identifier: Apache-2.0
//
// A folder and the names in it. std::filesystem's iterators end the program where memory runs out.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace proofline {

// False for "-", which is standard input.
bool is_folder(const std::string& path);

// Sorted; without "." and "..". kInput where it cannot be read.
Result<std::vector<std::string>> list_folder(const std::string& path);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// A file that is complete or not there at all: it has another name until it is whole.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace proofline {

// Takes the place of a file of this name. kStorage.
Result<void> write_whole_file(const std::string& path, std::string_view bytes);

}  // namespace proofline

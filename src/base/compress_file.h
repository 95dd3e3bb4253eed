// SPDX-License-Identifier: Apache-2.0
//
// A file that takes less room on the disk; Input (base/input.h) undoes it when it is read.
#pragma once

#include <string>

namespace proofline {

// Replaces the file by PATH.zst. 0, or errno where it could not be done: the file is as it was.
int compress_file(const std::string& path);

}  // namespace proofline

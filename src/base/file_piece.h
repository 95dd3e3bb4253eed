// SPDX-License-Identifier: Apache-2.0
//
// Part of a small or growing file, for what is not one of the user's inputs (base/input.h): logs of
// tools, files of /proc.
#pragma once

#include <cstddef>
#include <string>

namespace proofline {

// At most `most` bytes from offset `from`; "" where the file cannot be read or is not regular.
std::string read_piece(const std::string& path, std::size_t from, std::size_t most);

}  // namespace proofline

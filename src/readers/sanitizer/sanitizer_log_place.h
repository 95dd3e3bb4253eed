// SPDX-License-Identifier: Apache-2.0
//
// Places in device code as compute-sanitizer and cuda-memcheck write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/machine/sanitizer.h"

namespace proofline {

// "f(int)+0x90 in a.cu:8"; of older versions "0x90 in /src/a.cu:8:f(int)". What is neither is taken
// for a name.
DevicePlace parse_device_place(std::string_view text);

// "0x1f" or "1f"
std::optional<std::uint64_t> parse_hex(std::string_view text);

}  // namespace proofline

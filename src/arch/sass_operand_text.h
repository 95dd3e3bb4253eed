// SPDX-License-Identifier: Apache-2.0
//
// Numbers and registers as NVIDIA's disassemblers write them.
#pragma once

#include <cstdint>
#include <string>

#include "model/code/listing.h"

namespace proofline {

// kind: F, of 32 bits; E, the upper half of 64; H, of 16; G, BF16.
std::string float_text(char kind, std::uint64_t bits);
std::string hex_text(std::int64_t value);
std::string register_text(const Operand& operand);
std::string set_text(std::uint64_t set);  // {5,4,0}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// What the PTX of the calibration kernels has in common: a loop over rounds that no compiler can
// drop, and operands.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace proofline {

// Makes a value of some format from any 32 bits, by keeping some of them and setting others.
// Operands are to be as random as real ones: how many wires toggle decides the power that is drawn,
// and so the clock. Zeros would give a rate that no real work reaches.
struct ValueBits {
  std::uint32_t keep = 0xffffffff;
  std::uint32_t set = 0;
};

// All finite and normal, of either sign, between a half and one.
inline constexpr ValueBits kF64High{0x800fffff, 0x3fe00000};
inline constexpr ValueBits kF32Value{0x807fffff, 0x3f000000};
inline constexpr ValueBits kF16Pair{0x83ff83ff, 0x38003800};
inline constexpr ValueBits kBf16Pair{0x807f807f, 0x3f003f00};
inline constexpr ValueBits kE4m3Four{0x87878787, 0x30303030};
inline constexpr ValueBits kAnyBits;

// Declares what draw_value() uses, and starts it from the thread's number in `seed`, a register.
std::string declare_values(std::string_view seed);
// Into a 32-bit register.
std::string draw_value(std::string_view to, ValueBits bits);

// Everything before the first line of the entry: ".param .u64 to" and so on are its parameters.
std::string open_kernel(std::string_view version, std::string_view target, unsigned threads,
                        std::string_view parameters);

struct PtxLoop {
  std::string_view version;     // of PTX: "6.3"
  std::string_view target;      // "sm_60"
  unsigned threads = 0;         // of a block
  std::string_view parameters;  // after `sink` and `rounds`: ", .param .u64 from"
  std::string before;           // declarations and what comes before the first round
  std::string round;
  std::string after;  // the last round
  std::string store;  // the results, at %sink
};

std::string compose_loop(const PtxLoop& loop);

}  // namespace proofline

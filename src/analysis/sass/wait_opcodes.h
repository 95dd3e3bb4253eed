// SPDX-License-Identifier: Apache-2.0
//
// How instructions take part in waiting, by their opcodes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/code/listing.h"

namespace proofline {

// Whether warps that wait for it are sampled as waiting for device memory ("long_scoreboard").
bool is_far(std::string_view opcode);

// Whether its duration is not fixed, so that others must wait for its result.
bool is_slow(std::string_view opcode);

// Waits for all warps; BAR.ARV and UCGABAR_ARV only announce that this one is there. A plain BAR is
// one whose modifiers are not known.
bool is_warp_barrier(std::string_view opcode);

bool is_memory_fence(std::string_view opcode);
bool is_gmma(std::string_view opcode);
bool is_tensor_wait(std::string_view opcode);
bool is_tensor_start(std::string_view opcode);
bool is_scoreboard_wait(std::string_view opcode);

// DEPBAR.LE SB0, 0x1, {3,2}: until scoreboard 0 counts no more than 1, and 2 and 3 nothing.
struct ScoreboardWait {
  std::optional<std::uint8_t> counted;
  std::uint8_t others = 0;  // a bit for each

  explicit ScoreboardWait(const Encoding& encoding)
      : others(static_cast<std::uint8_t>(encoding.low >> 32U & 0x3fU)) {
    if ((encoding.low >> 47U & 1U) != 0) counted = encoding.low >> 44U & 7U;
  }
};

}  // namespace proofline

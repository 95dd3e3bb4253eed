// SPDX-License-Identifier: Apache-2.0
//
// The tile that one tensor instruction multiplies, as far as its opcode tells.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace proofline {

struct TensorShape {
  std::uint32_t m = 0;
  std::uint32_t n = 0;
  std::uint32_t k = 0;

  bool operator==(const TensorShape&) const = default;
};

// "HGMMA.64x128x16.F32.BF16", "DMMA.16x8x8" and "HMMA.16816.F32"; nothing where the opcode does not
// tell, as of UTCHMMA, whose shape is in a descriptor.
std::optional<TensorShape> tensor_shape(std::string_view opcode);

}  // namespace proofline

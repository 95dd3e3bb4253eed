// SPDX-License-Identifier: Apache-2.0
//
// A product of 4-bit matrices with scales for every 16 or 32 values along K, on a GPU whose tensor
// cores know neither. What they know is bf16 and fp8, so both operands are decoded first, inside the
// clock.
//
//   c[m, n] = half( sum over k of a[m, k] * sa[m, k / v] * b[n, k] * sb[n, k / v] )
//
//   a: (M, K / 2) bytes, b: (N, K / 2) bytes: e2m1, the even k in the low nibble
//   sa, sb: ue8m0 (2^(s - 127)) or ue4m3, one for v = 16 or 32 values, as Blackwell wants them: in
//           blocks of 128 rows x 4 scales, 512 bytes, block after block along K
//   c: (M, N) bf16 or fp16
//
// Two ways to decode, both exact:
//
//   bf16  value times scale has at most six significant bits: any scale will do.
//   fp8   value times 2^r is an e4m3 number for r from -8 to 6. Each row's largest scale becomes
//         r = 6, and what that leaves over, a power of two for the row, is put right in the
//         epilogue. Only for ue8m0 scales of which a row has none 2^14 below its largest, zeros
//         aside; decode_e4m3 counts what it cannot represent.
#pragma once

#include <cstdint>

#include "../hopper/gemm.cuh"
#include "codes.h"

namespace block_scaled {

// Puts the powers of two back, and rounds once.
template <bool kHalf>
struct Rescale {
  const float* row_scales;     // (M); null: there are none
  const float* column_scales;  // (N)
  std::uint32_t rows;
  std::uint32_t columns;

  __device__ void operator()(const float* sums, std::uint32_t row, std::uint32_t column,
                             uint4& upper, uint4& lower) const {
    const std::uint32_t q = threadIdx.x % 4;
    float above = 1.0F;
    float below = 1.0F;
    if (row_scales != nullptr) {
      above = __ldg(row_scales + min(row, rows - 1));
      below = __ldg(row_scales + min(row + 8, rows - 1));
    }
    std::uint32_t* const upper_words = &upper.x;
    std::uint32_t* const lower_words = &lower.x;
#pragma unroll
    for (std::uint32_t i = 0; i < 4; ++i) {
      float2 scale = make_float2(1.0F, 1.0F);
      if (row_scales != nullptr) {
        const std::uint32_t first = min(column + i * 8 + q * 2, columns - 2);
        scale = __ldg(reinterpret_cast<const float2*>(column_scales + first));
      }
      upper_words[i] = pack(sums[i * 4] * (above * scale.x), sums[i * 4 + 1] * (above * scale.y));
      lower_words[i] =
          pack(sums[i * 4 + 2] * (below * scale.x), sums[i * 4 + 3] * (below * scale.y));
    }
  }

 private:
  static __device__ std::uint32_t pack(float x, float y) {
    return kHalf ? hopper::to_f16x2(x, y) : hopper::to_bf16x2(x, y);
  }
};

}  // namespace block_scaled

// SPDX-License-Identifier: Apache-2.0
//
// A GEMM of 4-bit matrices with a scale for every 16 or 32 values along K (MXFP4, NVFP4), on a GPU
// whose tensor cores have neither. They have bf16 and fp8, so both operands are decoded first,
// inside the measured time.
//
//   c[m, n] = half( sum over k of a[m, k] * sa[m, k / v] * b[n, k] * sb[n, k / v] )
//
//   a: (M, K / 2) bytes, b: (N, K / 2) bytes: e2m1, the even k in the low nibble
//   sa: (M, K / v), sb: (N, K / v): ue8m0 (2^(s - 127)) or ue4m3, v = 16 or 32, in the order of
//       Blackwell's tensor cores: blocks of 128 rows x 4 scales, 512 bytes, K-first (codes.h)
//   c: (M, N) bf16 or fp16
//
// Preconditions: K is a multiple of 128, N of 8.
//
// Two ways to decode, both exact:
//
//   bf16  value times scale has at most six significant bits: any scale is possible.
//   fp8   value times 2^r is an e4m3 number for r from -8 to 6. Each row's largest scale becomes
//         r = 6; the rest, a power of two per row, is applied by the epilogue. Only for ue8m0
//         scales, and rows whose scales are within 2^14 of their largest (zeros aside);
//         decode_e4m3 counts the values that it cannot represent.
//
// The decoding kernel and the GEMM overlap by programmatic dependent launch.
#pragma once

#include <cstdint>

#include "../hopper/gemm.cuh"
#include "codes.h"

namespace block_scaled {

// The epilogue (hopper::EpilogueStore): applies the powers of two of row and column, rounds once.
template <bool kHalf>
struct Rescale {
  const float* row_scales;     // (M), or null: neither rows nor columns have scales
  const float* column_scales;  // (N)
  std::uint32_t rows;
  std::uint32_t columns;

  __device__ void operator()(const float* d, std::uint32_t row, std::uint32_t column, uint4& upper,
                             uint4& lower) const {
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
      upper_words[i] = pack(d[i * 4] * (above * scale.x), d[i * 4 + 1] * (above * scale.y));
      lower_words[i] = pack(d[i * 4 + 2] * (below * scale.x), d[i * 4 + 3] * (below * scale.y));
    }
  }

 private:
  static __device__ std::uint32_t pack(float x, float y) {
    return kHalf ? hopper::to_f16x2(x, y) : hopper::to_bf16x2(x, y);
  }
};

// The plans: each is the one it derives from and what it changes.
struct Bf16N128 : hopper::Plan {
  static constexpr std::uint32_t kTileN = 128;
  static constexpr bool kPersistent = true;
  static constexpr hopper::Store kStore = hopper::Store::kTmaQueued;
};
struct Bf16N256 : Bf16N128 {
  static constexpr std::uint32_t kTileN = 256;
};
struct Bf16Cluster : Bf16N128 {
  static constexpr std::uint32_t kTileN = 192;
  static constexpr std::uint32_t kCluster = 2;
  static constexpr bool kPingPong = true;
};
struct Fp8N128 : Bf16N128 {
  using Element = hopper::E4m3;
};
struct Fp8N256 : Bf16N256 {
  using Element = hopper::E4m3;
};
struct Fp8N256Cluster : Fp8N256 {
  static constexpr std::uint32_t kCluster = 2;
};
struct Fp8Cluster : Bf16Cluster {
  using Element = hopper::E4m3;
};
// Shared memory goes to stages of operands or to buffers of results.
struct Fp8ClusterStages3 : Fp8Cluster {
  static constexpr std::uint32_t kStages = 3;
};
struct Fp8ClusterBuffers4 : Fp8Cluster {
  static constexpr std::uint32_t kStoreBuffers = 4;
};

template <class P, bool kHalf>
struct WithOutput : P {
  using Epilogue = Rescale<kHalf>;
};

}  // namespace block_scaled

// SPDX-License-Identifier: Apache-2.0
//
// The patch embedding (kernels/patch_embed) for Blackwell. Compiled for its SASS only: it cannot
// run here.
//
// sass: arch sm_100a
#include <cuda_bf16.h>

#include "gemm.cuh"

namespace blackwell {

// The epilogue: adds bias and position to 32 columns of a row, and stores 16 bytes at a time.
struct AddPosition {
  const float4* bias;      // (768) fp32
  const uint4* positions;  // (196, 768) bf16
  uint4* y;                // (rows, 768) bf16

  __device__ void operator()(const float (&d)[32], std::uint32_t row, std::uint32_t column) const {
    constexpr std::uint32_t kWidth = 768;
    const uint4* const position = positions + (row % 196 * kWidth + column) / 8;
    uint4* const target = y + (static_cast<std::size_t>(row) * kWidth + column) / 8;
#pragma unroll
    for (std::uint32_t i = 0; i < 4; ++i) {
      const uint4 p = __ldg(position + i);
      const float4 low = __ldg(bias + column / 4 + 2 * i);
      const float4 high = __ldg(bias + column / 4 + 2 * i + 1);
      const float* const s = &d[8 * i];
      target[i] = make_uint4(
          pair(s[0] + low.x, s[1] + low.y, p.x), pair(s[2] + low.z, s[3] + low.w, p.y),
          pair(s[4] + high.x, s[5] + high.y, p.z), pair(s[6] + high.z, s[7] + high.w, p.w));
    }
  }

 private:
  static __device__ std::uint32_t pair(float x, float y, std::uint32_t position) {
    return hopper::to_bf16x2(x + __uint_as_float(position << 16U),
                             y + __uint_as_float(position & 0xffff0000U));
  }
};

struct PatchEmbed {
  static constexpr std::uint32_t kN = 256;
  static constexpr std::uint32_t kStages = 4;
  static constexpr std::uint32_t kStepValues = 64;
  static constexpr bool kScaled = false;
  using Epilogue = AddPosition;
};

template __global__ void gemm<PatchEmbed>(const __grid_constant__ CUtensorMap,
                                          const __grid_constant__ CUtensorMap, const Work,
                                          const AddPosition);

}  // namespace blackwell

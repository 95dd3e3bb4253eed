// SPDX-License-Identifier: Apache-2.0
//
// The block-scaled GEMM (kernels/block_scaled) for Blackwell, whose tensor cores take e2m1 and its
// scales: nothing is decoded. Compiled for its SASS only: it cannot run here.
//
// sass: arch sm_100a
#include "gemm.cuh"

namespace blackwell {

// The epilogue: 32 columns of a row as fp16, 16 bytes at a time.
struct ToHalf {
  uint4* c;  // (m, columns) fp16
  std::uint32_t columns;

  __device__ void operator()(const float (&d)[32], std::uint32_t row, std::uint32_t column) const {
    uint4* const target = c + (static_cast<std::size_t>(row) * columns + column) / 8;
#pragma unroll
    for (std::uint32_t i = 0; i < 4; ++i) {
      const float* const s = &d[8 * i];
      target[i] = make_uint4(hopper::to_f16x2(s[0], s[1]), hopper::to_f16x2(s[2], s[3]),
                             hopper::to_f16x2(s[4], s[5]), hopper::to_f16x2(s[6], s[7]));
    }
  }
};

struct BlockScaled {
  static constexpr std::uint32_t kN = 128;
  static constexpr std::uint32_t kStages = 6;
  static constexpr std::uint32_t kStepValues = 256;
  static constexpr bool kScaled = true;
  using Epilogue = ToHalf;
};

template __global__ void gemm<BlockScaled>(const __grid_constant__ CUtensorMap,
                                           const __grid_constant__ CUtensorMap, const Work,
                                           const ToHalf);

}  // namespace blackwell

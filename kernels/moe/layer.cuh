// SPDX-License-Identifier: Apache-2.0
//
// A mixture-of-experts layer: a grouped GEMM in which every row of x belongs to one expert. Rows
// are sorted by expert, and each expert multiplies its rows with its own weights.
//
//   y[r, n] = bf16( sum over k of x[r, k] * w[e(r), n, k] )
//
//   x: (R, K) bf16, w: (experts, N, K), y: (R, N) bf16
//   ends: (experts) int32: expert e has rows ends[e - 1] to ends[e] - 1
//
// In a gated layer, rows 2i and 2i + 1 of w are gate and value of SwiGLU: y: (R, N / 2).
//
// Preconditions: K is a multiple of 64, N is even.
//
// The weights are bf16, or MXFP4: e2m1 values with a ue8m0 scale, 2^(s - 127), for every 32 along
// K. A and B are swapped: the weights are the A operand, so that 4-bit ones are decoded in the
// registers from which wgmma and mma.sync read A; rows of x are the B operand.
//
//   few rows per expert    memory-bound by the weights: stream.cuh
//   many rows              compute-bound: wide.cuh hides the decoding under the products
//   the first version      staged.cuh: decoded weights go through shared memory
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

#include "../hopper/ptx.cuh"

namespace moe {

struct Shape {
  std::uint32_t n;  // rows of an expert's weights
  std::uint32_t k;
  std::uint32_t experts;
  std::uint32_t rows;  // of x
};

// Columns n and n + 1 of one row of y, or the one value that SwiGLU makes of them.
template <bool kGated>
__device__ inline void store(__nv_bfloat16* y, const Shape& shape, std::uint32_t row,
                             std::uint32_t n, float first, float second) {
  if constexpr (kGated) {
    const float gate = fminf(first, 7.0F);
    const float value = fminf(fmaxf(second, -7.0F), 7.0F);
    const float result = gate / (1.0F + __expf(-1.702F * gate)) * (value + 1.0F);
    y[static_cast<std::size_t>(row) * (shape.n / 2) + n / 2] = __float2bfloat16(result);
  } else {
    *reinterpret_cast<std::uint32_t*>(y + static_cast<std::size_t>(row) * shape.n + n) =
        hopper::to_bf16x2(first, second);
  }
}

// The first row of an expert.
__device__ inline std::uint32_t begin_of(const int* ends, std::uint32_t expert) {
  return expert == 0 ? 0 : static_cast<std::uint32_t>(ends[expert - 1]);
}

}  // namespace moe

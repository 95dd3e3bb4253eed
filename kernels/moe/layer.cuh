// SPDX-License-Identifier: Apache-2.0
//
// A layer of a mixture of experts: every row of x belongs to one expert, rows are sorted by expert,
// and each expert multiplies its rows with its own matrix.
//
//   y[r, n] = bf16( sum over k of x[r, k] * w[e(r), n, k] )
//
//   x: (R, K) bf16, w: (experts, N, K), y: (R, N) bf16
//   ends: (experts): expert e has rows ends[e - 1] to ends[e] - 1
//
// Or, of a gated layer whose rows 2i and 2i + 1 are gate and value, SwiGLU of both: y: (R, N / 2).
//
// The weights are bf16, or MXFP4: e2m1 values (E, N, K) with a scale 2^(s - 127) for every 32 of
// them along K. Weights are the left operand of each product, so that 4-bit ones are decoded in the
// registers from which the tensor cores read them; x is the right one. With few rows an expert, the
// bytes of the weights bind, and stream.cuh reads them with as little as possible around it. With
// many, the products bind, and wide.cuh hides the decoding behind them. staged.cuh is how such a
// kernel is written first: decoded weights go through shared memory.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

#include "../hopper/warp.cuh"

namespace moe {

struct Shape {
  std::uint32_t n;        // rows of an expert's weights
  std::uint32_t k;
  std::uint32_t experts;
  std::uint32_t rows;     // of x
};

// Two neighbours of one row of y, or the one number that SwiGLU makes of them.
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

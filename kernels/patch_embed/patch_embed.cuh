// SPDX-License-Identifier: Apache-2.0
//
// Patch embedding, as a vision transformer begins: a product of matrices with a bias and the
// position of each patch added before the only rounding.
//
//   y[m, n] = bf16( sum over k of x[m, k] * w[n, k] + bias[n] + position[m % 196, n] )
//
//   x: (M, 768) bf16, w: (768, 768) bf16, bias: (768) fp32, position: (196, 768) bf16, y: (M, 768)
//
// M is 4736 images of 196 patches. Compute binds: 1.1 TFLOP against 2.9 GB. So everything here is
// about the tensor cores never waiting: not for operands, and not for the epilogue. README.md has
// the ladder of variants.
#pragma once

#include <cstdint>

#include "../hopper/gemm.cuh"

namespace patch_embed {

inline constexpr std::uint32_t kWidth = 768;      // N and K
inline constexpr std::uint32_t kPositions = 196;  // patches of an image
// A warp's sixteen rows may begin at any position and go on from there: so many rows more than there
// are positions, and none has to wrap.
inline constexpr std::uint32_t kTableRows = kPositions + 15;

// Where a value stands in a table in the order of fragments: of each 32 columns, a lane's eight side
// by side, so that it loads them at once.
__host__ __device__ constexpr std::uint32_t table_index(std::uint32_t row, std::uint32_t column) {
  const std::uint32_t i = column % 32 / 8;
  const std::uint32_t q = column % 8 / 2;
  return row * kWidth + column / 32 * 32 + q * 8 + i * 2 + column % 2;
}

__device__ inline float low(std::uint32_t pair) { return __uint_as_float(pair << 16U); }
__device__ inline float high(std::uint32_t pair) { return __uint_as_float(pair & 0xffff0000U); }

// Adds bias and position. kFragmentOrder: how the table lies, see table_index().
template <bool kFragmentOrder>
struct AddPosition {
  const std::uint16_t* table;  // (kTableRows, 768) bf16
  const float* bias;

  __device__ void operator()(const float* sums, std::uint32_t row, std::uint32_t column,
                             uint4& upper, uint4& lower) const {
    const std::uint32_t lane = threadIdx.x % 32;
    const std::uint32_t first = row - lane / 4;  // of the warp's sixteen
    const std::uint16_t* const at =
        table + (first % kPositions + lane / 4) * kWidth + column;
    upper = load(at, lane % 4);
    lower = load(at + 8 * kWidth, lane % 4);
    const auto* const biases = reinterpret_cast<const float2*>(bias + column) + lane % 4;
    const auto rounded = [](float2 b, float x, float y, std::uint32_t position) {
      return hopper::to_bf16x2(x + b.x + low(position), y + b.y + high(position));
    };
    std::uint32_t* const upper_words = &upper.x;
    std::uint32_t* const lower_words = &lower.x;
#pragma unroll
    for (std::uint32_t i = 0; i < 4; ++i) {
      const float2 b = __ldg(biases + i * 4);
      upper_words[i] = rounded(b, sums[i * 4], sums[i * 4 + 1], upper_words[i]);
      lower_words[i] = rounded(b, sums[i * 4 + 2], sums[i * 4 + 3], lower_words[i]);
    }
  }

 private:
  static __device__ uint4 load(const std::uint16_t* row, std::uint32_t q) {
    if constexpr (kFragmentOrder) {
      return __ldg(reinterpret_cast<const uint4*>(row + q * 8));
    } else {
      const auto at = [&](std::uint32_t i) {
        return __ldg(reinterpret_cast<const std::uint32_t*>(row + i * 8 + q * 2));
      };
      return make_uint4(at(0), at(1), at(2), at(3));
    }
  }
};

// How such a kernel is written first: one warpgroup for 128 x 128, a slice at a time.
template <class V>
__global__ void __launch_bounds__(128)
    embed_sliced(const __grid_constant__ CUtensorMap x_map, const __grid_constant__ CUtensorMap w_map,
                 const __grid_constant__ CUtensorMap y_map, const hopper::Work work,
                 const typename V::Finish finish) {
  extern __shared__ std::uint8_t memory[];
  auto& shared = hopper::aligned<hopper::Shared<V>>(memory);
  hopper::Barrier& full = shared.ring.full[0];
  if (threadIdx.x == 0) {
    full.init(1);
    hopper::publish_barriers();
  }
  __syncthreads();
  hopper::wait_for_previous();
  const hopper::Tile tile = hopper::tile_at<V>(work, blockIdx.x);
  float sums[2][V::kPlan.tile_n / 2];
  for (std::uint32_t step = 0; step < work.steps; ++step) {
    if (threadIdx.x == 0) {
      full.expect(sizeof shared.left[0] + sizeof shared.right[0]);
      const auto k = static_cast<int>(step * 64);
      hopper::load_tile(shared.left[0], x_map, k, static_cast<int>(tile.row), full);
      hopper::load_tile(shared.right[0], w_map, k, static_cast<int>(tile.column), full);
    }
    full.wait(step % 2);
    hopper::multiply_stage<V>(hopper::shared_address(shared.left[0]),
                              hopper::shared_address(shared.right[0]), sums, step > 0);
    hopper::wait<0>();
    __syncthreads();
  }
  const std::uint32_t warp = hopper::warp_index();
  hopper::FragmentStore<V> results(y_map, work, shared.y[warp][0]);
  results.store(sums, tile.row + warp * 16, tile.column, finish);
}

}  // namespace patch_embed

// SPDX-License-Identifier: Apache-2.0
//
// Patch embedding, the first layer of a vision transformer: a GEMM whose epilogue adds a bias and
// the position of each patch before the only rounding.
//
//   y[m, n] = bf16( sum over k of x[m, k] * w[n, k] + bias[n] + position[m % 196, n] )
//
//   x: (M, 768) bf16        A operand
//   w: (768, 768) bf16      B operand
//   bias: (768) fp32, position: (196, 768) bf16, y: (M, 768) bf16
//
// M is 4736 images of 196 patches. It is compute-bound: 1.1 TFLOP against 2.9 GB. So everything
// here keeps the tensor cores from waiting, for operands or for the epilogue. The plans at the end
// are the ladder of variants; README.md has their times.
#pragma once

#include <cstdint>

#include "../hopper/gemm.cuh"

namespace patch_embed {

inline constexpr std::uint32_t kWidth = 768;      // N and K
inline constexpr std::uint32_t kPositions = 196;  // patches of an image
// A warp's 16 rows may start at any position: 15 more rows, copies of the first ones, and no row
// index has to wrap.
inline constexpr std::uint32_t kTableRows = kPositions + 15;

// Index in a position table of fragment order (hopper/fragment.h): of each 32 columns, the eight
// that a lane holds are contiguous, so that it loads them as one 16-byte vector.
__host__ __device__ constexpr std::uint32_t table_index(std::uint32_t row, std::uint32_t column) {
  const std::uint32_t i = column % 32 / 8;
  const std::uint32_t q = column % 8 / 2;
  return row * kWidth + column / 32 * 32 + q * 8 + i * 2 + column % 2;
}

__device__ inline float low(std::uint32_t pair) { return __uint_as_float(pair << 16U); }
__device__ inline float high(std::uint32_t pair) { return __uint_as_float(pair & 0xffff0000U); }

enum class TableOrder { kRowMajor, kFragment };  // kFragment: table_index()

// The epilogue (hopper::EpilogueStore).
template <TableOrder kOrder>
struct AddPosition {
  static constexpr TableOrder kTableOrder = kOrder;

  const std::uint16_t* table;  // (kTableRows, 768) bf16
  const float* bias;           // (768)

  __device__ void operator()(const float* d, std::uint32_t row, std::uint32_t column, uint4& upper,
                             uint4& lower) const {
    const std::uint32_t lane = threadIdx.x % 32;
    const std::uint32_t first = row - lane / 4;  // of the warp's 16 rows
    const std::uint16_t* const at = table + (first % kPositions + lane / 4) * kWidth + column;
    upper = load(at, lane % 4);               // (4 pairs) of row
    lower = load(at + 8 * kWidth, lane % 4);  // (4 pairs) of row + 8
    const auto* const biases = reinterpret_cast<const float2*>(bias + column) + lane % 4;
    const auto rounded = [](float2 b, float x, float y, std::uint32_t position) {
      return hopper::to_bf16x2(x + b.x + low(position), y + b.y + high(position));
    };
    std::uint32_t* const upper_words = &upper.x;
    std::uint32_t* const lower_words = &lower.x;
#pragma unroll
    for (std::uint32_t i = 0; i < 4; ++i) {
      const float2 b = __ldg(biases + i * 4);
      upper_words[i] = rounded(b, d[i * 4], d[i * 4 + 1], upper_words[i]);
      lower_words[i] = rounded(b, d[i * 4 + 2], d[i * 4 + 3], lower_words[i]);
    }
  }

 private:
  // Lane q's four pairs of 32 columns.
  static __device__ uint4 load(const std::uint16_t* row, std::uint32_t q) {
    if constexpr (kOrder == TableOrder::kFragment) {
      return __ldg(reinterpret_cast<const uint4*>(row + q * 8));
    } else {
      const auto at = [&](std::uint32_t i) {
        return __ldg(reinterpret_cast<const std::uint32_t*>(row + i * 8 + q * 2));
      };
      return make_uint4(at(0), at(1), at(2), at(3));
    }
  }
};

// The first version of such a kernel: one warpgroup has a tile of (128, kTileN) and does everything
// one after the other. A stage is loaded, multiplied and waited for before the next.
template <class P>
__global__ void __launch_bounds__(128)
    embed_sliced(const __grid_constant__ CUtensorMap x_map,
                 const __grid_constant__ CUtensorMap w_map,
                 const __grid_constant__ CUtensorMap y_map, const hopper::Work work,
                 const typename P::Epilogue epilogue) {
  extern __shared__ std::uint8_t memory[];
  auto& shared = hopper::align_shared<hopper::Shared<P>>(memory);
  hopper::Mbarrier& full = shared.pipeline.full[0];
  if (threadIdx.x == 0) {
    full.init(1);
    hopper::fence_mbarrier_init();
  }
  __syncthreads();
  hopper::griddepcontrol_wait();
  const hopper::Tile tile = hopper::tile_at<P>(work, blockIdx.x);
  float d[2][P::kTileN / 2];  // (64, kTileN) per fragment: all 128 rows
  for (std::uint32_t step = 0; step < work.k_steps; ++step) {
    if (threadIdx.x == 0) {
      full.arrive_expect_tx(sizeof shared.a[0] + sizeof shared.b[0]);
      const auto k = static_cast<int>(step * 64);
      hopper::tma_load(shared.a[0], x_map, k, static_cast<int>(tile.row), full);     // (128, 64)
      hopper::tma_load(shared.b[0], w_map, k, static_cast<int>(tile.column), full);  // (kTileN, 64)
    }
    full.wait(step % 2);
    hopper::mma_stage<P>(hopper::shared_address(shared.a[0]), hopper::shared_address(shared.b[0]),
                         d, step > 0);
    hopper::wgmma_wait_group<0>();
    __syncthreads();
  }
  const std::uint32_t warp = hopper::warp_index();
  hopper::EpilogueStore<P> results(y_map, work, shared.d[warp][0]);
  results.store(d, tile.row + warp * 16, tile.column, epilogue);
}

// The ladder: each plan is the one it derives from and what it changes.
struct Sliced : hopper::Plan {
  static constexpr std::uint32_t kTileN = 128;
  static constexpr std::uint32_t kStages = 1;
  using Epilogue = AddPosition<TableOrder::kRowMajor>;
};
struct Ring : hopper::Plan {  // tiles of (128, 256), a pipeline of 4 stages
  using Epilogue = AddPosition<TableOrder::kRowMajor>;
};
struct Direct : Ring {
  static constexpr hopper::Store kStore = hopper::Store::kDirect;
};
struct Table : Direct {
  using Epilogue = AddPosition<TableOrder::kFragment>;
};
struct Persistent : Table {
  static constexpr bool kPersistent = true;
  static constexpr hopper::Store kStore = hopper::Store::kTmaQueued;
};
struct WideCluster : Persistent {
  static constexpr std::uint32_t kCluster = 2;
};
struct PingPong : Persistent {
  static constexpr std::uint32_t kTileN = 192;  // 2 x 128 accumulators do not fit 240 registers
  static constexpr bool kPingPong = true;
};
struct Cluster : PingPong {
  static constexpr std::uint32_t kCluster = 2;
};

}  // namespace patch_embed

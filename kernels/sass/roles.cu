// SPDX-License-Identifier: Apache-2.0
//
// Warps with roles: one loads, four multiply, four convert and store what was multiplied. The
// roles of the first kernel meet at mbarriers alone; its twin does the same work with the whole
// block at __syncthreads in every tile; the third kernel does with copies by threads, and named
// barriers of two roles each, what needs nothing newer than sm_80.
//
// sass: arch sm_80 sm_90a sm_100a sm_120
#include "ptx.cuh"

constexpr unsigned kMultiplyWarps = 4;
constexpr unsigned kEpilogueWarps = 4;
constexpr unsigned kLoadWarp = kMultiplyWarps + kEpilogueWarps;
constexpr unsigned kThreads = (kLoadWarp + 1) * 32;
constexpr unsigned kM = 64;
constexpr unsigned kN = 32;
constexpr unsigned kK = 64;         // of a tile: a row is 128 bytes
constexpr unsigned kProductK = 16;  // of one instruction
constexpr unsigned kLeftBytes = kM * kK * sizeof(Bf16);
constexpr unsigned kRightBytes = kN * kK * sizeof(Bf16);
constexpr unsigned kSums = kM * kN / (kMultiplyWarps * 32);  // of a thread

struct Tile {
  alignas(1024) Bf16 left[kM * kK];
  alignas(1024) Bf16 right[kN * kK];
  alignas(16) float sums[kM * kN];
};

// sums = left * right, by the four warps together.
__device__ inline void multiply(float (&sums)[kSums], const Tile& tile) {
#pragma unroll
  for (float& sum : sums) sum = 0.0f;
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  products_begin();
#pragma unroll
  for (unsigned k = 0; k < kK; k += kProductK) {
    multiply_group(sums, swizzled_tile(tile.left + k), swizzled_tile(tile.right + k));
  }
  products_finish();
#else
  const unsigned lane = threadIdx.x % 32;
  const Bf16* const left_row = tile.left + (threadIdx.x / 32 * 16 + lane % 16) * kK + lane / 16 * 8;
  const Bf16* const right_row = tile.right + lane % 16 * kK + lane / 16 * 8;
#pragma unroll
  for (unsigned k = 0; k < kK; k += kProductK) {
    unsigned left[4];
    load_matrices(left, left_row + k);
#pragma unroll
    for (unsigned n = 0; n < kN; n += 16) {
      unsigned right[4];
      load_matrices(right, right_row + n * kK + k);
      multiply_warp(reinterpret_cast<float(&)[4]>(sums[n / 2]), left, right[0], right[2]);
      multiply_warp(reinterpret_cast<float(&)[4]>(sums[n / 2 + 4]), left, right[1], right[3]);
    }
  }
#endif
}

__device__ inline void put_sums(Tile& tile, const float (&sums)[kSums]) {
  float4* const vectors = reinterpret_cast<float4*>(tile.sums);
#pragma unroll
  for (unsigned i = 0; i < kSums / 4; ++i) {
    vectors[i * (kMultiplyWarps * 32) + threadIdx.x] =
        make_float4(sums[4 * i], sums[4 * i + 1], sums[4 * i + 2], sums[4 * i + 3]);
  }
}

__device__ inline void take_sums(unsigned (&packed)[kSums / 2], const Tile& tile) {
  const float4* const vectors = reinterpret_cast<const float4*>(tile.sums);
#pragma unroll
  for (unsigned i = 0; i < kSums / 4; ++i) {
    const float4 sums = vectors[i * (kEpilogueWarps * 32) + threadIdx.x - kMultiplyWarps * 32];
    packed[2 * i] = to_bf16x2(sums.x, sums.y);
    packed[2 * i + 1] = to_bf16x2(sums.z, sums.w);
  }
}

__device__ inline void write_sums(uint4* __restrict__ results, unsigned tile,
                                  const unsigned (&packed)[kSums / 2]) {
  uint4* const first = results + tile * (kM * kN / 8) + threadIdx.x - kMultiplyWarps * 32;
  first[0] = make_uint4(packed[0], packed[1], packed[2], packed[3]);
  first[kEpilogueWarps * 32] = make_uint4(packed[4], packed[5], packed[6], packed[7]);
}

#if __CUDA_ARCH__ >= 900

__device__ inline void fetch(Tile& tile, const Bf16* lefts, const Bf16* rights, unsigned index,
                             Barrier* arrived) {
  barrier_expect(arrived, kLeftBytes + kRightBytes);
  copy_bulk(tile.left, lefts + index * (kM * kK), kLeftBytes, arrived);
  copy_bulk(tile.right, rights + index * (kN * kK), kRightBytes, arrived);
}

// sass: roles_mbarrier three roles under branches on the warp: load (2 UBLKCP), MMA (4 HGMMA on
//   sm_90a, else 16 HMMA and 12 LDSM; 4 STS.128), epilogue (4 LDS.128, 8 F2FP, 2 STG.128), each
//   one loop; one BAR, before the branches: the roles meet nowhere in their loops
extern "C" __global__ __launch_bounds__(kThreads) void roles_mbarrier(
    const Bf16* __restrict__ lefts,   // (tiles, kM * kK)
    const Bf16* __restrict__ rights,  // (tiles, kN * kK)
    uint4* __restrict__ results,      // (tiles, kM * kN) of BF16
    unsigned tiles) {
  __shared__ Tile shared;
  __shared__ Barrier operands_full, operands_free, sums_full, sums_free;
  if (threadIdx.x == 0) {
    barrier_init(&operands_full, 1);
    barrier_init(&operands_free, kMultiplyWarps * 32);
    barrier_init(&sums_full, kMultiplyWarps * 32);
    barrier_init(&sums_free, kEpilogueWarps * 32);
    fence_to_async();
  }
  __syncthreads();
  const unsigned warp = warp_index();
  if (warp == kLoadWarp) {
    if (!elect_lane()) return;
#pragma unroll 1
    for (unsigned tile = blockIdx.x, round = 0; tile < tiles; tile += gridDim.x, ++round) {
      // A fresh barrier counts as one whose phase of parity 1 is over.
      barrier_wait(&operands_free, (round + 1) % 2);
      fetch(shared, lefts, rights, tile, &operands_full);
    }
  } else if (warp < kMultiplyWarps) {
#pragma unroll 1
    for (unsigned tile = blockIdx.x, round = 0; tile < tiles; tile += gridDim.x, ++round) {
      float sums[kSums];
      barrier_wait(&operands_full, round % 2);
      multiply(sums, shared);
      barrier_arrive(&operands_free);
      barrier_wait(&sums_free, (round + 1) % 2);
      put_sums(shared, sums);
      barrier_arrive(&sums_full);
    }
  } else {
#pragma unroll 1
    for (unsigned tile = blockIdx.x, round = 0; tile < tiles; tile += gridDim.x, ++round) {
      unsigned packed[kSums / 2];
      barrier_wait(&sums_full, round % 2);
      take_sums(packed, shared);
      barrier_arrive(&sums_free);
      write_sums(results, tile, packed);
    }
  }
}

// sass: roles_joined the same roles and instructions in one loop, which has 3 BAR of the whole
//   block: the roles meet three times a tile
extern "C" __global__ __launch_bounds__(kThreads) void roles_joined(
    const Bf16* __restrict__ lefts,   // (tiles, kM * kK)
    const Bf16* __restrict__ rights,  // (tiles, kN * kK)
    uint4* __restrict__ results,      // (tiles, kM * kN) of BF16
    unsigned tiles) {
  __shared__ Tile shared;
  __shared__ Barrier arrived;
  if (threadIdx.x == 0) {
    barrier_init(&arrived, 1);
    fence_to_async();
  }
  __syncthreads();
  const unsigned warp = warp_index();
#pragma unroll 1
  for (unsigned tile = blockIdx.x, round = 0; tile < tiles; tile += gridDim.x, ++round) {
    if (warp == kLoadWarp) {
      if (elect_lane()) fetch(shared, lefts, rights, tile, &arrived);
      barrier_wait(&arrived, round % 2);
    }
    __syncthreads();
    if (warp < kMultiplyWarps) {
      float sums[kSums];
      multiply(sums, shared);
      put_sums(shared, sums);
    }
    __syncthreads();
    if (warp >= kMultiplyWarps && warp < kLoadWarp) {
      unsigned packed[kSums / 2];
      take_sums(packed, shared);
      write_sums(results, tile, packed);
    }
    __syncthreads();
  }
}

#endif

// The named barriers of the third kernel; 0 is __syncthreads.
constexpr int kOperandsFull = 1;
constexpr int kOperandsFree = 2;
constexpr int kSumsFull = 3;
constexpr int kSumsFree = 4;
constexpr unsigned kLoadAndMultiply = (1 + kMultiplyWarps) * 32;
constexpr unsigned kMultiplyAndEpilogue = (kMultiplyWarps + kEpilogueWarps) * 32;

// sass: roles_named three roles: load (LDGSTS of 16 bytes), MMA, epilogue; every BAR names one
//   of the barriers 1 to 4 and its threads (160 or 256 of 288); no barrier of the whole block.
//   The load role also has 3 LDS that do nothing (@!PT), which the compiler puts before LDGSTS
extern "C" __global__ __launch_bounds__(kThreads) void roles_named(
    const uint4* __restrict__ lefts,   // (tiles, kM * kK) of BF16
    const uint4* __restrict__ rights,  // (tiles, kN * kK) of BF16
    uint4* __restrict__ results,       // (tiles, kM * kN) of BF16
    unsigned tiles) {
  __shared__ Tile shared;
  const unsigned warp = threadIdx.x / 32;
  const unsigned lane = threadIdx.x % 32;
  if (warp == kLoadWarp) {
    constexpr unsigned kLeftVectors = kLeftBytes / sizeof(uint4);
    constexpr unsigned kRightVectors = kRightBytes / sizeof(uint4);
#pragma unroll 1
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      named_sync<kOperandsFree>(kLoadAndMultiply);
#pragma unroll
      for (unsigned i = lane; i < kLeftVectors; i += 32) {
        copy_async(shared.left + i * 8, lefts + tile * kLeftVectors + i);
      }
#pragma unroll
      for (unsigned i = lane; i < kRightVectors; i += 32) {
        copy_async(shared.right + i * 8, rights + tile * kRightVectors + i);
      }
      copy_async_finish();
      named_arrive<kOperandsFull>(kLoadAndMultiply);
    }
  } else if (warp < kMultiplyWarps) {
#pragma unroll 1
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      float sums[kSums];
      named_arrive<kOperandsFree>(kLoadAndMultiply);
      named_sync<kOperandsFull>(kLoadAndMultiply);
      multiply(sums, shared);
      named_sync<kSumsFree>(kMultiplyAndEpilogue);
      put_sums(shared, sums);
      named_arrive<kSumsFull>(kMultiplyAndEpilogue);
    }
  } else {
#pragma unroll 1
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      unsigned packed[kSums / 2];
      named_arrive<kSumsFree>(kMultiplyAndEpilogue);
      named_sync<kSumsFull>(kMultiplyAndEpilogue);
      take_sums(packed, shared);
      write_sums(results, tile, packed);
    }
  }
}

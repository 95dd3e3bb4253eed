// SPDX-License-Identifier: Apache-2.0
//
// The tensor path of Hopper as it is meant to be: TMA fills two stages of shared
// memory, an mbarrier tells when a stage has come, a warp group multiplies straight from it.
//
// sass: arch sm_90a
#include "ptx.cuh"

constexpr unsigned kThreads = 128;
constexpr unsigned kStages = 2;
constexpr unsigned kM = 64;
constexpr unsigned kN = 32;
constexpr unsigned kK = 64;         // of a stage: a row is 128 bytes
constexpr unsigned kProductK = 16;  // of one instruction
constexpr unsigned kStageBytes = (kM + kN) * kK * sizeof(Bf16);

// sass: wgmma_tma one loop over the tiles; in it 4 HGMMA and 2 UTMALDG, and no thread touches
//   the operands: no LDS, STS, LDG; after it 8 stores of 8 bytes; no spill, no local memory
extern "C" __global__ __launch_bounds__(kThreads) void wgmma_tma(
    const __grid_constant__ TensorMap left_map,   // (gridDim.x * kM, tiles * kK)
    const __grid_constant__ TensorMap right_map,  // (kN, tiles * kK)
    float2* __restrict__ results,                 // (gridDim.x * kM, kN / 2)
    unsigned tiles) {
  __shared__ alignas(1024) Bf16 left[kStages][kM * kK];
  __shared__ alignas(1024) Bf16 right[kStages][kN * kK];
  __shared__ Barrier arrived[kStages];
  const bool first_warp = warp_index() == 0;
  const auto fetch = [&](unsigned tile) {
    const unsigned stage = tile % kStages;
    barrier_expect(&arrived[stage], kStageBytes);
    load_tile(left[stage], left_map, tile * kK, blockIdx.x * kM, &arrived[stage]);
    load_tile(right[stage], right_map, tile * kK, 0, &arrived[stage]);
  };
  if (first_warp && elect_lane()) {
    for (Barrier& barrier : arrived) barrier_init(&barrier, 1);
    fence_to_async();
    fetch(0);
  }
  __syncthreads();
  float sums[kM * kN / kThreads] = {};
#pragma unroll 1
  for (unsigned tile = 0; tile < tiles; ++tile) {
    const unsigned stage = tile % kStages;
    // The other stage is free: its products were waited for before this round's barrier.
    if (first_warp && tile + 1 < tiles && elect_lane()) fetch(tile + 1);
    barrier_wait(&arrived[stage], tile / kStages % 2);
    products_begin();
#pragma unroll
    for (unsigned k = 0; k < kK; k += kProductK) {
      multiply_group(sums, swizzled_tile(left[stage] + k), swizzled_tile(right[stage] + k));
    }
    products_finish();
    __syncthreads();
  }
  const unsigned row = blockIdx.x * kM + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
  float2* const first = results + row * (kN / 2) + threadIdx.x % 4;
#pragma unroll
  for (unsigned i = 0; i < kN / 8; ++i) {
    first[i * 4] = make_float2(sums[4 * i], sums[4 * i + 1]);
    first[8 * (kN / 2) + i * 4] = make_float2(sums[4 * i + 2], sums[4 * i + 3]);
  }
}

// SPDX-License-Identifier: Apache-2.0
//
// Level 1: one tile, one warpgroup. What the faster kernels overlap is done here once, in order.
//
//   d (64, 64) fp32 = a (64, 64) bf16 * b (64, 64)^T bf16
//
// Preconditions: a and b are row-major and contiguous (128 bytes per row), their addresses
// multiples of 16. Checked by one_tile.py; README.md has the next levels.
#include <cuda_runtime.h>

#include <exception>

#include "descriptor.h"
#include "fragment.h"
#include "pipeline.cuh"
#include "ptx.cuh"
#include "tensor_map.h"
#include "wgmma.cuh"

namespace hopper {
namespace {

constexpr std::uint32_t kM = 64;  // the M of every wgmma
constexpr std::uint32_t kN = 64;
constexpr std::uint32_t kK = 64;  // 128 bytes of bf16: one swizzled row

// Both tiles start at multiples of 1024 bytes, as the 128-byte swizzle needs.
struct Tiles {
  std::uint8_t a[kM * kRowBytes];  // (64, 64) bf16, swizzled
  std::uint8_t b[kN * kRowBytes];  // (64, 64) bf16, swizzled
  Mbarrier full;
};

// One block of 128 threads. The maps have boxes of (64, 64).
__global__ void __launch_bounds__(128)
    level_1(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map,
            float* d_out) {  // (64, 64) row-major
  extern __shared__ std::uint8_t memory[];
  auto& tiles = align_shared<Tiles>(memory);

  // 1. One thread initialises the mbarrier, announces the bytes of both tiles and issues the loads.
  // TMA swizzles the tiles on the way and completes the bytes at the mbarrier.
  if (threadIdx.x == 0) {
    tiles.full.init(1);
    fence_mbarrier_init();
    tiles.full.arrive_expect_tx(sizeof tiles.a + sizeof tiles.b);
    tma_load(tiles.a, a_map, 0, 0, tiles.full);
    tma_load(tiles.b, b_map, 0, 0, tiles.full);
  }

  // 2. All threads wait: until the mbarrier is initialised, then until its first phase (parity 0)
  // is complete.
  __syncthreads();
  tiles.full.wait(0);

  // 3. Four products m64n64k16 along K = 64. The warpgroup issues them together, the tensor core
  // reads both operands from shared memory. The first overwrites d, the others accumulate.
  float d[kN / 2];  // this thread's part of (64, 64): 32 accumulators
  const std::uint64_t a = k_major(shared_address(tiles.a));
  const std::uint64_t b = k_major(shared_address(tiles.b));
  wgmma_fence();
#pragma unroll
  for (std::uint32_t k = 0; k < kRowBytes; k += kStepBytes) {
    wgmma(Bf16{}, d, advance(a, k), advance(b, k), k > 0);  // a (64, 16), b (64, 16)
  }
  wgmma_commit_group();
  wgmma_wait_group<0>();

  // 4. Every thread stores the elements that it holds (fragment.h).
#pragma unroll
  for (std::uint32_t i = 0; i < kN / 2; ++i) {
    d_out[accumulator_row(threadIdx.x, i) * kN + accumulator_column(threadIdx.x, i)] = d[i];
  }
}

}  // namespace
}  // namespace hopper

// Device memory. Returns 0 or a cudaError_t.
extern "C" int level_1_launch(const void* a, const void* b, void* d, void* stream) {
  using namespace hopper;
  try {
    const CUtensorMap a_map = tensor_map({const_cast<void*>(a), kM, kK, kK}, kM);
    const CUtensorMap b_map = tensor_map({const_cast<void*>(b), kN, kK, kK}, kN);
    level_1<<<1, 128, sizeof(Tiles) + kAtomBytes, static_cast<cudaStream_t>(stream)>>>(
        a_map, b_map, static_cast<float*>(d));
    return cudaGetLastError();
  } catch (const std::exception&) {
    return cudaErrorNotSupported;  // the driver cannot encode tensor maps
  }
}

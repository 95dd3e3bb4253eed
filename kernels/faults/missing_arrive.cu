// SPDX-License-Identifier: Apache-2.0
//
// One of the threads that fill a tile forgets to arrive at its barrier. Those who wait for the tile
// give up after a while, as careful code does, and read what may not be there yet.
#include <cuda/barrier>
#include <cuda/std/chrono>

#include "fault.cuh"

#pragma nv_diag_suppress static_var_with_dynamic_init  // it is initialised below

constexpr unsigned kTile = 32;

__global__ void hand_over(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> filled;
  __shared__ int tile[kTile];
  if (threadIdx.x == 0) init(&filled, blockDim.x);
  __syncthreads();
  const unsigned slot = threadIdx.x % kTile;
  const bool fills = threadIdx.x < kTile;
  if (fills) tile[slot] = static_cast<int>(slot);
  if (kFixed || threadIdx.x != 0) {
    [[maybe_unused]] const bool in_time =
        filled.try_wait_for(filled.arrive(), cuda::std::chrono::seconds(1));
  }
  if (!fills) out[slot] = tile[slot];
}

int main() {
  int* out = allocate<int>(kTile);
  hand_over<<<1, 2 * kTile>>>(out);
  const int code = finish();
  cudaFree(out);
  return code;
}

// SPDX-License-Identifier: Apache-2.0
//
// Each half of the block waits for the other, but at a barrier of its own: for ever.
#include "fault.cuh"

__device__ void wait_at(int barrier, unsigned threads) {
  asm volatile("barrier.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

__global__ void wait_apart(int* out) {
  const int half = static_cast<int>(threadIdx.x / 32);
  wait_at(kFixed ? 1 : 1 + half, blockDim.x);
  out[threadIdx.x] = static_cast<int>(threadIdx.x);
}

int main() {
  int* out = allocate<int>(64);
  wait_apart<<<1, 64>>>(out);
  const int code = finish();
  cudaFree(out);
  return code;
}

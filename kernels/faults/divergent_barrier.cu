// SPDX-License-Identifier: Apache-2.0
//
// Only some threads of each warp reach a barrier; the others end without it.
#include "fault.cuh"

__global__ void barrier_in_branch(int* out) {
  if (kFixed || threadIdx.x % 32 < 20) __syncthreads();
  out[threadIdx.x] = static_cast<int>(threadIdx.x);
}

int main() {
  int* out = allocate<int>(64);
  barrier_in_branch<<<1, 64>>>(out);
  const int code = finish();
  cudaFree(out);
  return code;
}

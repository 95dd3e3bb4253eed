// SPDX-License-Identifier: Apache-2.0
//
// Threads read what their neighbours in another warp write, without a barrier between.
#include "fault.cuh"

__global__ void reverse_block(int* data) {
  __shared__ int tile[128];
  tile[threadIdx.x] = data[threadIdx.x];
  if (kFixed) __syncthreads();
  data[threadIdx.x] = tile[127 - threadIdx.x];
}

int main() {
  int* data = allocate<int>(128);
  cudaMemset(data, 0, 128 * sizeof(int));
  reverse_block<<<1, 128>>>(data);
  const int code = finish();
  cudaFree(data);
  return code;
}

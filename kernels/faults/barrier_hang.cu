// SPDX-License-Identifier: Apache-2.0
//
// A thread waits for a phase of an mbarrier that one thread too few arrives at.
#include <cuda/barrier>

#include "fault.cuh"

#pragma nv_diag_suppress static_var_with_dynamic_init  // it is initialised below

__global__ void wait_for_all(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  if (kFixed || threadIdx.x != 1) barrier.arrive_and_wait();
  out[threadIdx.x] = static_cast<int>(threadIdx.x);
}

int main() {
  int* out = allocate<int>(32);
  wait_for_all<<<1, 32>>>(out);
  const int code = finish();
  cudaFree(out);
  return code;
}

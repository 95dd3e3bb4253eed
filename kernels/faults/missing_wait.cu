// SPDX-License-Identifier: Apache-2.0
//
// Threads arrive at a barrier for its next phase without having waited for the one before.
#include <cuda/barrier>
#include <cuda/std/utility>

#include "fault.cuh"

#pragma nv_diag_suppress static_var_with_dynamic_init  // it is initialised below

__global__ void arrive_twice(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  auto token = barrier.arrive();
  if (kFixed) barrier.wait(cuda::std::move(token));
  barrier.arrive_and_wait();
  out[threadIdx.x] = static_cast<int>(threadIdx.x);
}

int main() {
  int* out = allocate<int>(64);
  arrive_twice<<<1, 64>>>(out);
  const int code = finish();
  cudaFree(out);
  return code;
}

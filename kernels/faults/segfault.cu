// SPDX-License-Identifier: Apache-2.0
//
// The host part dies of a signal after a clean kernel.
#include <csignal>

#include "fault.cuh"

__global__ void fill(int* out) { out[threadIdx.x] = static_cast<int>(threadIdx.x); }

int main() {
  int* out = allocate<int>(64);
  fill<<<1, 64>>>(out);
  const int code = finish();
  cudaFree(out);
  if (!kFixed) std::raise(SIGSEGV);
  return code;
}

// SPDX-License-Identifier: Apache-2.0
//
// Uses the GPU but launches nothing.
#include "fault.cuh"

__global__ void fill(int* out) { out[threadIdx.x] = static_cast<int>(threadIdx.x); }

int main() {
  int* out = allocate<int>(64);
  if (kFixed) fill<<<1, 64>>>(out);
  const int code = finish();
  cudaFree(out);
  return code;
}

// SPDX-License-Identifier: Apache-2.0
//
// A launch with more threads than a block can have: an error of the API that nobody looks at.
#include "fault.cuh"

__global__ void fill(int* out) { out[threadIdx.x] = static_cast<int>(threadIdx.x); }

int main() {
  int* out = allocate<int>(64);
  fill<<<1, kFixed ? 64 : 4096>>>(out);
  const int code = finish();
  cudaFree(out);
  return code;
}

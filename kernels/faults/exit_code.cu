// SPDX-License-Identifier: Apache-2.0
//
// A clean kernel in a program that says that it failed.
#include "fault.cuh"

__global__ void fill(int* out) { out[threadIdx.x] = static_cast<int>(threadIdx.x); }

int main() {
  int* out = allocate<int>(64);
  fill<<<1, 64>>>(out);
  const int code = finish();
  cudaFree(out);
  return kFixed ? code : 3;
}

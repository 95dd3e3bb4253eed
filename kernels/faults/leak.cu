// SPDX-License-Identifier: Apache-2.0
//
// Ends without freeing a buffer.
#include "fault.cuh"

__global__ void fill(int* out) { out[threadIdx.x] = static_cast<int>(threadIdx.x); }

int main() {
  int* out = allocate<int>(64);
  fill<<<1, 64>>>(out);
  const int code = finish();
  if (kFixed) cudaFree(out);
  return code;
}

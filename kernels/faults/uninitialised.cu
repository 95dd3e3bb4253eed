// SPDX-License-Identifier: Apache-2.0
//
// Sums memory that nothing was written to.
#include "fault.cuh"

__global__ void sum_unwritten(const int* in, int* out) { atomicAdd(out, in[threadIdx.x]); }

int main() {
  int* in = allocate<int>(64);
  int* out = allocate<int>(1);
  if (kFixed) cudaMemset(in, 0, 64 * sizeof(int));
  cudaMemset(out, 0, sizeof(int));
  sum_unwritten<<<1, 64>>>(in, out);
  const int code = finish();
  cudaFree(in);
  cudaFree(out);
  return code;
}

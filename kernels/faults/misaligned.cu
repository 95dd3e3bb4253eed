// SPDX-License-Identifier: Apache-2.0
//
// Sixteen-byte loads from an address that is not a multiple of sixteen.
#include "fault.cuh"

__global__ void load_misaligned(const char* in, float4* out) {
  const char* from = in + (kFixed ? 0 : 4) + threadIdx.x * sizeof(float4);
  out[threadIdx.x] = *reinterpret_cast<const float4*>(from);
}

int main() {
  char* in = allocate<char>(4096);
  float4* out = allocate<float4>(64);
  cudaMemset(in, 0, 4096);
  load_misaligned<<<1, 64>>>(in, out);
  const int code = finish();
  cudaFree(in);
  cudaFree(out);
  return code;
}

// SPDX-License-Identifier: Apache-2.0
//
// The last block writes past the end of the buffer.
#include "fault.cuh"

__global__ void write_past_end(float* out, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (!kFixed || i < count) out[i] = static_cast<float>(i);
}

int main() {
  constexpr int kCount = 1000;
  float* out = allocate<float>(kCount);
  write_past_end<<<8, 128>>>(out, kCount);
  const int code = finish();
  cudaFree(out);
  return code;
}

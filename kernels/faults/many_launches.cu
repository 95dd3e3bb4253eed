// SPDX-License-Identifier: Apache-2.0
//
// Launches as many short kernels as its first argument says (100,000 by default), of two kinds:
// what recording costs shows here first. The second argument makes them longer.
#include <cstdio>
#include <cstdlib>

__global__ void scale(float* data, float factor, long rounds) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = data[i];
  for (long round = 0; round < rounds; ++round) value *= factor;
  data[i] = value;
}

__global__ void shift(float* data, float offset, long rounds) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = data[i];
  for (long round = 0; round < rounds; ++round) value += offset;
  data[i] = value;
}

int main(int argc, char** argv) {
  const long launches = argc > 1 ? std::atol(argv[1]) : 100000;
  const long rounds = argc > 2 ? std::atol(argv[2]) : 1;
  constexpr unsigned kBlocks = 264;
  constexpr unsigned kThreads = 256;
  float* data = nullptr;
  if (cudaMalloc(&data, sizeof(float) * kBlocks * kThreads) != cudaSuccess) return 2;
  cudaMemset(data, 0, sizeof(float) * kBlocks * kThreads);
  for (long i = 0; i < launches; ++i) {
    if (i % 4 != 0) {
      scale<<<kBlocks, kThreads>>>(data, 1.0001F, rounds);
    } else {
      shift<<<kBlocks, kThreads>>>(data, 1.0F, rounds);
    }
  }
  const cudaError_t error = cudaDeviceSynchronize();
  std::puts(cudaGetErrorString(error));
  cudaFree(data);
  return error == cudaSuccess ? 0 : 1;
}

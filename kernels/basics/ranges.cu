// SPDX-License-Identifier: Apache-2.0
//
// Two ranges between cudaProfilerStart and cudaProfilerStop, of two launches each, for `ncu
// --replay-mode range`: the range is then one result and its kernels have none of their own. Only
// launches and a memset stand inside a range, since range replay captures and repeats every call in
// it.
#include <cuda_profiler_api.h>

#include "check.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kCount = 1u << 22;
static_assert(kCount % kThreads == 0, "the grid covers the values exactly");

__global__ void square(const float* __restrict__ input,  // (kCount)
                       float* __restrict__ output) {     // (kCount)
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  output[i] = input[i] * input[i];
}

__global__ void accumulate(const float* __restrict__ input,  // (kCount)
                           float* __restrict__ total) {      // (kCount)
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  total[i] += input[i];
}

int main() {
  const std::vector<float> host = random_floats(kCount, 20);
  DeviceBuffer<float> input(host);      // (kCount)
  DeviceBuffer<float> squares(kCount);  // (kCount)
  DeviceBuffer<float> total(kCount);    // (kCount)

  for (int range = 0; range < 2; ++range) {
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_CUDA(cudaProfilerStart());
    CHECK_CUDA(cudaMemsetAsync(total.data(), 0, kCount * sizeof(float)));
    square<<<kCount / kThreads, kThreads>>>(input.data(), squares.data());
    accumulate<<<kCount / kThreads, kThreads>>>(squares.data(), total.data());
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_CUDA(cudaProfilerStop());
  }
  CHECK_CUDA(cudaGetLastError());

  const std::vector<float> actual = total.download();
  for (unsigned i = 0; i < kCount; ++i)
    expect_close("ranges", actual[i], host[i] * host[i], 1e-6, i);
  passed("ranges");
}

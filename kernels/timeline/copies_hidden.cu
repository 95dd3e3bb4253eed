// SPDX-License-Identifier: Apache-2.0
//
// timeline: none
// As copies_in_line, with two buffers and a stream for the copies.
#include "work.cuh"

int main() {
  warm_up();
  constexpr std::size_t kBytes = std::size_t{16} << 20U;
  void* host = nullptr;
  void* device[2] = {};
  cudaStream_t copies, kernels;
  cudaEvent_t copied[2], used[2];
  REQUIRE(cudaMallocHost(&host, kBytes));
  REQUIRE(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  REQUIRE(cudaStreamCreateWithFlags(&kernels, cudaStreamNonBlocking));
  for (int i = 0; i < 2; ++i) {
    REQUIRE(cudaMalloc(&device[i], kBytes));
    REQUIRE(cudaEventCreateWithFlags(&copied[i], cudaEventDisableTiming));
    REQUIRE(cudaEventCreateWithFlags(&used[i], cudaEventDisableTiming));
  }
  for (int i = 0; i < 200; ++i) {
    REQUIRE(cudaStreamWaitEvent(copies, used[i % 2], 0));
    REQUIRE(cudaMemcpyAsync(device[i % 2], host, kBytes, cudaMemcpyHostToDevice, copies));
    REQUIRE(cudaEventRecord(copied[i % 2], copies));
    REQUIRE(cudaStreamWaitEvent(kernels, copied[i % 2], 0));
    launch_work(600, kernels);
    REQUIRE(cudaEventRecord(used[i % 2], kernels));
  }
  return finish();
}

// SPDX-License-Identifier: Apache-2.0
//
// timeline: copy-bound
// Pinned copies in the stream of the kernels, although a second stream could hide them.
#include "work.cuh"

int main() {
  warm_up();
  constexpr std::size_t kBytes = std::size_t{16} << 20U;
  void* host = nullptr;
  void* device = nullptr;
  REQUIRE(cudaMallocHost(&host, kBytes));
  REQUIRE(cudaMalloc(&device, kBytes));
  for (int i = 0; i < 200; ++i) {
    REQUIRE(cudaMemcpyAsync(device, host, kBytes, cudaMemcpyHostToDevice, nullptr));
    launch_work(600);
  }
  return finish();
}

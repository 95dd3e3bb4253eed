// SPDX-License-Identifier: Apache-2.0
//
// timeline: copy-bound host-synchronisation
// Each step's input comes from ordinary memory: the driver copies it twice, the host waits, and
// nothing overlaps. Which of the two rules fires depends on how fast the machine stages the copy.
#include <vector>

#include "work.cuh"

int main() {
  warm_up();
  constexpr std::size_t kBytes = std::size_t{8} << 20U;
  std::vector<char> host(kBytes, 1);
  void* device = nullptr;
  REQUIRE(cudaMalloc(&device, kBytes));
  for (int i = 0; i < 200; ++i) {
    REQUIRE(cudaMemcpy(device, host.data(), kBytes, cudaMemcpyHostToDevice));
    launch_work(100);
  }
  return finish();
}

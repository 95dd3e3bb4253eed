// SPDX-License-Identifier: Apache-2.0
//
// timeline: allocation-churn
// Each step allocates its workspace and gives it back, and cudaFree waits for the GPU.
#include "work.cuh"

int main() {
  warm_up();
  for (int i = 0; i < 400; ++i) {
    void* workspace = nullptr;
    REQUIRE(cudaMalloc(&workspace, std::size_t{64} << 20U));
    launch_work(40);
    REQUIRE(cudaFree(workspace));
  }
  return finish();
}

// SPDX-License-Identifier: Apache-2.0
//
// timeline: none
// As malloc_in_loop, with a workspace that is allocated once.
#include "work.cuh"

int main() {
  warm_up();
  void* workspace = nullptr;
  REQUIRE(cudaMalloc(&workspace, std::size_t{64} << 20U));
  for (int i = 0; i < 400; ++i) launch_work(40);
  REQUIRE(cudaDeviceSynchronize());
  REQUIRE(cudaFree(workspace));
  return finish();
}

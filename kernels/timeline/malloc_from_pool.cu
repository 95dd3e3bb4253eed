// SPDX-License-Identifier: Apache-2.0
//
// timeline: none
// As malloc_in_loop, from a pool that keeps what it has, in the order of the stream.
#include "work.cuh"

int main() {
  warm_up();
  cudaMemPool_t pool;
  REQUIRE(cudaDeviceGetDefaultMemPool(&pool, 0));
  std::uint64_t keep = ~std::uint64_t{0};
  REQUIRE(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  // Long enough that the pool's first allocation, some milliseconds, does not count.
  for (int i = 0; i < 8000; ++i) {
    void* workspace = nullptr;
    REQUIRE(cudaMallocAsync(&workspace, std::size_t{64} << 20U, nullptr));
    launch_work(40);
    REQUIRE(cudaFreeAsync(workspace, nullptr));
  }
  return finish();
}

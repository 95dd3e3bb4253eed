// SPDX-License-Identifier: Apache-2.0
//
// Too little work for the machine: one thread, one block and four blocks evaluate a polynomial by a
// long chain of dependent operations while most multiprocessors have nothing to do.
#include "check.cuh"

constexpr unsigned kTerms = 512;

// One value a thread; the grid must cover count exactly.
__global__ void polynomial(const float* __restrict__ points,  // (count)
                           float* __restrict__ results) {     // (count)
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = points[i];
  float sum = 1.0f;
  for (unsigned term = 0; term < kTerms; ++term) sum = sum * x + 1.0f;
  results[i] = sum;
}

namespace {

void run(unsigned blocks, unsigned threads) {
  const unsigned count = blocks * threads;
  REQUIRE(blocks > 0 && threads > 0 && threads <= 1024, "a block has 1 to 1024 threads");

  const std::vector<float> host = random_floats(count, 16);
  DeviceBuffer<float> points(host);    // (count)
  DeviceBuffer<float> results(count);  // (count)
  results.clear();
  polynomial<<<blocks, threads>>>(points.data(), results.data());
  finish_launch();
  const std::vector<float> actual = results.download();
  for (unsigned i = 0; i < count; ++i) {
    double sum = 1.0;
    for (unsigned term = 0; term < kTerms; ++term) sum = sum * host[i] + 1.0;
    expect_close("polynomial", actual[i], sum, 1e-5, i);
  }
  passed("polynomial");
}

}  // namespace

int main() {
  run(1, 1);
  run(1, 1024);
  run(4, 128);
}

// SPDX-License-Identifier: Apache-2.0
//
// Reads that do not coalesce: neighbouring threads eight elements apart, thirty-two elements apart,
// and at random. Every thread uses four bytes of each sector that it makes the memory move.
#include "check.cuh"

constexpr unsigned kThreads = 256;
constexpr std::size_t kSource = std::size_t{1}
                                << 25;  // elements, a power of two so that wrapping is a mask
constexpr std::size_t kTarget = std::size_t{1} << 22;  // elements

__global__ void gather_strided(const float* __restrict__ source,  // (kSource)
                               float* __restrict__ target,        // (count)
                               std::size_t count, std::size_t stride) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) target[i] = source[(i * stride) & (kSource - 1)];
}

__global__ void gather_indexed(const float* __restrict__ source,    // (kSource)
                               const unsigned* __restrict__ index,  // (count), each below kSource
                               float* __restrict__ target,          // (count)
                               std::size_t count) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) target[i] = source[index[i]];
}

int main() {
  static_assert((kSource & (kSource - 1)) == 0, "wrapping by mask needs a power of two");

  const std::vector<float> input = random_floats(kSource, 3);
  DeviceBuffer<float> source(input);     // (kSource)
  DeviceBuffer<float> target(kTarget);   // (kTarget)
  std::vector<float> expected(kTarget);  // (kTarget)

  for (const std::size_t stride : {std::size_t{8}, std::size_t{32}}) {
    target.clear();
    gather_strided<<<blocks_for(kTarget, kThreads), kThreads>>>(source.data(), target.data(),
                                                                kTarget, stride);
    finish_launch();
    for (std::size_t i = 0; i < kTarget; ++i) expected[i] = input[(i * stride) & (kSource - 1)];
    expect_equal("gather strided", target.download(), expected);
    passed("gather strided");
  }

  const std::vector<unsigned> positions = random_integers(kTarget, kSource, 4);
  DeviceBuffer<unsigned> index(positions);  // (kTarget)
  target.clear();
  gather_indexed<<<blocks_for(kTarget, kThreads), kThreads>>>(source.data(), index.data(),
                                                              target.data(), kTarget);
  finish_launch();
  for (std::size_t i = 0; i < kTarget; ++i) expected[i] = input[positions[i]];
  expect_equal("gather indexed", target.download(), expected);
  passed("gather indexed");
}

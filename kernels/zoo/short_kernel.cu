// SPDX-License-Identifier: Apache-2.0
//
// Kernels that are over before they have begun: every multiprocessor has a block, but a few
// microseconds of launch and drain are most of what there is. No twins: the remedy is to launch
// fewer, larger kernels, or a graph of them.
#include "../basics/check.cuh"

constexpr unsigned kAddThreads = 256;
constexpr unsigned kAddCount = 1u << 16;
static_assert(kAddCount % kAddThreads == 0, "the grid covers the input exactly");

// One element a thread.
// zoo: add_vectors plants short-kernel
__global__ __launch_bounds__(kAddThreads) void add_vectors(
    const float* __restrict__ left,   // (kAddCount)
    const float* __restrict__ right,  // (kAddCount)
    float* __restrict__ sums) {       // (kAddCount)
  const unsigned i = blockIdx.x * kAddThreads + threadIdx.x;
  sums[i] = left[i] + right[i];
}

constexpr unsigned kDecayThreads = 128;
constexpr unsigned kDecayBlocksAProcessor = 2;

// A step of weight decay in place, as an optimizer launches it for every small parameter.
// zoo: decay_weights plants short-kernel
__global__ __launch_bounds__(kDecayThreads) void decay_weights(
    float* weights,  // (gridDim.x, kDecayThreads)
    float rate) {
  const unsigned i = blockIdx.x * kDecayThreads + threadIdx.x;
  weights[i] -= rate * weights[i];
}

int main() {
  REQUIRE(kAddCount / kAddThreads >= static_cast<unsigned>(multiprocessors()),
          "every multiprocessor has a block");
  const std::vector<float> host_left = random_floats(kAddCount, 91);
  const std::vector<float> host_right = random_floats(kAddCount, 92);
  DeviceBuffer<float> left(host_left);    // (kAddCount)
  DeviceBuffer<float> right(host_right);  // (kAddCount)
  DeviceBuffer<float> sums(kAddCount);    // (kAddCount)
  sums.clear();
  add_vectors<<<kAddCount / kAddThreads, kAddThreads>>>(left.data(), right.data(), sums.data());
  finish_launch();
  std::vector<float> expected(kAddCount);
  for (unsigned i = 0; i < kAddCount; ++i) expected[i] = host_left[i] + host_right[i];
  expect_equal("add vectors", sums.download(), expected);
  passed("add vectors");

  constexpr float kRate = 0.0625f;
  const unsigned blocks = multiprocessors() * kDecayBlocksAProcessor;
  const std::vector<float> host = random_floats(std::size_t{blocks} * kDecayThreads, 93);
  DeviceBuffer<float> weights(host);  // (blocks * kDecayThreads)
  decay_weights<<<blocks, kDecayThreads>>>(weights.data(), kRate);
  finish_launch();
  const std::vector<float> decayed = weights.download();
  for (std::size_t i = 0; i < host.size(); ++i) {
    expect_close("decay weights", decayed[i], host[i] * (1.0 - kRate), 1e-6, i);
  }
  passed("decay weights");
}

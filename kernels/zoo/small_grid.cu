// SPDX-License-Identifier: Apache-2.0
//
// Fewer blocks than multiprocessors: those that have one are busy, the others have nothing to do.
// The twins run the same loop over the same elements on enough blocks.
#include "../basics/check.cuh"

constexpr unsigned kFewBlocks = 8;
constexpr unsigned kRootThreads = 256;
constexpr unsigned kRootBlocksAProcessor = 8;  // for the twin
constexpr unsigned kIterations = 200;

// Newton's iteration for 1 / sqrt(x) from a poor start, always to the end. Four values a thread at
// a time, so that even two warps keep a scheduler busy.
__device__ inline void invert_roots(const float4* __restrict__ values, float4* __restrict__ roots,
                                    unsigned count) {
  const unsigned stride = gridDim.x * kRootThreads;
#pragma unroll 1
  for (unsigned i = blockIdx.x * kRootThreads + threadIdx.x; i < count; i += stride) {
    const float4 x = values[i];
    const float half[4] = {0.5f * x.x, 0.5f * x.y, 0.5f * x.z, 0.5f * x.w};
    float y[4] = {0.5f, 0.5f, 0.5f, 0.5f};
#pragma unroll 8
    for (unsigned step = 0; step < kIterations; ++step) {
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) y[j] = y[j] * (1.5f - half[j] * y[j] * y[j]);
    }
    roots[i] = make_float4(y[0], y[1], y[2], y[3]);
  }
}

// Eight blocks for all of the work.
// zoo: inverse_roots plants small-grid, fixed by inverse_roots_wide
__global__ __launch_bounds__(kRootThreads) void inverse_roots(
    const float4* __restrict__ values,  // (count)
    float4* __restrict__ roots,         // (count)
    unsigned count) {
  invert_roots(values, roots, count);
}

// zoo: inverse_roots_wide fixes inverse_roots
__global__ __launch_bounds__(kRootThreads) void inverse_roots_wide(
    const float4* __restrict__ values,  // (count)
    float4* __restrict__ roots,         // (count)
    unsigned count) {
  invert_roots(values, roots, count);
}

constexpr unsigned kHashBlocks = 48;
constexpr unsigned kHashThreads = 1024;
constexpr unsigned kHashBlocksAProcessor = 2;  // for the twin
constexpr unsigned kHashItems = 32;            // for each thread of the twin
constexpr unsigned kHashRounds = 64;

__host__ __device__ inline unsigned digest(unsigned word) {
#pragma unroll 8
  for (unsigned round = 0; round < kHashRounds; ++round) {
    word = (word ^ (word >> 15)) * 0x2c1b3c6du + round;
    word ^= word << 7;
  }
  return word;
}

__device__ inline void digest_all(const unsigned* __restrict__ words,
                                  unsigned* __restrict__ digests, unsigned count) {
  const unsigned stride = gridDim.x * kHashThreads;
#pragma unroll 1
  for (unsigned i = blockIdx.x * kHashThreads + threadIdx.x; i < count; i += stride) {
    digests[i] = digest(words[i]);
  }
}

// Large blocks, but only 48 of them.
// zoo: digest_words plants small-grid, fixed by digest_words_wide
__global__ __launch_bounds__(kHashThreads) void digest_words(
    const unsigned* __restrict__ words,  // (count)
    unsigned* __restrict__ digests,      // (count)
    unsigned count) {
  digest_all(words, digests, count);
}

// zoo: digest_words_wide fixes digest_words
__global__ __launch_bounds__(kHashThreads) void digest_words_wide(
    const unsigned* __restrict__ words,  // (count)
    unsigned* __restrict__ digests,      // (count)
    unsigned count) {
  digest_all(words, digests, count);
}

namespace {

void run_inverse_roots() {
  const unsigned wide = multiprocessors() * kRootBlocksAProcessor;
  const unsigned vectors = wide * kRootThreads;
  std::vector<float> host = random_floats(std::size_t{vectors} * 4, 81);
  for (float& value : host) value += 1.5f;  // where the iteration converges
  DeviceBuffer<float> values(host);         // (vectors) of float4
  DeviceBuffer<float> roots(host.size());   // (vectors) of float4
  const float4* source = reinterpret_cast<const float4*>(values.data());
  float4* target = reinterpret_cast<float4*>(roots.data());
  roots.clear();
  inverse_roots<<<kFewBlocks, kRootThreads>>>(source, target, vectors);
  finish_launch();
  const std::vector<float> slow = roots.download();
  for (std::size_t i = 0; i < host.size(); ++i) {
    expect_close("inverse roots", slow[i], 1.0 / std::sqrt(double{host[i]}), 1e-5, i);
  }
  passed("inverse roots");

  roots.clear();
  inverse_roots_wide<<<wide, kRootThreads>>>(source, target, vectors);
  finish_launch();
  expect_equal("inverse roots wide", roots.download(), slow);
  passed("inverse roots wide");
}

void run_digest_words() {
  const unsigned wide = multiprocessors() * kHashBlocksAProcessor;
  const unsigned count = wide * kHashThreads * kHashItems;
  const std::vector<unsigned> host = random_integers(count, 0xffffffffu, 82);
  DeviceBuffer<unsigned> words(host);     // (count)
  DeviceBuffer<unsigned> digests(count);  // (count)
  digests.clear();
  digest_words<<<kHashBlocks, kHashThreads>>>(words.data(), digests.data(), count);
  finish_launch();
  const std::vector<unsigned> slow = digests.download();
  for (std::size_t i = 0; i < count; i += 101) {
    expect_close("digest words", slow[i], digest(host[i]), 0.0, i);
  }
  passed("digest words");

  digests.clear();
  digest_words_wide<<<wide, kHashThreads>>>(words.data(), digests.data(), count);
  finish_launch();
  expect_equal("digest words wide", digests.download(), slow);
  passed("digest words wide");
}

}  // namespace

int main() {
  run_inverse_roots();
  run_digest_words();
}

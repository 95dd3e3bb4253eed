// SPDX-License-Identifier: Apache-2.0
//
// Two kernels at the roof of integer arithmetic: rounds of a hash made of rotations and exclusive
// ors, which run on the logic units, and steps of linear congruential generators, whose 32-bit
// multiply-adds run on the half of the multiply-add units that can take integers.
#include "../basics/check.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kResident = 8;  // blocks of kThreads that fill a multiprocessor
constexpr unsigned kWaves = 8;     // of blocks

constexpr unsigned kStates = 4;  // of a thread
constexpr unsigned kUnrolledRounds = 8;
constexpr unsigned kHashRounds = 20 * kUnrolledRounds;

__host__ __device__ inline unsigned rotate(unsigned value, unsigned by) {
#ifdef __CUDA_ARCH__
  return __funnelshift_r(value, value, by);
#else
  return value >> by | value << (32 - by);
#endif
}

// With three rotations and no shift, the 32nd round would give the first state back.
__host__ __device__ inline unsigned hash_round(unsigned state) {
  return rotate(state, 7) ^ rotate(state, 18) ^ state >> 3;
}

// zoo: fingerprint_words is healthy at integer-pipe
__global__ __launch_bounds__(kThreads, kResident) void fingerprint_words(
    const uint4* __restrict__ words,        // (blocks * kThreads)
    unsigned* __restrict__ fingerprints) {  // (blocks * kThreads)
  static_assert(kStates == 4, "one vector a thread");
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
  const uint4 word = words[thread];
  unsigned state[kStates] = {word.x, word.y, word.z, word.w};
#pragma unroll 1
  for (unsigned round = 0; round < kHashRounds; round += kUnrolledRounds) {
#pragma unroll
    for (unsigned u = 0; u < kUnrolledRounds; ++u) {
#pragma unroll
      for (unsigned s = 0; s < kStates; ++s) state[s] = hash_round(state[s]);
    }
  }
  fingerprints[thread] = state[0] + state[1] + state[2] + state[3];
}

constexpr unsigned kStreams = 8;  // of a thread
constexpr unsigned kUnrolledDraws = 16;
constexpr unsigned kDraws = 20 * kUnrolledDraws;

// factor and increment come at run time, so that no two steps can be folded into one.
// zoo: advance_generators is healthy at integer-pipe
__global__ __launch_bounds__(kThreads, kResident) void advance_generators(
    const unsigned* __restrict__ seeds,  // (blocks * kThreads)
    unsigned* __restrict__ ends,         // (blocks * kThreads)
    unsigned factor, unsigned increment) {
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
  unsigned state[kStreams];
#pragma unroll
  for (unsigned s = 0; s < kStreams; ++s) state[s] = seeds[thread] ^ s;
#pragma unroll 1
  for (unsigned draw = 0; draw < kDraws; draw += kUnrolledDraws) {
#pragma unroll
    for (unsigned u = 0; u < kUnrolledDraws; ++u) {
#pragma unroll
      for (unsigned s = 0; s < kStreams; ++s) state[s] = state[s] * factor + increment;
    }
  }
  unsigned mixed = 0;
#pragma unroll
  for (unsigned s = 0; s < kStreams; ++s) mixed ^= state[s];
  ends[thread] = mixed;
}

namespace {

constexpr std::size_t kSampleStep = 4093;

// Compares element i of the result with expected(i), for a sample of elements.
template <typename Expected>
void expect_samples(const char* name, const std::vector<unsigned>& actual, Expected expected) {
  for (std::size_t i = 0; i < actual.size(); i += kSampleStep) {
    expect_close(name, actual[i], expected(i), 0.0, i);
  }
  passed(name);
}

void run_fingerprint_words() {
  const unsigned blocks = multiprocessors() * kResident * kWaves;
  const std::size_t count = std::size_t{kThreads} * blocks;
  const std::vector<unsigned> host = random_integers(kStates * count, 0xffffffffu, 51);
  DeviceBuffer<unsigned> words(host);          // (count, kStates)
  DeviceBuffer<unsigned> fingerprints(count);  // (count)
  fingerprints.clear();
  fingerprint_words<<<blocks, kThreads>>>(reinterpret_cast<const uint4*>(words.data()),
                                          fingerprints.data());
  finish_launch();
  expect_samples("fingerprint words", fingerprints.download(), [&](std::size_t i) {
    unsigned sum = 0;
    for (unsigned s = 0; s < kStates; ++s) {
      unsigned state = host[kStates * i + s];
      for (unsigned round = 0; round < kHashRounds; ++round) state = hash_round(state);
      sum += state;
    }
    return sum;
  });
}

void run_advance_generators() {
  constexpr unsigned kFactor = 1664525u;
  constexpr unsigned kIncrement = 1013904223u;
  const unsigned blocks = multiprocessors() * kResident * kWaves;
  const std::size_t count = std::size_t{kThreads} * blocks;
  const std::vector<unsigned> host = random_integers(count, 0xffffffffu, 52);
  DeviceBuffer<unsigned> seeds(host);  // (count)
  DeviceBuffer<unsigned> ends(count);  // (count)
  ends.clear();
  advance_generators<<<blocks, kThreads>>>(seeds.data(), ends.data(), kFactor, kIncrement);
  finish_launch();
  expect_samples("advance generators", ends.download(), [&](std::size_t i) {
    unsigned mixed = 0;
    for (unsigned s = 0; s < kStreams; ++s) {
      unsigned state = host[i] ^ s;
      for (unsigned draw = 0; draw < kDraws; ++draw) state = state * kFactor + kIncrement;
      mixed ^= state;
    }
    return mixed;
  });
}

}  // namespace

int main() {
  run_fingerprint_words();
  run_advance_generators();
}

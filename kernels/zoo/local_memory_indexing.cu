// SPDX-License-Identifier: Apache-2.0
//
// Private arrays indexed by values known only at run time. They cannot live in registers, and in
// local memory the lanes of a warp, each at an index of its own, touch a line each. The guises: a
// histogram kept by every thread, and a delay line read at a delay that the signal chooses. The
// twins keep the array in shared memory with the thread as the fastest index, where every lane has
// a bank to itself whatever its index.
#include <cstring>

#include "fill.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kWaves = 4;           // times the blocks that fit at once
constexpr unsigned kBlocksResident = 8;  // of 256 threads, the most that a multiprocessor holds

constexpr unsigned kBins = 16;
constexpr unsigned kLoads = 8;  // of sixteen symbols each

__device__ inline unsigned pairs_of(unsigned count) { return count * (count - 1) / 2; }

// Counts the pairs of equal symbols in each record by way of the record's histogram.
// zoo: equal_pairs plants local-memory-indexing, fixed by equal_pairs_shared
__global__ __launch_bounds__(kThreads) void equal_pairs(
    const uint4* __restrict__ records,  // (kLoads, count), a byte a symbol, below kBins
    unsigned* __restrict__ pairs) {     // (count)
  const std::size_t count = static_cast<std::size_t>(gridDim.x) * kThreads;
  const std::size_t record = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  unsigned bins[kBins];
#pragma unroll
  for (unsigned i = 0; i < kBins; ++i) bins[i] = 0;
#pragma unroll 2
  for (unsigned load = 0; load < kLoads; ++load) {
    const uint4 symbols = records[load * count + record];
    const unsigned words[] = {symbols.x, symbols.y, symbols.z, symbols.w};
#pragma unroll
    for (const unsigned word : words) {
#pragma unroll
      for (unsigned shift = 0; shift < 32; shift += 8) ++bins[(word >> shift) % kBins];
    }
  }
  unsigned sum = 0;
#pragma unroll
  for (unsigned i = 0; i < kBins; ++i) sum += pairs_of(bins[i]);
  pairs[record] = sum;
}

// zoo: equal_pairs_shared fixes equal_pairs
__global__ __launch_bounds__(kThreads) void equal_pairs_shared(
    const uint4* __restrict__ records,  // (kLoads, count), a byte a symbol, below kBins
    unsigned* __restrict__ pairs) {     // (count)
  __shared__ unsigned bins[kBins][kThreads];
  const std::size_t count = static_cast<std::size_t>(gridDim.x) * kThreads;
  const std::size_t record = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
#pragma unroll
  for (unsigned i = 0; i < kBins; ++i) bins[i][threadIdx.x] = 0;
#pragma unroll 2
  for (unsigned load = 0; load < kLoads; ++load) {
    const uint4 symbols = records[load * count + record];
    const unsigned words[] = {symbols.x, symbols.y, symbols.z, symbols.w};
#pragma unroll
    for (const unsigned word : words) {
#pragma unroll
      for (unsigned shift = 0; shift < 32; shift += 8) ++bins[(word >> shift) % kBins][threadIdx.x];
    }
  }
  unsigned sum = 0;
#pragma unroll
  for (unsigned i = 0; i < kBins; ++i) sum += pairs_of(bins[i][threadIdx.x]);
  pairs[record] = sum;
}

constexpr unsigned kSlots = 32;   // of the delay line, a power of two
constexpr unsigned kGroups = 16;  // groups of four samples in a track

// From 1 to kSlots, out of the middle bits of the sample.
__host__ __device__ inline unsigned delay_of(unsigned sample_bits) {
  return 1 + (sample_bits >> 10) % kSlots;
}

// Adds to each sample half of what the track gave some samples ago and returns the sum of the last
// outputs. Halving is exact, so that host and device agree bit for bit.
// zoo: echo_tracks plants local-memory-indexing, fixed by echo_tracks_shared
__global__ __launch_bounds__(kThreads) void echo_tracks(
    const float4* __restrict__ samples,  // (kGroups, tracks)
    float* __restrict__ results) {       // (tracks)
  const std::size_t tracks = static_cast<std::size_t>(gridDim.x) * kThreads;
  const std::size_t track = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  float line[kSlots];
#pragma unroll
  for (unsigned i = 0; i < kSlots; ++i) line[i] = 0.0f;
  unsigned at = 0;
#pragma unroll 2
  for (unsigned group = 0; group < kGroups; ++group) {
    const float4 loaded = samples[group * tracks + track];
    const float four[] = {loaded.x, loaded.y, loaded.z, loaded.w};
#pragma unroll
    for (const float sample : four) {
      const float echo = line[(at - delay_of(__float_as_uint(sample))) % kSlots];
      line[at % kSlots] = 0.5f * echo + sample;
      ++at;
    }
  }
  float sum = 0.0f;
#pragma unroll
  for (unsigned i = 0; i < kSlots; ++i) sum += line[i];
  results[track] = sum;
}

// zoo: echo_tracks_shared fixes echo_tracks
__global__ __launch_bounds__(kThreads) void echo_tracks_shared(
    const float4* __restrict__ samples,  // (kGroups, tracks)
    float* __restrict__ results) {       // (tracks)
  __shared__ float line[kSlots][kThreads];
  const std::size_t tracks = static_cast<std::size_t>(gridDim.x) * kThreads;
  const std::size_t track = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
#pragma unroll
  for (unsigned i = 0; i < kSlots; ++i) line[i][threadIdx.x] = 0.0f;
  unsigned at = 0;
#pragma unroll 2
  for (unsigned group = 0; group < kGroups; ++group) {
    const float4 loaded = samples[group * tracks + track];
    const float four[] = {loaded.x, loaded.y, loaded.z, loaded.w};
#pragma unroll
    for (const float sample : four) {
      const float echo = line[(at - delay_of(__float_as_uint(sample))) % kSlots][threadIdx.x];
      line[at % kSlots][threadIdx.x] = 0.5f * echo + sample;
      ++at;
    }
  }
  float sum = 0.0f;
#pragma unroll
  for (unsigned i = 0; i < kSlots; ++i) sum += line[i][threadIdx.x];
  results[track] = sum;
}

namespace {

void run_equal_pairs(unsigned blocks) {
  const std::size_t count = std::size_t{blocks} * kThreads;
  const std::vector<unsigned> drawn = random_integers(kPeriod, kBins, 10);
  std::vector<unsigned char> block(kPeriod);
  for (std::size_t i = 0; i < kPeriod; ++i) block[i] = static_cast<unsigned char>(drawn[i]);
  DeviceBuffer<unsigned char> records(kLoads * count * sizeof(uint4));  // (kLoads, count, 16)
  DeviceBuffer<unsigned> pairs(count);
  DeviceBuffer<unsigned> pairs_shared(count);
  fill_repeating(records, block);
  pairs.clear();
  pairs_shared.clear();
  const uint4* vectors = reinterpret_cast<const uint4*>(records.data());
  equal_pairs<<<blocks, kThreads>>>(vectors, pairs.data());
  finish_launch();
  equal_pairs_shared<<<blocks, kThreads>>>(vectors, pairs_shared.data());
  finish_launch();

  const std::vector<unsigned> slow = pairs.download();
  expect_equal("equal pairs, both ways", slow, pairs_shared.download());
  for (std::size_t record = 0; record < count; record += 101) {
    unsigned expected = 0;
    unsigned bins[kBins] = {};
    for (std::size_t load = 0; load < kLoads; ++load) {
      for (std::size_t i = 0; i < sizeof(uint4); ++i) {
        expected += bins[block[((load * count + record) * sizeof(uint4) + i) % kPeriod]]++;
      }
    }
    expect_close("equal pairs", slow[record], expected, 0.0, record);
  }
  passed("equal pairs");
}

void run_echo_tracks(unsigned blocks) {
  const std::size_t tracks = std::size_t{blocks} * kThreads;
  const std::vector<float> block = random_floats(kPeriod, 11);
  DeviceBuffer<float> samples(kGroups * tracks * 4);  // (kGroups, tracks, 4)
  DeviceBuffer<float> results(tracks);
  DeviceBuffer<float> results_shared(tracks);
  fill_repeating(samples, block);
  results.clear();
  results_shared.clear();
  const float4* vectors = reinterpret_cast<const float4*>(samples.data());
  echo_tracks<<<blocks, kThreads>>>(vectors, results.data());
  finish_launch();
  echo_tracks_shared<<<blocks, kThreads>>>(vectors, results_shared.data());
  finish_launch();

  const std::vector<float> slow = results.download();
  expect_equal("echo tracks, both ways", slow, results_shared.download());
  for (std::size_t track = 0; track < tracks; track += 101) {
    std::vector<float> outputs(kSlots, 0.0f);  // silence, then what the track gave
    for (std::size_t i = 0; i < kGroups * 4; ++i) {
      const float sample = block[((i / 4 * tracks + track) * 4 + i % 4) % kPeriod];
      unsigned bits = 0;
      std::memcpy(&bits, &sample, sizeof(bits));
      outputs.push_back(0.5f * outputs[outputs.size() - delay_of(bits)] + sample);
    }
    double sum = 0.0;
    for (std::size_t i = outputs.size() - kSlots; i < outputs.size(); ++i) sum += outputs[i];
    expect_close("echo tracks", slow[track], sum, 1e-5, track);
  }
  passed("echo tracks");
}

}  // namespace

int main() {
  const unsigned blocks = static_cast<unsigned>(multiprocessors()) * kBlocksResident * kWaves;
  run_equal_pairs(blocks);
  run_echo_tracks(blocks);
}

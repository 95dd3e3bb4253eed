// SPDX-License-Identifier: Apache-2.0
//
// Chains of dependent instructions with too few warps to hide them. A block fills the shared memory
// of its multiprocessor with data that it needs, which leaves one warp for each scheduler, and that
// warp waits for its last result before every instruction. The twins interleave eight independent
// chains in each thread, with the same shared memory and the same few warps.
#include "resident.cuh"

constexpr unsigned kThreads = 128;
constexpr unsigned kChains = 8;  // for each thread
constexpr unsigned kLanes = 32;

constexpr unsigned kSamples = 50;        // of each orbit
constexpr unsigned kMapsPerSample = 13;  // applications of the map between two samples
constexpr std::size_t kSampleBytes = sizeof(float) * kChains * kSamples * kThreads;
constexpr unsigned kOrbitWaves = 8;

// The eighth Chebyshev polynomial, shrunk a little so that rounding cannot leave [-1, 1]: five
// dependent operations. fmaf rounds once wherever it runs, so the orbits, chaotic as they are, come
// out the same on the CPU.
__host__ __device__ inline float chebyshev(float x) {
  const float u = x * x;
  float y = fmaf(126.72f, u, -253.44f);
  y = fmaf(y, u, 158.4f);
  y = fmaf(y, u, -31.68f);
  return fmaf(y, u, 0.99f);
}

// Two passes, for which the samples are kept. samples: (kSamples) at a distance of stride.
__host__ __device__ inline float variance(const float* samples, unsigned stride) {
  float sum = 0.0f;
#pragma unroll 10
  for (unsigned s = 0; s < kSamples; ++s) sum += samples[s * stride];
  const float mean = sum * (1.0f / kSamples);
  float squares = 0.0f;
#pragma unroll 10
  for (unsigned s = 0; s < kSamples; ++s) {
    const float distance = samples[s * stride] - mean;
    squares = fmaf(distance, distance, squares);
  }
  return squares * (1.0f / kSamples);
}

// How much each orbit of the map spreads. A thread has eight orbits, one after the other.
// zoo: orbit_spreads plants dependency-latency, fixed by orbit_spreads_interleaved
__global__ __launch_bounds__(kThreads) void orbit_spreads(
    const float* __restrict__ starts,  // (gridDim.x, kChains, kThreads)
    float* __restrict__ spreads) {     // (gridDim.x, kChains, kThreads)
  extern __shared__ float samples[];   // (kChains, kSamples, kThreads)
  const unsigned first = blockIdx.x * kChains * kThreads + threadIdx.x;
  float* mine = samples + threadIdx.x;
  // All starts at once, so that no orbit waits for its own.
#pragma unroll
  for (unsigned c = 0; c < kChains; ++c) {
    mine[c * kSamples * kThreads] = starts[first + c * kThreads];
  }
#pragma unroll 1
  for (unsigned c = 0; c < kChains; ++c) {
    float* orbit = mine + c * kSamples * kThreads;
    float x = orbit[0];
#pragma unroll 1
    for (unsigned s = 0; s < kSamples; ++s) {
#pragma unroll
      for (unsigned map = 0; map < kMapsPerSample; ++map) x = chebyshev(x);
      orbit[s * kThreads] = x;
    }
  }
#pragma unroll 1
  for (unsigned c = 0; c < kChains; ++c) {
    spreads[first + c * kThreads] = variance(mine + c * kSamples * kThreads, kThreads);
  }
}

// zoo: orbit_spreads_interleaved fixes orbit_spreads
__global__ __launch_bounds__(kThreads) void orbit_spreads_interleaved(
    const float* __restrict__ starts,  // (gridDim.x, kChains, kThreads)
    float* __restrict__ spreads) {     // (gridDim.x, kChains, kThreads)
  extern __shared__ float samples[];   // (kChains, kSamples, kThreads)
  const unsigned first = blockIdx.x * kChains * kThreads + threadIdx.x;
  float* mine = samples + threadIdx.x;
  float x[kChains];
#pragma unroll
  for (unsigned c = 0; c < kChains; ++c) x[c] = starts[first + c * kThreads];
#pragma unroll 1
  for (unsigned s = 0; s < kSamples; ++s) {
#pragma unroll
    for (unsigned map = 0; map < kMapsPerSample; ++map) {
#pragma unroll
      for (unsigned c = 0; c < kChains; ++c) x[c] = chebyshev(x[c]);
    }
#pragma unroll
    for (unsigned c = 0; c < kChains; ++c) mine[(c * kSamples + s) * kThreads] = x[c];
  }
#pragma unroll 1
  for (unsigned c = 0; c < kChains; ++c) {
    spreads[first + c * kThreads] = variance(mine + c * kSamples * kThreads, kThreads);
  }
}

constexpr unsigned kRingRows = 1600;
constexpr unsigned kRingSteps = 2048;
constexpr std::size_t kRingBytes = sizeof(unsigned) * kRingRows * kLanes;
constexpr unsigned kRingVectors = kRingBytes / sizeof(uint4);

__device__ inline void stage_links(const uint4* __restrict__ links, uint4* staged) {
#pragma unroll 5
  for (unsigned i = threadIdx.x; i < kRingVectors; i += kThreads) staged[i] = links[i];
  __syncthreads();
}

// at: the place of a word in the table in bytes, which is also what the word there names.
__device__ inline unsigned follow_link(const uint4* staged, unsigned at) {
  return *reinterpret_cast<const unsigned*>(reinterpret_cast<const char*>(staged) + at);
}

// Each lane has a ring of links through its own column of the table, so that no two lanes meet in
// a bank. Eight walks a thread, one after the other.
// zoo: walk_rings plants dependency-latency, fixed by walk_rings_interleaved
__global__ __launch_bounds__(kThreads) void walk_rings(
    const uint4* __restrict__ links,      // (kRingRows, kLanes) words
    const unsigned* __restrict__ starts,  // (gridDim.x, kChains, kThreads)
    unsigned* __restrict__ ends) {        // (gridDim.x, kChains, kThreads)
  extern __shared__ uint4 staged[];       // (kRingVectors)
  stage_links(links, staged);
  const unsigned first = blockIdx.x * kChains * kThreads + threadIdx.x;
#pragma unroll 1
  for (unsigned c = 0; c < kChains; ++c) {
    unsigned at = starts[first + c * kThreads];
#pragma unroll 16
    for (unsigned step = 0; step < kRingSteps; ++step) at = follow_link(staged, at);
    ends[first + c * kThreads] = at;
  }
}

// zoo: walk_rings_interleaved fixes walk_rings
__global__ __launch_bounds__(kThreads) void walk_rings_interleaved(
    const uint4* __restrict__ links,      // (kRingRows, kLanes) words
    const unsigned* __restrict__ starts,  // (gridDim.x, kChains, kThreads)
    unsigned* __restrict__ ends) {        // (gridDim.x, kChains, kThreads)
  extern __shared__ uint4 staged[];       // (kRingVectors)
  stage_links(links, staged);
  const unsigned first = blockIdx.x * kChains * kThreads + threadIdx.x;
  unsigned at[kChains];
#pragma unroll
  for (unsigned c = 0; c < kChains; ++c) at[c] = starts[first + c * kThreads];
#pragma unroll 2
  for (unsigned step = 0; step < kRingSteps; ++step) {
#pragma unroll
    for (unsigned c = 0; c < kChains; ++c) at[c] = follow_link(staged, at[c]);
  }
#pragma unroll
  for (unsigned c = 0; c < kChains; ++c) ends[first + c * kThreads] = at[c];
}

namespace {

void run_orbit_spreads() {
  allow_shared(orbit_spreads, kSampleBytes);
  allow_shared(orbit_spreads_interleaved, kSampleBytes);
  const unsigned blocks = multiprocessors() * kOrbitWaves;
  const std::size_t count = std::size_t{blocks} * kChains * kThreads;
  const std::vector<float> host = random_floats(count, 31);
  DeviceBuffer<float> starts(host);    // (count)
  DeviceBuffer<float> spreads(count);  // (count)
  spreads.clear();
  orbit_spreads<<<blocks, kThreads, kSampleBytes>>>(starts.data(), spreads.data());
  finish_launch();
  const std::vector<float> slow = spreads.download();
  for (std::size_t i = 0; i < count; i += 4999) {
    float samples[kSamples];
    float x = host[i];
    for (float& sample : samples) {
      for (unsigned map = 0; map < kMapsPerSample; ++map) x = chebyshev(x);
      sample = x;
    }
    expect_close("orbit spreads", slow[i], variance(samples, 1), 1e-4, i);
  }
  passed("orbit spreads");

  spreads.clear();
  orbit_spreads_interleaved<<<blocks, kThreads, kSampleBytes>>>(starts.data(), spreads.data());
  finish_launch();
  expect_all_close("orbit spreads interleaved", spreads.download(), slow, 1e-5);
  passed("orbit spreads interleaved");
}

unsigned ring_place(unsigned row, unsigned lane) {
  return (row * kLanes + lane) * static_cast<unsigned>(sizeof(unsigned));
}

void run_walk_rings() {
  allow_shared(walk_rings, kRingBytes);
  allow_shared(walk_rings_interleaved, kRingBytes);
  const unsigned blocks = multiprocessors();
  const std::size_t count = std::size_t{blocks} * kChains * kThreads;

  // Sattolo's shuffle: one ring through all rows for each lane.
  std::vector<unsigned> links(kRingRows * kLanes);
  const std::vector<unsigned> draws = random_integers(links.size(), 1u << 31, 32);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    std::vector<unsigned> rows(kRingRows);
    for (unsigned row = 0; row < kRingRows; ++row) rows[row] = row;
    for (unsigned row = kRingRows - 1; row > 0; --row) {
      std::swap(rows[row], rows[draws[row * kLanes + lane] % row]);
    }
    for (unsigned row = 0; row < kRingRows; ++row) {
      links[row * kLanes + lane] = ring_place(rows[row], lane);
    }
  }
  std::vector<unsigned> host_starts = random_integers(count, kRingRows, 33);
  for (std::size_t i = 0; i < count; ++i) {
    host_starts[i] = ring_place(host_starts[i], static_cast<unsigned>(i % kLanes));
  }

  DeviceBuffer<unsigned> table(links);         // (kRingRows, kLanes)
  DeviceBuffer<unsigned> starts(host_starts);  // (count)
  DeviceBuffer<unsigned> ends(count);          // (count)
  const uint4* vectors = reinterpret_cast<const uint4*>(table.data());
  ends.clear();
  walk_rings<<<blocks, kThreads, kRingBytes>>>(vectors, starts.data(), ends.data());
  finish_launch();
  const std::vector<unsigned> slow = ends.download();
  for (std::size_t i = 0; i < count; i += 101) {
    unsigned at = host_starts[i];
    for (unsigned step = 0; step < kRingSteps; ++step) at = links[at / sizeof(unsigned)];
    expect_close("walk rings", slow[i], at, 0.0, i);
  }
  passed("walk rings");

  ends.clear();
  walk_rings_interleaved<<<blocks, kThreads, kRingBytes>>>(vectors, starts.data(), ends.data());
  finish_launch();
  expect_equal("walk rings interleaved", ends.download(), slow);
  passed("walk rings interleaved");
}

}  // namespace

int main() {
  run_orbit_spreads();
  run_walk_rings();
}

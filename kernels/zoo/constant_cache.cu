// SPDX-License-Identifier: Apache-2.0
//
// Constant memory used for what it is bad at. A load of it serves one address of a warp at a time,
// from a first-level cache of about 2 KiB: the first guise decodes symbols with a small table, each
// lane at an entry of its own; the second walks through 60 KiB, the lanes together but every warp
// elsewhere. The twins take the tables from shared memory, with a copy for each bank, and from
// global memory by way of L1.
#include "fill.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kWarp = 32;
constexpr unsigned kBlocksResident = 8;  // of 256 threads, the most that a multiprocessor holds

constexpr unsigned kSymbols = 64;
constexpr unsigned kVectorsAThread = 32;  // of sixteen symbols

constexpr unsigned kEntries = 15360;
constexpr unsigned kSteps = 128;
constexpr unsigned kStride = 1021;  // shares no factor with kEntries, and leaves the line

__constant__ float g_levels[kSymbols];
__constant__ float g_coefficients[kEntries];

// The lanes of a warp look up about 25 different entries at a time, one after the other.
// zoo: decode_symbols plants constant-cache, fixed by decode_symbols_shared
__global__ __launch_bounds__(kThreads) void decode_symbols(
    const uint4* __restrict__ symbols,  // (count), a byte a symbol, below kSymbols
    float* __restrict__ sums,           // (count)
    unsigned count) {
  const unsigned stride = gridDim.x * kThreads;
#pragma unroll 2
  for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < count; i += stride) {
    const uint4 loaded = symbols[i];
    const unsigned words[] = {loaded.x, loaded.y, loaded.z, loaded.w};
    float sum = 0.0f;
#pragma unroll
    for (const unsigned word : words) {
#pragma unroll
      for (unsigned shift = 0; shift < 32; shift += 8) sum += g_levels[(word >> shift) % kSymbols];
    }
    sums[i] = sum;
  }
}

// zoo: decode_symbols_shared fixes decode_symbols
__global__ __launch_bounds__(kThreads) void decode_symbols_shared(
    const uint4* __restrict__ symbols,  // (count), a byte a symbol, below kSymbols
    const float* __restrict__ levels,   // (kSymbols)
    float* __restrict__ sums,           // (count)
    unsigned count) {
  __shared__ float copies[kSymbols][kWarp];
  const unsigned lane = threadIdx.x % kWarp;
  for (unsigned i = threadIdx.x / kWarp; i < kSymbols; i += kThreads / kWarp) {
    copies[i][lane] = levels[i];
  }
  __syncthreads();
  const unsigned stride = gridDim.x * kThreads;
#pragma unroll 2
  for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < count; i += stride) {
    const uint4 loaded = symbols[i];
    const unsigned words[] = {loaded.x, loaded.y, loaded.z, loaded.w};
    float sum = 0.0f;
#pragma unroll
    for (const unsigned word : words) {
#pragma unroll
      for (unsigned shift = 0; shift < 32; shift += 8) {
        sum += copies[(word >> shift) % kSymbols][lane];
      }
    }
    sums[i] = sum;
  }
}

// Where a warp begins its walk.
__host__ __device__ inline unsigned first_entry(std::size_t thread) {
  return static_cast<unsigned>(thread / kWarp * 977 % kEntries);
}

__host__ __device__ inline unsigned next_entry(unsigned entry) {
  return entry + kStride < kEntries ? entry + kStride : entry + kStride - kEntries;
}

// zoo: walk_coefficients plants constant-cache, fixed by walk_coefficients_global
__global__ __launch_bounds__(kThreads) void walk_coefficients(
    const float* __restrict__ points,  // (count)
    float* __restrict__ results) {     // (count)
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const float at = points[i];
  unsigned entry = first_entry(i);
  float value = 0.0f;
#pragma unroll 4
  for (unsigned step = 0; step < kSteps; ++step) {
    value = fmaf(value, at, g_coefficients[entry]);
    entry = next_entry(entry);
  }
  results[i] = value;
}

// zoo: walk_coefficients_global fixes walk_coefficients
__global__ __launch_bounds__(kThreads) void walk_coefficients_global(
    const float* __restrict__ points,        // (count)
    const float* __restrict__ coefficients,  // (kEntries)
    float* __restrict__ results) {           // (count)
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const float at = points[i];
  unsigned entry = first_entry(i);
  float value = 0.0f;
#pragma unroll 4
  for (unsigned step = 0; step < kSteps; ++step) {
    value = fmaf(value, at, __ldg(&coefficients[entry]));
    entry = next_entry(entry);
  }
  results[i] = value;
}

namespace {

void run_decode_symbols() {
  const unsigned blocks = static_cast<unsigned>(multiprocessors()) * kBlocksResident;
  const unsigned count = blocks * kThreads * kVectorsAThread;
  const std::vector<float> host_levels = random_floats(kSymbols, 17);
  CHECK_CUDA(cudaMemcpyToSymbol(g_levels, host_levels.data(), kSymbols * sizeof(float)));
  DeviceBuffer<float> levels(host_levels);  // (kSymbols)
  const std::vector<unsigned> drawn = random_integers(kPeriod, kSymbols, 18);
  std::vector<unsigned char> block(kPeriod);
  for (std::size_t i = 0; i < kPeriod; ++i) block[i] = static_cast<unsigned char>(drawn[i]);
  DeviceBuffer<unsigned char> symbols(std::size_t{count} * sizeof(uint4));  // (count, 16)
  DeviceBuffer<float> sums(count);
  DeviceBuffer<float> sums_shared(count);
  fill_repeating(symbols, block);
  sums.clear();
  sums_shared.clear();
  const uint4* vectors = reinterpret_cast<const uint4*>(symbols.data());
  decode_symbols<<<blocks, kThreads>>>(vectors, sums.data(), count);
  finish_launch();
  decode_symbols_shared<<<blocks, kThreads>>>(vectors, levels.data(), sums_shared.data(), count);
  finish_launch();

  const std::vector<float> slow = sums.download();
  expect_equal("decode symbols, both ways", slow, sums_shared.download());
  for (std::size_t i = 0; i < count; i += 31) {
    double expected = 0.0;
    for (std::size_t j = 0; j < sizeof(uint4); ++j) {
      expected += host_levels[block[(i * sizeof(uint4) + j) % kPeriod]];
    }
    expect_close("decode symbols", slow[i], expected, 1e-5, i);
  }
  passed("decode symbols");
}

void run_walk_coefficients() {
  const unsigned blocks = static_cast<unsigned>(multiprocessors()) * kBlocksResident * 8;
  const std::size_t count = std::size_t{blocks} * kThreads;
  const std::vector<float> host_coefficients = random_floats(kEntries, 19);
  CHECK_CUDA(
      cudaMemcpyToSymbol(g_coefficients, host_coefficients.data(), kEntries * sizeof(float)));
  DeviceBuffer<float> coefficients(host_coefficients);  // (kEntries)
  const std::vector<float> block = random_floats(kPeriod, 20);
  DeviceBuffer<float> points(count);
  DeviceBuffer<float> results(count);
  DeviceBuffer<float> results_global(count);
  fill_repeating(points, block);
  results.clear();
  results_global.clear();
  walk_coefficients<<<blocks, kThreads>>>(points.data(), results.data());
  finish_launch();
  walk_coefficients_global<<<blocks, kThreads>>>(points.data(), coefficients.data(),
                                                 results_global.data());
  finish_launch();

  const std::vector<float> slow = results.download();
  expect_equal("walk coefficients, both ways", slow, results_global.download());
  for (std::size_t i = 0; i < count; i += 1009) {
    unsigned entry = first_entry(i);
    double value = 0.0;
    for (unsigned step = 0; step < kSteps; ++step) {
      value = value * block[i % kPeriod] + host_coefficients[entry];
      entry = next_entry(entry);
    }
    expect_close("walk coefficients", slow[i], value, 1e-5, i);
  }
  passed("walk coefficients");
}

}  // namespace

int main() {
  run_decode_symbols();
  run_walk_coefficients();
}

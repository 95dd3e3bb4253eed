// SPDX-License-Identifier: Apache-2.0
//
// Two kernels at the roof of shared memory's data path, 128 bytes a cycle and multiprocessor:
// moments of a tile in sixteen-byte loads, and a filter of complex samples in eight-byte loads. No
// access has bank conflicts, and the only barrier is the one after the tile has been filled.
#include <algorithm>

#include "../basics/check.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kResident = 6;  // blocks on a multiprocessor, as their shared memory allows
constexpr unsigned kLoads = 4;     // of a thread, under way at once
constexpr unsigned kHalfVectors = 1024;  // kLoads * kThreads, 16 KiB
constexpr unsigned kTileVectors = 2 * kHalfVectors;
constexpr unsigned kVisits = 896;  // of a block to a half of its tile
static_assert(kHalfVectors == kLoads * kThreads, "a block reads half a tile at once");

// half_step comes at run time, so that no load can be taken to repeat an earlier one.
// zoo: tile_moments is healthy at shared-bandwidth
__global__ __launch_bounds__(kThreads, kResident) void tile_moments(
    const float4* __restrict__ tiles,  // (blocks, kTileVectors)
    float4* __restrict__ moments,      // (blocks, kThreads)
    unsigned half_step) {
  __shared__ float4 tile[kTileVectors];
  for (unsigned i = threadIdx.x; i < kTileVectors; i += kThreads) {
    tile[i] = tiles[static_cast<std::size_t>(blockIdx.x) * kTileVectors + i];
  }
  __syncthreads();
  float4 moment = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  unsigned half = 0;
#pragma unroll 1
  for (unsigned visit = 0; visit < kVisits; ++visit) {
    const float4* from = tile + half * kHalfVectors + threadIdx.x;
    float4 held[kLoads];
#pragma unroll
    for (unsigned j = 0; j < kLoads; ++j) held[j] = from[j * kThreads];
#pragma unroll
    for (unsigned j = 0; j < kLoads; ++j) {
      moment.x = fmaf(held[j].x, held[j].x, moment.x);
      moment.y = fmaf(held[j].y, held[j].y, moment.y);
      moment.z = fmaf(held[j].z, held[j].z, moment.z);
      moment.w = fmaf(held[j].w, held[j].w, moment.w);
    }
    half = (half + half_step) % 2;
  }
  moments[blockIdx.x * kThreads + threadIdx.x] = moment;
}

constexpr unsigned kTaps = 128;
constexpr unsigned kOutputs = 4096;  // of a block
constexpr unsigned kFilterWaves = 4;
static_assert(kOutputs % kThreads == 0 && kTaps % 2 == 0, "tiles are whole vectors");

__constant__ float taps[kTaps];

// Eight bytes a lane: four would ask as much of the load instructions' rate as of the data path.
// zoo: filter_complex is healthy at shared-bandwidth
__global__ __launch_bounds__(kThreads, kResident) void filter_complex(
    const float2* __restrict__ samples,  // (blocks * kOutputs + kTaps)
    float2* __restrict__ filtered) {     // (blocks * kOutputs)
  __shared__ __align__(16) float2 window[kOutputs + kTaps];
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * kOutputs;
  const float4* from = reinterpret_cast<const float4*>(samples + first);
  float4* to = reinterpret_cast<float4*>(window);
  for (unsigned i = threadIdx.x; i < (kOutputs + kTaps) / 2; i += kThreads) to[i] = from[i];
  __syncthreads();
#pragma unroll 1
  for (unsigned at = threadIdx.x; at < kOutputs; at += kThreads) {
    float2 sum = make_float2(0.0f, 0.0f);
#pragma unroll
    for (unsigned k = 0; k < kTaps; ++k) {
      const float2 sample = window[at + k];
      sum.x = fmaf(taps[k], sample.x, sum.x);
      sum.y = fmaf(taps[k], sample.y, sum.y);
    }
    filtered[first + at] = sum;
  }
}

namespace {

void prefer_shared_memory(const void* kernel) {
  CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                  cudaSharedmemCarveoutMaxShared));
}

void run_tile_moments() {
  constexpr unsigned kHalfStep = 1;
  const unsigned blocks = multiprocessors() * kResident;
  const std::size_t tile_floats = 4 * kTileVectors;
  // Whole numbers, so that the sums are exact in any order.
  std::vector<float> host;
  host.reserve(tile_floats * blocks);
  for (const unsigned value : random_integers(tile_floats * blocks, 16, 9)) {
    host.push_back(static_cast<float>(value) - 8.0f);
  }
  DeviceBuffer<float> tiles(host);                                  // (blocks, tile_floats)
  DeviceBuffer<float> moments(std::size_t{4} * kThreads * blocks);  // (blocks, kThreads, 4)
  moments.clear();
  prefer_shared_memory(reinterpret_cast<const void*>(tile_moments));
  tile_moments<<<blocks, kThreads>>>(reinterpret_cast<const float4*>(tiles.data()),
                                     reinterpret_cast<float4*>(moments.data()), kHalfStep);
  finish_launch();
  const std::vector<float> actual = moments.download();
  for (std::size_t i = 0; i < actual.size(); i += 1009) {
    const std::size_t block = i / (4 * kThreads);
    const std::size_t lane = i % (4 * kThreads);
    unsigned half = 0;
    float expected = 0.0f;
    for (unsigned visit = 0; visit < kVisits; ++visit) {
      for (unsigned j = 0; j < kLoads; ++j) {
        const float value =
            host[block * tile_floats + 4 * (half * kHalfVectors + j * kThreads) + lane];
        expected += value * value;
      }
      half = (half + kHalfStep) % 2;
    }
    expect_close("tile moments", actual[i], expected, 0.0, i);
  }
  passed("tile moments");
}

void run_filter_complex() {
  const unsigned blocks = multiprocessors() * kResident * kFilterWaves;
  const std::size_t outputs = static_cast<std::size_t>(kOutputs) * blocks;
  const std::size_t floats = 2 * (outputs + kTaps);
  // The signal repeats a block of noise, which spares the host the making of all of it.
  constexpr std::size_t kPeriod = (std::size_t{1} << 20) + 2 * 12345;  // floats
  const std::vector<float> noise = random_floats(kPeriod, 10);
  const std::vector<float> host_taps = random_floats(kTaps, 11);
  DeviceBuffer<float> samples(floats);        // (outputs + kTaps, 2)
  DeviceBuffer<float> filtered(2 * outputs);  // (outputs, 2)
  for (std::size_t first = 0; first < floats; first += kPeriod) {
    const std::size_t piece = std::min(kPeriod, floats - first);
    CHECK_CUDA(cudaMemcpy(samples.data() + first, noise.data(), piece * sizeof(float),
                          cudaMemcpyHostToDevice));
  }
  filtered.clear();
  CHECK_CUDA(cudaMemcpyToSymbol(taps, host_taps.data(), kTaps * sizeof(float)));
  prefer_shared_memory(reinterpret_cast<const void*>(filter_complex));
  filter_complex<<<blocks, kThreads>>>(reinterpret_cast<const float2*>(samples.data()),
                                       reinterpret_cast<float2*>(filtered.data()));
  finish_launch();
  const std::vector<float> actual = filtered.download();
  for (std::size_t i = 0; i < actual.size(); i += 10007) {
    double expected = 0.0;
    for (std::size_t k = 0; k < kTaps; ++k) {
      expected += static_cast<double>(host_taps[k]) * noise[(i + 2 * k) % kPeriod];
    }
    expect_close("filter complex", actual[i], expected, 1e-4, i);
  }
  passed("filter complex");
}

}  // namespace

int main() {
  run_tile_moments();
  run_filter_complex();
}

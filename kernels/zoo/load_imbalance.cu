// SPDX-License-Identifier: Apache-2.0
//
// Blocks of very different length. Every multiprocessor gets as many blocks as every other and all
// warps of a block do the same, but some blocks have many times the work, and most of the GPU waits
// for them. The twins deal the same work out evenly.
#include "resident.cuh"

constexpr unsigned kTargets = 1024;  // of a group, one for each thread
constexpr unsigned kSources = 28;    // of a group; more than half of the shared memory in all

// The sources of the groups up to the target's own, weighted by a smooth kernel of compact support.
template <typename Real>
__host__ __device__ inline Real density(const float4* sources, unsigned count, float4 target) {
  Real sum = 0;
#pragma unroll 4
  for (unsigned i = 0; i < count; ++i) {
    const float4 source = sources[i];
    const Real x = source.x - target.x;
    const Real y = source.y - target.y;
    const Real z = source.z - target.z;
    Real closeness = Real(1) - x * x - y * y - z * z;
    closeness = closeness > Real(0) ? closeness : Real(0);
    sum += source.w * closeness * closeness;
  }
  return sum;
}

__device__ inline void stage_sources(const float4* __restrict__ sources, float4* staged,
                                     unsigned groups) {
  for (unsigned i = threadIdx.x; i < groups * kSources; i += kTargets) staged[i] = sources[i];
  __syncthreads();
}

__device__ inline void write_densities(const float4* staged, const float4* __restrict__ targets,
                                       float* __restrict__ densities, unsigned group) {
  const unsigned i = group * kTargets + threadIdx.x;
  densities[i] = density<float>(staged, (group + 1) * kSources, targets[i]);
}

// A triangle: the further down its two groups, the more sources a block has.
// zoo: sum_densities plants load-imbalance, fixed by sum_densities_paired
__global__ __launch_bounds__(kTargets) void sum_densities(
    const float4* __restrict__ sources,  // (2 * gridDim.x, kSources)
    const float4* __restrict__ targets,  // (2 * gridDim.x, kTargets)
    float* __restrict__ densities) {     // (2 * gridDim.x, kTargets)
  extern __shared__ float4 staged[];     // (2 * gridDim.x, kSources)
  stage_sources(sources, staged, 2 * gridDim.x);
  write_densities(staged, targets, densities, 2 * blockIdx.x);
  write_densities(staged, targets, densities, 2 * blockIdx.x + 1);
}

// A block has one group from the top and its counterpart from the bottom.
// zoo: sum_densities_paired fixes sum_densities
__global__ __launch_bounds__(kTargets) void sum_densities_paired(
    const float4* __restrict__ sources,  // (2 * gridDim.x, kSources)
    const float4* __restrict__ targets,  // (2 * gridDim.x, kTargets)
    float* __restrict__ densities) {     // (2 * gridDim.x, kTargets)
  extern __shared__ float4 staged[];     // (2 * gridDim.x, kSources)
  stage_sources(sources, staged, 2 * gridDim.x);
  write_densities(staged, targets, densities, blockIdx.x);
  write_densities(staged, targets, densities, 2 * gridDim.x - 1 - blockIdx.x);
}

constexpr unsigned kRowThreads = 256;
constexpr unsigned kRowBlocksResident = 8;  // of 256 threads, the most that a multiprocessor holds
constexpr unsigned kOperations = 1024;
constexpr unsigned kUsualRows = 8;  // of a segment
constexpr unsigned kLongSegments = 16;
constexpr unsigned kExtraRows = 3;  // for each block, if they were dealt out: the long ones' excess

__host__ __device__ inline float settle(float start) {
  float value = start;
#pragma unroll 16
  for (unsigned i = 0; i < kOperations; ++i) value = fmaf(value, -0.9921875f, start);
  return value;
}

// Rows [begin, end), one after the other, the next of them loaded ahead.
__device__ inline void settle_rows(const float* __restrict__ rows, float* __restrict__ settled,
                                   unsigned begin, unsigned end) {
  float next = rows[begin * kRowThreads + threadIdx.x];
#pragma unroll 1
  for (unsigned row = begin; row < end; ++row) {
    const float start = next;
    if (row + 1 < end) next = rows[(row + 1) * kRowThreads + threadIdx.x];
    settled[row * kRowThreads + threadIdx.x] = settle(start);
  }
}

// A block has the rows of its segment, and a few segments are twenty-five times as long as the
// others.
// zoo: settle_segments plants load-imbalance, fixed by settle_segments_evenly
__global__ __launch_bounds__(kRowThreads, kRowBlocksResident) void settle_segments(
    const float* __restrict__ rows,         // (row_count, kRowThreads)
    const unsigned* __restrict__ segments,  // (gridDim.x + 1): where each begins; none is empty
    float* __restrict__ settled) {          // (row_count, kRowThreads)
  settle_rows(rows, settled, segments[blockIdx.x], segments[blockIdx.x + 1]);
}

// The rows do not need their segments, so each block takes as many as every other.
// zoo: settle_segments_evenly fixes settle_segments
__global__ __launch_bounds__(kRowThreads, kRowBlocksResident) void settle_segments_evenly(
    const float* __restrict__ rows,         // (row_count, kRowThreads)
    const unsigned* __restrict__ segments,  // (gridDim.x + 1)
    float* __restrict__ settled) {          // (row_count, kRowThreads)
  const unsigned row_count = segments[gridDim.x];
  settle_rows(rows, settled, row_count * blockIdx.x / gridDim.x,
              row_count * (blockIdx.x + 1) / gridDim.x);
}

namespace {

void run_sum_densities() {
  const unsigned blocks = multiprocessors();
  const unsigned groups = 2 * blocks;
  const std::size_t shared_bytes = sizeof(float4) * groups * kSources;
  allow_shared(sum_densities, shared_bytes);
  allow_shared(sum_densities_paired, shared_bytes);
  const std::vector<float> host_sources = random_floats(std::size_t{groups} * kSources * 4, 111);
  const std::vector<float> host_targets = random_floats(std::size_t{groups} * kTargets * 4, 112);
  DeviceBuffer<float> sources(host_sources);                      // (groups, kSources, 4)
  DeviceBuffer<float> targets(host_targets);                      // (groups, kTargets, 4)
  DeviceBuffer<float> densities(std::size_t{groups} * kTargets);  // (groups, kTargets)
  const float4* source_vectors = reinterpret_cast<const float4*>(sources.data());
  const float4* target_vectors = reinterpret_cast<const float4*>(targets.data());
  densities.clear();
  sum_densities<<<blocks, kTargets, shared_bytes>>>(source_vectors, target_vectors,
                                                    densities.data());
  finish_launch();
  const std::vector<float> slow = densities.download();
  std::vector<float4> vectors(std::size_t{groups} * kSources);
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const float* v = &host_sources[4 * i];
    vectors[i] = make_float4(v[0], v[1], v[2], v[3]);
  }
  for (std::size_t i = 0; i < slow.size(); i += 499) {
    const float* v = &host_targets[4 * i];
    const unsigned count = (static_cast<unsigned>(i / kTargets) + 1) * kSources;
    const double expected =
        density<double>(vectors.data(), count, make_float4(v[0], v[1], v[2], v[3]));
    expect_close("sum densities", slow[i], expected, 1e-3, i);
  }
  passed("sum densities");

  densities.clear();
  sum_densities_paired<<<blocks, kTargets, shared_bytes>>>(source_vectors, target_vectors,
                                                           densities.data());
  finish_launch();
  expect_all_close("sum densities paired", densities.download(), slow, 1e-4);
  passed("sum densities paired");
}

void run_settle_segments() {
  const unsigned blocks = multiprocessors() * kRowBlocksResident;
  REQUIRE(blocks >= kLongSegments * kLongSegments, "the long segments are far apart");
  // The long segments are an odd number of blocks apart, so that they fall to different
  // multiprocessors.
  const unsigned apart = blocks / kLongSegments / 2 * 2 - 1;
  const unsigned extra = blocks * kExtraRows / kLongSegments;
  std::vector<unsigned> host_segments(blocks + 1);
  for (unsigned block = 0; block < blocks; ++block) {
    const bool is_long = block % apart == 0 && block / apart < kLongSegments;
    host_segments[block + 1] = host_segments[block] + kUsualRows + (is_long ? extra : 0);
  }
  const unsigned row_count = host_segments[blocks];
  const std::vector<float> host = random_floats(std::size_t{row_count} * kRowThreads, 113);
  DeviceBuffer<unsigned> segments(host_segments);  // (blocks + 1)
  DeviceBuffer<float> rows(host);                  // (row_count, kRowThreads)
  DeviceBuffer<float> settled(host.size());        // (row_count, kRowThreads)
  settled.clear();
  settle_segments<<<blocks, kRowThreads>>>(rows.data(), segments.data(), settled.data());
  finish_launch();
  const std::vector<float> slow = settled.download();
  for (std::size_t i = 0; i < slow.size(); i += 4001) {
    expect_close("settle segments", slow[i], settle(host[i]), 1e-6, i);
  }
  passed("settle segments");

  settled.clear();
  settle_segments_evenly<<<blocks, kRowThreads>>>(rows.data(), segments.data(), settled.data());
  finish_launch();
  expect_equal("settle segments evenly", settled.download(), slow);
  passed("settle segments evenly");
}

}  // namespace

int main() {
  run_sum_densities();
  run_settle_segments();
}

// SPDX-License-Identifier: Apache-2.0
//
// Grids of two fifths of the blocks that the GPU can hold. In the first guise a block fills a
// multiprocessor, so that most of them have nothing to do; in the second every multiprocessor has
// blocks, but less than half of those that would hide the latency of its loads. The twins run the
// same loops over the same work on grids that fill the GPU.
#include "resident.cuh"

constexpr unsigned kPartOf = 5;  // the small grids are kPart / kPartOf of a wave
constexpr unsigned kPart = 2;

constexpr unsigned kSeriesThreads = 512;
constexpr unsigned kPoints = 4;  // of a thread at a time
constexpr unsigned kSeries = 30;
constexpr unsigned kTerms = 1024;           // of a series
constexpr unsigned kGroupsAProcessor = 10;  // groups of points for each multiprocessor of the GPU
constexpr unsigned kSeriesBytes = kSeries * kTerms * sizeof(float);

// All series in shared memory, which leaves room for one block. Each group of points has a series
// of its own.
__device__ inline void evaluate_groups(const float4* __restrict__ series,
                                       const float4* __restrict__ points,
                                       float4* __restrict__ values, unsigned groups) {
  extern __shared__ float4 terms[];  // (kSeries, kTerms / 4)
  for (unsigned i = threadIdx.x; i < kSeries * kTerms / 4; i += kSeriesThreads) {
    terms[i] = series[i];
  }
  __syncthreads();
#pragma unroll 1
  for (unsigned group = blockIdx.x; group < groups; group += gridDim.x) {
    const float4 point = points[group * kSeriesThreads + threadIdx.x];
    const float x[kPoints] = {point.x, point.y, point.z, point.w};
    float y[kPoints] = {};
    const float4* mine = terms + group % kSeries * (kTerms / 4);
#pragma unroll 4
    for (unsigned k = 0; k < kTerms / 4; ++k) {
      const float4 four = mine[k];
#pragma unroll
      for (unsigned p = 0; p < kPoints; ++p) y[p] = fmaf(y[p], x[p], four.x);
#pragma unroll
      for (unsigned p = 0; p < kPoints; ++p) y[p] = fmaf(y[p], x[p], four.y);
#pragma unroll
      for (unsigned p = 0; p < kPoints; ++p) y[p] = fmaf(y[p], x[p], four.z);
#pragma unroll
      for (unsigned p = 0; p < kPoints; ++p) y[p] = fmaf(y[p], x[p], four.w);
    }
    values[group * kSeriesThreads + threadIdx.x] = make_float4(y[0], y[1], y[2], y[3]);
  }
}

// zoo: evaluate_series plants small-grid, fixed by evaluate_series_wide
__global__ __launch_bounds__(kSeriesThreads, 1) void evaluate_series(
    const float4* __restrict__ series,  // (kSeries, kTerms / 4)
    const float4* __restrict__ points,  // (groups, kSeriesThreads)
    float4* __restrict__ values,        // (groups, kSeriesThreads)
    unsigned groups) {
  evaluate_groups(series, points, values, groups);
}

// zoo: evaluate_series_wide fixes evaluate_series
__global__ __launch_bounds__(kSeriesThreads, 1) void evaluate_series_wide(
    const float4* __restrict__ series,  // (kSeries, kTerms / 4)
    const float4* __restrict__ points,  // (groups, kSeriesThreads)
    float4* __restrict__ values,        // (groups, kSeriesThreads)
    unsigned groups) {
  evaluate_groups(series, points, values, groups);
}

constexpr unsigned kWalkThreads = 256;
constexpr unsigned kWalkBlocks = 8;  // of 256 threads, the most that a multiprocessor holds
constexpr unsigned kLanes = 32;
constexpr unsigned kRecords = 1u << 17;  // of 128 bytes; the L2 holds them all
constexpr unsigned kSteps = 64;          // of a walk
constexpr unsigned kWalksAWarp = 5;      // of the twin

// A warp follows a chain of records, a line each; the first word of a record names the next.
__device__ inline void walk_all(const unsigned* __restrict__ records,
                                const unsigned* __restrict__ starts, unsigned* __restrict__ sums,
                                unsigned walks) {
  const unsigned lane = threadIdx.x % kLanes;
  const unsigned warps = gridDim.x * kWalkThreads / kLanes;
#pragma unroll 1
  for (unsigned walk = (blockIdx.x * kWalkThreads + threadIdx.x) / kLanes; walk < walks;
       walk += warps) {
    unsigned at = starts[walk];
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned step = 0; step < kSteps; ++step) {
      const unsigned word = records[at * kLanes + lane];
      at = __shfl_sync(0xffffffffu, word, 0);
      sum += word;
    }
    sums[walk * kLanes + lane] = sum;
  }
}

// zoo: walk_records plants small-grid or memory-latency, fixed by walk_records_wide
__global__ __launch_bounds__(kWalkThreads, kWalkBlocks) void walk_records(
    const unsigned* __restrict__ records,  // (kRecords, kLanes)
    const unsigned* __restrict__ starts,   // (walks)
    unsigned* __restrict__ sums,           // (walks, kLanes)
    unsigned walks) {
  walk_all(records, starts, sums, walks);
}

// zoo: walk_records_wide fixes walk_records
__global__ __launch_bounds__(kWalkThreads, kWalkBlocks) void walk_records_wide(
    const unsigned* __restrict__ records,  // (kRecords, kLanes)
    const unsigned* __restrict__ starts,   // (walks)
    unsigned* __restrict__ sums,           // (walks, kLanes)
    unsigned walks) {
  walk_all(records, starts, sums, walks);
}

namespace {

void run_evaluate_series() {
  const unsigned wide = multiprocessors();
  const unsigned groups = wide * kGroupsAProcessor;
  const std::vector<float> host_series = random_floats(kSeries * kTerms, 161);
  std::vector<float> host_points =
      random_floats(std::size_t{groups} * kSeriesThreads * kPoints, 162);
  for (float& point : host_points) point *= 1.9f;  // inside the circle of convergence
  DeviceBuffer<float> series(host_series);         // (kSeries, kTerms)
  DeviceBuffer<float> points(host_points);         // (groups, kSeriesThreads, kPoints)
  DeviceBuffer<float> values(host_points.size());  // (groups, kSeriesThreads, kPoints)
  const float4* terms = reinterpret_cast<const float4*>(series.data());
  const float4* source = reinterpret_cast<const float4*>(points.data());
  float4* target = reinterpret_cast<float4*>(values.data());
  allow_shared(evaluate_series, kSeriesBytes);
  allow_shared(evaluate_series_wide, kSeriesBytes);
  values.clear();
  evaluate_series<<<wide * kPart / kPartOf, kSeriesThreads, kSeriesBytes>>>(terms, source, target,
                                                                            groups);
  finish_launch();
  const std::vector<float> slow = values.download();
  for (std::size_t i = 0; i < slow.size(); i += 997) {
    const std::size_t which = i / (kSeriesThreads * kPoints) % kSeries;
    double expected = 0.0;
    for (std::size_t k = 0; k < kTerms; ++k) {
      expected = expected * host_points[i] + host_series[which * kTerms + k];
    }
    expect_close("evaluate series", slow[i], expected, 1e-4, i);
  }
  passed("evaluate series");

  values.clear();
  evaluate_series_wide<<<wide, kSeriesThreads, kSeriesBytes>>>(terms, source, target, groups);
  finish_launch();
  expect_equal("evaluate series wide", values.download(), slow);
  passed("evaluate series wide");
}

// A full-period generator: from any record the chain visits every other one before it returns.
unsigned next_record(unsigned record) { return (record * 1664525u + 1013904223u) % kRecords; }

unsigned record_word(unsigned record, unsigned lane) {
  return lane == 0 ? next_record(record) : record * 2654435761u + lane * 2246822519u;
}

void run_walk_records() {
  const unsigned wide = multiprocessors() * kWalkBlocks;
  const unsigned walks = wide * (kWalkThreads / kLanes) * kWalksAWarp;
  std::vector<unsigned> host_records(std::size_t{kRecords} * kLanes);
  for (unsigned record = 0; record < kRecords; ++record) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      host_records[std::size_t{record} * kLanes + lane] = record_word(record, lane);
    }
  }
  const std::vector<unsigned> host_starts = random_integers(walks, kRecords, 163);
  DeviceBuffer<unsigned> records(host_records);  // (kRecords, kLanes)
  DeviceBuffer<unsigned> starts(host_starts);    // (walks)
  DeviceBuffer<unsigned> sums(std::size_t{walks} * kLanes);
  sums.clear();
  walk_records<<<wide * kPart / kPartOf, kWalkThreads>>>(records.data(), starts.data(), sums.data(),
                                                         walks);
  finish_launch();
  const std::vector<unsigned> slow = sums.download();
  for (unsigned walk = 0; walk < walks; walk += 97) {
    std::vector<unsigned> expected(kLanes);
    unsigned record = host_starts[walk];
    for (unsigned step = 0; step < kSteps; ++step) {
      for (unsigned lane = 0; lane < kLanes; ++lane) expected[lane] += record_word(record, lane);
      record = next_record(record);
    }
    const auto first = slow.begin() + std::size_t{walk} * kLanes;
    expect_equal("walk records", std::vector<unsigned>(first, first + kLanes), expected);
  }
  passed("walk records");

  sums.clear();
  walk_records_wide<<<wide, kWalkThreads>>>(records.data(), starts.data(), sums.data(), walks);
  finish_launch();
  expect_equal("walk records wide", sums.download(), slow);
  passed("walk records wide");
}

}  // namespace

int main() {
  run_evaluate_series();
  run_walk_records();
}

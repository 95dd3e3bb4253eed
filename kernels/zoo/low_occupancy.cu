// SPDX-License-Identifier: Apache-2.0
//
// Too few warps to hide the latency of memory. In the first guise blocks are small and their shared
// memory is large, in the second a thread needs most of the registers that it can have; either way
// eight warps are resident, each with one load on its way. The twins need less of what is short,
// and more blocks fit.
#include "fill.cuh"
#include "resident.cuh"

constexpr unsigned kLanes = 32;
constexpr unsigned kFull = 0xffffffffu;

constexpr unsigned kRowThreads = 128;
constexpr unsigned kRowWarps = kRowThreads / kLanes;
constexpr unsigned kRowVectors = 512;  // float4 of a row: 8 KiB
constexpr unsigned kBatch = 12;        // rows that a block treats
constexpr std::size_t kRowBytes = sizeof(float4) * kRowVectors;
constexpr unsigned kRowBlocksResident = 2;  // with a batch in shared memory
constexpr unsigned kRowWaves = 8;

// Copies a row to shared memory and returns the block's sum of it; sums: one for each warp. The
// loop is rolled: one load is on its way.
__device__ inline float stage_row(const float4* __restrict__ row, float4* staged, float* sums) {
  float sum = 0.0f;
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < kRowVectors; i += kRowThreads) {
    const float4 v = row[i];
    staged[i] = v;
    sum += v.x + v.y + (v.z + v.w);
  }
#pragma unroll
  for (unsigned distance = kLanes / 2; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(kFull, sum, distance);
  }
  if (threadIdx.x % kLanes == 0) sums[threadIdx.x / kLanes] = sum;
  __syncthreads();
  return sums[0] + sums[1] + (sums[2] + sums[3]);
}

__device__ inline void write_centred(const float4* staged, float mean, float4* __restrict__ row) {
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < kRowVectors; i += kRowThreads) {
    const float4 v = staged[i];
    row[i] = make_float4(v.x - mean, v.y - mean, v.z - mean, v.w - mean);
  }
}

constexpr float kPerRow = 1.0f / (kRowVectors * 4);

// Takes the mean of each row off it. A block keeps all the rows of its batch in shared memory until
// the last one has come.
// zoo: centre_rows plants low-occupancy, fixed by centre_rows_singly
__global__ __launch_bounds__(kRowThreads) void centre_rows(
    const float4* __restrict__ rows,  // (gridDim.x, kBatch, kRowVectors)
    float4* __restrict__ centred) {   // (gridDim.x, kBatch, kRowVectors)
  extern __shared__ float4 staged[];  // (kBatch, kRowVectors)
  __shared__ float sums[kBatch][kRowWarps];
  __shared__ float means[kBatch];
  const unsigned first = blockIdx.x * kBatch;
#pragma unroll 1
  for (unsigned r = 0; r < kBatch; ++r) {
    const float sum =
        stage_row(rows + (first + r) * kRowVectors, staged + r * kRowVectors, sums[r]);
    if (threadIdx.x == 0) means[r] = sum * kPerRow;
  }
  __syncthreads();
#pragma unroll 1
  for (unsigned r = 0; r < kBatch; ++r) {
    write_centred(staged + r * kRowVectors, means[r], centred + (first + r) * kRowVectors);
  }
}

// Each row is written before the next is read, so that one row of shared memory is enough.
// zoo: centre_rows_singly fixes centre_rows
__global__ __launch_bounds__(kRowThreads) void centre_rows_singly(
    const float4* __restrict__ rows,  // (gridDim.x, kBatch, kRowVectors)
    float4* __restrict__ centred) {   // (gridDim.x, kBatch, kRowVectors)
  __shared__ float4 staged[kRowVectors];
  __shared__ float sums[kRowWarps];
  const unsigned first = blockIdx.x * kBatch;
#pragma unroll 1
  for (unsigned r = 0; r < kBatch; ++r) {
    const float sum = stage_row(rows + (first + r) * kRowVectors, staged, sums);
    write_centred(staged, sum * kPerRow, centred + (first + r) * kRowVectors);
    __syncthreads();
  }
}

constexpr unsigned kSeriesThreads = 256;
constexpr unsigned kSeason = 192;  // readings of a season, for each of which a sum is kept
constexpr unsigned kSeasons = 2;
constexpr unsigned kSlice = 32;  // of the season, for the twin
constexpr unsigned kSeriesWaves = 2;

// Adds kPart readings of each season, beginning with the given one, until the first negative one,
// which ends all series. Since each reading may be the last, the next is not loaded before it.
template <unsigned kPart>
__device__ __forceinline__ void add_seasons(const float* __restrict__ reading, unsigned count,
                                            float (&sums)[kPart]) {
  while (true) {
#pragma unroll
    for (unsigned i = 0; i < kPart; ++i) {
      const float value = *reading;
      if (__any_sync(kFull, value < 0.0f)) return;
      sums[i] += value;
      reading += count;
    }
    reading += (kSeason - kPart) * static_cast<std::size_t>(count);
  }
}

// For each series the sums over the seasons, all held in registers. A thread has a series.
// zoo: season_sums plants low-occupancy, fixed by season_sums_sliced
__global__ __launch_bounds__(kSeriesThreads) void season_sums(
    const float* __restrict__ readings,  // (kSeasons + 1, kSeason, count)
    float* __restrict__ totals,          // (kSeason, count)
    unsigned count) {
  const unsigned series = blockIdx.x * kSeriesThreads + threadIdx.x;
  float sums[kSeason] = {};
  add_seasons(readings + series, count, sums);
#pragma unroll
  for (unsigned i = 0; i < kSeason; ++i) totals[i * count + series] = sums[i];
}

// A thread has a sixth of the season, and six times as many threads do the work.
// zoo: season_sums_sliced fixes season_sums
__global__ __launch_bounds__(kSeriesThreads) void season_sums_sliced(
    const float* __restrict__ readings,  // (kSeasons + 1, kSeason, count)
    float* __restrict__ totals,          // (kSeason, count)
    unsigned count) {
  const unsigned series = blockIdx.x * kSeriesThreads + threadIdx.x;
  const unsigned first = blockIdx.y * kSlice;
  float sums[kSlice] = {};
  add_seasons(readings + first * count + series, count, sums);
#pragma unroll
  for (unsigned i = 0; i < kSlice; ++i) totals[(first + i) * count + series] = sums[i];
}

namespace {

void run_centre_rows() {
  constexpr std::size_t kBatchBytes = kBatch * kRowBytes;
  constexpr std::size_t kRowFloats = kRowBytes / sizeof(float);
  allow_shared(centre_rows, kBatchBytes);
  const unsigned blocks = multiprocessors() * kRowBlocksResident * kRowWaves;
  const std::size_t row_count = std::size_t{blocks} * kBatch;
  const std::vector<float> block = random_floats(kPeriod, 71);
  DeviceBuffer<float> rows(row_count * kRowFloats);     // (row_count, kRowFloats)
  DeviceBuffer<float> centred(row_count * kRowFloats);  // (row_count, kRowFloats)
  fill_repeating(rows, block);
  const float4* source = reinterpret_cast<const float4*>(rows.data());
  float4* target = reinterpret_cast<float4*>(centred.data());
  centred.clear();
  centre_rows<<<blocks, kRowThreads, kBatchBytes>>>(source, target);
  finish_launch();
  const std::vector<float> slow = centred.download();
  for (std::size_t row = 0; row < row_count; row += 97) {
    double mean = 0.0;
    for (std::size_t i = 0; i < kRowFloats; ++i) mean += block[(row * kRowFloats + i) % kPeriod];
    mean /= kRowFloats;
    for (std::size_t i = 0; i < kRowFloats; ++i) {
      const std::size_t at = row * kRowFloats + i;
      expect_close("centre rows", slow[at], block[at % kPeriod] - mean, 1e-5, at);
    }
  }
  passed("centre rows");

  centred.clear();
  centre_rows_singly<<<blocks, kRowThreads>>>(source, target);
  finish_launch();
  expect_all_close("centre rows singly", centred.download(), slow, 1e-6);
  passed("centre rows singly");
}

void run_season_sums() {
  const unsigned blocks =
      multiprocessors() * resident_blocks(season_sums, kSeriesThreads) * kSeriesWaves;
  const unsigned count = blocks * kSeriesThreads;
  const std::size_t last = std::size_t{kSeasons} * kSeason * count;  // the first past the end
  std::vector<float> block = random_floats(kPeriod, 72);
  for (float& value : block) value += 0.5f;                           // no end among them
  DeviceBuffer<float> readings(last + std::size_t{kSeason} * count);  // (seasons, kSeason, count)
  DeviceBuffer<float> totals(std::size_t{kSeason} * count);           // (kSeason, count)
  fill_repeating(readings, block);
  // Bytes of 0xbf make floats of -1.5: the end, wherever in the season a thread looks for it.
  CHECK_CUDA(
      cudaMemset(readings.data() + last, 0xbf, std::size_t{kSeason} * count * sizeof(float)));
  totals.clear();
  season_sums<<<blocks, kSeriesThreads>>>(readings.data(), totals.data(), count);
  finish_launch();
  const std::vector<float> slow = totals.download();
  for (std::size_t i = 0; i < slow.size(); i += 1013) {
    double expected = 0.0;
    for (std::size_t season = 0; season < kSeasons; ++season) {
      expected += block[(season * kSeason * count + i) % kPeriod];
    }
    expect_close("season sums", slow[i], expected, 1e-6, i);
  }
  passed("season sums");

  totals.clear();
  season_sums_sliced<<<dim3(blocks, kSeason / kSlice), kSeriesThreads>>>(readings.data(),
                                                                         totals.data(), count);
  finish_launch();
  expect_equal("season sums sliced", totals.download(), slow);
  passed("season sums sliced");
}

}  // namespace

int main() {
  run_centre_rows();
  run_season_sums();
}

// SPDX-License-Identifier: Apache-2.0
//
// Shared memory read and written along a stride that is a multiple of a power of two, so that the
// lanes of a warp meet in few banks: tiles that are turned over and over, and a prefix sum in which
// every thread walks a run of sixteen neighbours. The twins pad the layout and change nothing else.
#include "fill.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kWarp = 32;

constexpr unsigned kTile = 32;
constexpr unsigned kTileRows = kThreads / kTile;  // rows of a tile that a block writes at once
constexpr unsigned kRowsAThread = kTile / kTileRows;
constexpr unsigned kPasses = 16;

// Each pass adds half of the turned tile to the original one. Halving is exact, so that host and
// device agree bit for bit.
template <unsigned kPitch>
__device__ inline void relax(const float* __restrict__ source,  // (tiles, kTile, kTile)
                             float* __restrict__ target) {      // (tiles, kTile, kTile)
  __shared__ float tiles[2][kTile * kPitch];
  const unsigned x = threadIdx.x % kTile;
  const unsigned y = threadIdx.x / kTile;
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * (kTile * kTile) + threadIdx.x;
  float original[kRowsAThread];
  float latest[kRowsAThread];
#pragma unroll
  for (unsigned i = 0; i < kRowsAThread; ++i) original[i] = source[first + i * kThreads];
#pragma unroll
  for (unsigned i = 0; i < kRowsAThread; ++i) {
    tiles[0][(y + i * kTileRows) * kPitch + x] = original[i];
  }
#pragma unroll 1
  for (unsigned pass = 0; pass < kPasses; ++pass) {
    const float* from = tiles[pass % 2];
    float* to = tiles[1 - pass % 2];
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < kRowsAThread; ++i) {
      latest[i] = 0.5f * from[x * kPitch + y + i * kTileRows] + original[i];
    }
#pragma unroll
    for (unsigned i = 0; i < kRowsAThread; ++i) {
      to[(y + i * kTileRows) * kPitch + x] = latest[i];
    }
  }
#pragma unroll
  for (unsigned i = 0; i < kRowsAThread; ++i) target[first + i * kThreads] = latest[i];
}

// Rows of 32 words: the lanes that read a column all meet in one bank.
// zoo: relax_tiles plants shared-bank-conflicts, fixed by relax_tiles_padded
__global__ __launch_bounds__(kThreads) void relax_tiles(
    const float* __restrict__ source,  // (tiles, kTile, kTile)
    float* __restrict__ target) {      // (tiles, kTile, kTile)
  relax<kTile>(source, target);
}

// zoo: relax_tiles_padded fixes relax_tiles
__global__ __launch_bounds__(kThreads) void relax_tiles_padded(
    const float* __restrict__ source,  // (tiles, kTile, kTile)
    float* __restrict__ target) {      // (tiles, kTile, kTile)
  relax<kTile + 1>(source, target);
}

constexpr unsigned kRun = 16;  // neighbours that one thread walks
constexpr unsigned kSegment = kThreads * kRun;

// One unused word after every 32 moves the runs of a warp into different banks.
template <bool kPadded>
__host__ __device__ constexpr unsigned slot(unsigned i) {
  return kPadded ? i + i / kWarp : i;
}

// Inclusive prefix sums of each segment: every thread sums its run, the sums are scanned over the
// block, and every thread walks its run again to write the prefix sums. The accesses to the runs
// are volatile, which keeps them four bytes wide.
template <bool kPadded>
__device__ inline void scan_segment(const unsigned* __restrict__ source,  // (segments, kSegment)
                                    unsigned* __restrict__ target) {      // (segments, kSegment)
  __shared__ unsigned storage[slot<kPadded>(kSegment - 1) + 1];
  __shared__ unsigned warp_totals[kThreads / kWarp];
  volatile unsigned* samples = storage;
  const unsigned lane = threadIdx.x % kWarp;
  const unsigned warp = threadIdx.x / kWarp;
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * kSegment + threadIdx.x;
  unsigned loaded[kRun];
#pragma unroll
  for (unsigned i = 0; i < kRun; ++i) loaded[i] = source[first + i * kThreads];
#pragma unroll
  for (unsigned i = 0; i < kRun; ++i)
    samples[slot<kPadded>(i * kThreads + threadIdx.x)] = loaded[i];
  __syncthreads();

  const unsigned run = threadIdx.x * kRun;
  unsigned total = 0;
#pragma unroll
  for (unsigned i = 0; i < kRun; ++i) total += samples[slot<kPadded>(run + i)];
  unsigned running = total;
#pragma unroll
  for (unsigned offset = 1; offset < kWarp; offset *= 2) {
    const unsigned before = __shfl_up_sync(0xffffffffu, running, offset);
    if (lane >= offset) running += before;
  }
  if (lane == kWarp - 1) warp_totals[warp] = running;
  __syncthreads();
  running -= total;
#pragma unroll
  for (unsigned i = 0; i < kThreads / kWarp; ++i) running += i < warp ? warp_totals[i] : 0;

#pragma unroll
  for (unsigned i = 0; i < kRun; ++i) {
    running += samples[slot<kPadded>(run + i)];
    samples[slot<kPadded>(run + i)] = running;
  }
  __syncthreads();
#pragma unroll
  for (unsigned i = 0; i < kRun; ++i) {
    target[first + i * kThreads] = samples[slot<kPadded>(i * kThreads + threadIdx.x)];
  }
}

// Runs that begin sixteen words apart: the lanes meet in two banks.
// zoo: scan_segments plants shared-bank-conflicts, fixed by scan_segments_padded
__global__ __launch_bounds__(kThreads) void scan_segments(
    const unsigned* __restrict__ source,  // (segments, kSegment)
    unsigned* __restrict__ target) {      // (segments, kSegment)
  scan_segment<false>(source, target);
}

// zoo: scan_segments_padded fixes scan_segments
__global__ __launch_bounds__(kThreads) void scan_segments_padded(
    const unsigned* __restrict__ source,  // (segments, kSegment)
    unsigned* __restrict__ target) {      // (segments, kSegment)
  scan_segment<true>(source, target);
}

namespace {

void run_relax_tiles() {
  const unsigned tiles = static_cast<unsigned>(multiprocessors()) * 64;
  constexpr std::size_t kArea = std::size_t{kTile} * kTile;
  const std::vector<float> block = random_floats(kPeriod, 6);
  DeviceBuffer<float> source(tiles * kArea);  // (tiles, kTile, kTile)
  DeviceBuffer<float> target(tiles * kArea);
  DeviceBuffer<float> target_padded(tiles * kArea);
  fill_repeating(source, block);
  target.clear();
  target_padded.clear();
  relax_tiles<<<tiles, kThreads>>>(source.data(), target.data());
  finish_launch();
  relax_tiles_padded<<<tiles, kThreads>>>(source.data(), target_padded.data());
  finish_launch();

  const std::vector<float> slow = target.download();
  expect_equal("relax tiles, both ways", slow, target_padded.download());
  for (std::size_t tile = 0; tile < tiles; tile += 101) {
    std::vector<float> original(kArea);
    for (std::size_t i = 0; i < kArea; ++i) original[i] = block[(tile * kArea + i) % kPeriod];
    std::vector<float> now = original;
    std::vector<float> next(kArea);
    for (unsigned pass = 0; pass < kPasses; ++pass) {
      for (std::size_t y = 0; y < kTile; ++y) {
        for (std::size_t x = 0; x < kTile; ++x) {
          next[y * kTile + x] = 0.5f * now[x * kTile + y] + original[y * kTile + x];
        }
      }
      now.swap(next);
    }
    for (std::size_t i = 0; i < kArea; ++i) {
      expect_close("relax tiles", slow[tile * kArea + i], now[i], 1e-6, tile * kArea + i);
    }
  }
  passed("relax tiles");
}

void run_scan_segments() {
  constexpr std::size_t kSegments = 16384;
  const std::vector<unsigned> block = random_integers(kPeriod, 1000, 7);
  DeviceBuffer<unsigned> source(kSegments * kSegment);  // (kSegments, kSegment)
  DeviceBuffer<unsigned> target(kSegments * kSegment);
  DeviceBuffer<unsigned> target_padded(kSegments * kSegment);
  fill_repeating(source, block);
  target.clear();
  target_padded.clear();
  scan_segments<<<kSegments, kThreads>>>(source.data(), target.data());
  finish_launch();
  scan_segments_padded<<<kSegments, kThreads>>>(source.data(), target_padded.data());
  finish_launch();

  const std::vector<unsigned> slow = target.download();
  expect_equal("scan segments, both ways", slow, target_padded.download());
  for (std::size_t segment = 0; segment < kSegments; segment += 51) {
    unsigned running = 0;
    for (std::size_t i = segment * kSegment; i < (segment + 1) * kSegment; ++i) {
      running += block[i % kPeriod];
      expect_close("scan segments", slow[i], running, 0.0, i);
    }
  }
  passed("scan segments");
}

}  // namespace

int main() {
  run_relax_tiles();
  run_scan_segments();
}

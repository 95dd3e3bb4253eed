// SPDX-License-Identifier: Apache-2.0
//
// Blocks of equal length whose last wave is almost empty: a few blocks are left when all others are
// done, and the GPU waits for them. Both guises compute at the full rate while it is full. The
// twins divide the same work over whole waves.
#include "resident.cuh"

// The part [begin, end) of count items that falls to this block, as equal as can be.
struct Share {
  unsigned begin;
  unsigned end;
};
__device__ inline Share share_of(unsigned count) {
  return {count * blockIdx.x / gridDim.x, count * (blockIdx.x + 1) / gridDim.x};
}

// The argument of the i-th value, spread over [-1/2, 1/2).
__host__ __device__ inline float argument(unsigned i) {
  return static_cast<float>(i * 2654435761u >> 8) * (1.0f / (1 << 24)) - 0.5f;
}

constexpr unsigned kLargeThreads = 1024;
constexpr unsigned kCells = 32;  // of each thread: too many for the registers of two blocks
constexpr unsigned kStride = 5;  // between cells that mix
constexpr unsigned kRounds = 16;
constexpr unsigned kChunks = 33;  // for each block of the first guise
constexpr unsigned kWaves = 2;    // full ones of the first guise
constexpr unsigned kStragglers = 4;

// Cells on a ring, each of which takes in its neighbour in every round; all of them stay alive.
template <typename Real>
__host__ __device__ inline Real mix_ring(Real x) {
  Real cells[kCells];
#pragma unroll
  for (unsigned c = 0; c < kCells; ++c) cells[c] = x + Real(c) * Real(0.03125);
#pragma unroll 4
  for (unsigned round = 0; round < kRounds; ++round) {
    Real carried = cells[kCells - kStride];
#pragma unroll
    for (unsigned i = 0; i < kCells; ++i) {
      const unsigned c = i * kStride % kCells;
      const Real own = cells[c];
      cells[c] = own * Real(0.75) + carried * x;
      carried = own;
    }
  }
  Real sum = 0;
#pragma unroll
  for (const Real cell : cells) sum += cell;
  return sum;
}

__device__ inline void mix_share(float* __restrict__ sums, unsigned chunks) {
  const Share share = share_of(chunks);
#pragma unroll 1
  for (unsigned chunk = share.begin; chunk < share.end; ++chunk) {
    const unsigned i = chunk * kLargeThreads + threadIdx.x;
    sums[i] = mix_ring(argument(i));
  }
}

// One block fits on a multiprocessor, and there are four more than two for each.
// zoo: mix_rings plants tail-effect, fixed by mix_rings_whole
__global__ __launch_bounds__(kLargeThreads) void mix_rings(
    float* __restrict__ sums,  // (chunks, kLargeThreads)
    unsigned chunks) {
  mix_share(sums, chunks);
}

// zoo: mix_rings_whole fixes mix_rings
__global__ __launch_bounds__(kLargeThreads) void mix_rings_whole(
    float* __restrict__ sums,  // (chunks, kLargeThreads)
    unsigned chunks) {
  mix_share(sums, chunks);
}

constexpr unsigned kSmallThreads = 128;
constexpr unsigned kGuessVectors = 3072;  // float4 of the table: 48 KiB, so that four blocks fit
constexpr std::size_t kGuessBytes = sizeof(float4) * kGuessVectors;
constexpr unsigned kValuesAUnit = 12;  // for each thread
constexpr unsigned kUnits = 8;         // for each block of the second guise
constexpr unsigned kRefinements = 256;

__host__ __device__ inline float refine(float guess, float x) {
#pragma unroll 16
  for (unsigned i = 0; i < kRefinements; ++i) guess = fmaf(guess, -0.96875f, x);
  return guess;
}

// One chain of dependent operations a thread: what a block takes does not depend on how many others
// it shares the multiprocessor with, and four warps a scheduler are just enough to keep it busy.
__device__ inline void refine_share(const float4* __restrict__ guesses, float* __restrict__ results,
                                    unsigned units) {
  extern __shared__ float4 table[];  // (kGuessVectors)
#pragma unroll 8
  for (unsigned i = 0; i < kGuessVectors / kSmallThreads; ++i) {
    table[i * kSmallThreads + threadIdx.x] = guesses[i * kSmallThreads + threadIdx.x];
  }
  __syncthreads();
  const float* entries = reinterpret_cast<const float*>(table);
  const Share share = share_of(units);
#pragma unroll 1
  for (unsigned step = share.begin * kValuesAUnit; step < share.end * kValuesAUnit; ++step) {
    const unsigned i = step * kSmallThreads + threadIdx.x;
    results[i] = refine(entries[i % (kGuessVectors * 4)], argument(i));
  }
}

// Four blocks fit on a multiprocessor, and there are an eighth more than that.
// zoo: refine_guesses plants tail-effect, fixed by refine_guesses_whole
__global__ __launch_bounds__(kSmallThreads) void refine_guesses(
    const float4* __restrict__ guesses,  // (kGuessVectors)
    float* __restrict__ results,         // (units, kValuesAUnit, kSmallThreads)
    unsigned units) {
  refine_share(guesses, results, units);
}

// zoo: refine_guesses_whole fixes refine_guesses
__global__ __launch_bounds__(kSmallThreads) void refine_guesses_whole(
    const float4* __restrict__ guesses,  // (kGuessVectors)
    float* __restrict__ results,         // (units, kValuesAUnit, kSmallThreads)
    unsigned units) {
  refine_share(guesses, results, units);
}

namespace {

void run_mix_rings() {
  const unsigned wave = multiprocessors() * resident_blocks(mix_rings, kLargeThreads);
  const unsigned blocks = kWaves * wave + kStragglers;
  const unsigned chunks = blocks * kChunks;
  DeviceBuffer<float> sums(std::size_t{chunks} * kLargeThreads);  // (chunks, kLargeThreads)
  sums.clear();
  mix_rings<<<blocks, kLargeThreads>>>(sums.data(), chunks);
  finish_launch();
  const std::vector<float> slow = sums.download();
  for (std::size_t i = 0; i < slow.size(); i += 997) {
    const double x = argument(static_cast<unsigned>(i));
    expect_close("mix rings", slow[i], mix_ring(x), 1e-4, i);
  }
  passed("mix rings");

  sums.clear();
  mix_rings_whole<<<wave, kLargeThreads>>>(sums.data(), chunks);
  finish_launch();
  expect_all_close("mix rings whole", sums.download(), slow, 1e-5);
  passed("mix rings whole");
}

void run_refine_guesses() {
  allow_shared(refine_guesses, kGuessBytes);
  allow_shared(refine_guesses_whole, kGuessBytes);
  const unsigned wave =
      multiprocessors() * resident_blocks(refine_guesses, kSmallThreads, kGuessBytes);
  const unsigned blocks = wave + wave / kUnits;
  const unsigned units = blocks * kUnits;
  const std::vector<float> host = random_floats(kGuessVectors * 4, 101);
  DeviceBuffer<float> guesses(host);
  DeviceBuffer<float> results(std::size_t{units} * kValuesAUnit * kSmallThreads);  // (units, ...)
  const float4* table = reinterpret_cast<const float4*>(guesses.data());
  results.clear();
  refine_guesses<<<blocks, kSmallThreads, kGuessBytes>>>(table, results.data(), units);
  finish_launch();
  const std::vector<float> slow = results.download();
  for (std::size_t i = 0; i < slow.size(); i += 9973) {
    const float expected = refine(host[i % host.size()], argument(static_cast<unsigned>(i)));
    expect_close("refine guesses", slow[i], expected, 1e-5, i);
  }
  passed("refine guesses");

  results.clear();
  refine_guesses_whole<<<wave, kSmallThreads, kGuessBytes>>>(table, results.data(), units);
  finish_launch();
  expect_equal("refine guesses whole", results.download(), slow);
  passed("refine guesses whole");
}

}  // namespace

int main() {
  run_mix_rings();
  run_refine_guesses();
}

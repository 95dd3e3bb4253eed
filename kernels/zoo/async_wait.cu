// SPDX-License-Identifier: Apache-2.0
//
// Asynchronous operations that are waited for at once. The first guise copies a tile to shared
// memory in bulk and works on it only when all of it has come, so that copies and arithmetic take
// turns; its twin divides the same shared memory into a ring of four stages. The second guise waits
// for each matrix product of a warp group before it issues the next; its twin issues sixteen.
// Needs sm_90a.
#include <cuda_fp16.h>

#include "resident.cuh"

__device__ inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ inline void barrier_init(unsigned long long* barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}

// Makes what the threads have done to shared memory, barriers included, visible to TMA
// and the tensor cores.
__device__ inline void fence_to_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// One thread starts the copy; the barrier's phase ends when all bytes have come.
__device__ inline void copy_bulk(void* target, const void* source, unsigned bytes,
                                 unsigned long long* barrier) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1], %2, [%3];" ::"r"(shared_address(target)),
      "l"(source), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

__device__ inline void barrier_wait(unsigned long long* barrier, unsigned parity) {
  unsigned done = 0;
  do {
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n"
        "selp.u32 %0, 1, 0, done;\n"
        "}\n"
        : "=r"(done)
        : "r"(shared_address(barrier)), "r"(parity)
        : "memory");
  } while (done == 0);
}

constexpr unsigned kLanes = 32;
constexpr unsigned kFull = 0xffffffffu;

constexpr unsigned kScoreThreads = 512;
constexpr unsigned kStages = 4;
constexpr unsigned kStageVectors = 3072;                    // of 16 bytes: 48 KiB
constexpr unsigned kTileVectors = kStages * kStageVectors;  // 192 KiB
static_assert(kStageVectors % kScoreThreads == 0, "every thread scores as many vectors");
constexpr unsigned kTiles = 32;  // 6 MiB, which the L2 holds
constexpr unsigned kTerms = 16;
constexpr std::size_t kScoreBytes = sizeof(float4) * kTileVectors;

// All blocks read the same samples; each starts at another tile, so that they do not all ask for
// the same lines of the L2 at once.
__host__ __device__ inline unsigned first_tile(unsigned block) { return block * 5 % kTiles; }

__host__ __device__ inline float parameter(unsigned block) {
  return 0.5f + 0.00390625f * static_cast<float>(block % 128);
}

template <typename Real>
__host__ __device__ inline Real likelihood(Real y) {
  Real sum = Real(1.0 / (kTerms + 1));
#pragma unroll
  for (unsigned term = kTerms; term > 0; --term) sum = sum * y + Real(1.0 / term);
  return sum;
}

// The score of count vectors in shared memory, a share for each thread; count is a multiple of the
// threads.
__device__ inline float score_vectors(const float4* samples, unsigned count, float factor,
                                      float score) {
#pragma unroll 2
  for (unsigned i = 0; i < count / kScoreThreads; ++i) {
    const float4 x = samples[i * kScoreThreads + threadIdx.x];
    score += likelihood(x.x * factor) + likelihood(x.y * factor) +
             (likelihood(x.z * factor) + likelihood(x.w * factor));
  }
  return score;
}

__device__ inline void write_block_sum(float value, float* result) {
  __shared__ float partial[kScoreThreads / kLanes];
#pragma unroll
  for (unsigned distance = kLanes / 2; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(kFull, value, distance);
  }
  if (threadIdx.x % kLanes == 0) partial[threadIdx.x / kLanes] = value;
  __syncthreads();
  if (threadIdx.x != 0) return;
  float sum = 0.0f;
  for (float warp : partial) sum += warp;
  *result = sum;
}

// Each block scores one parameter over all samples: the tile is copied, then scored, then the next
// is copied to the same place.
// zoo: score_parameters plants async-wait, fixed by score_parameters_ring
__global__ __launch_bounds__(kScoreThreads) void score_parameters(
    const float4* __restrict__ samples,            // (kTiles, kTileVectors)
    float* __restrict__ scores) {                  // (gridDim.x)
  extern __shared__ __align__(128) float4 tile[];  // (kTileVectors)
  __shared__ unsigned long long arrived;
  if (threadIdx.x == 0) {
    barrier_init(&arrived, 1);
    fence_to_async();
  }
  __syncthreads();
  const float factor = parameter(blockIdx.x);
  const unsigned first = first_tile(blockIdx.x);
  float score = 0.0f;
#pragma unroll 1
  for (unsigned i = 0; i < kTiles; ++i) {
    if (threadIdx.x == 0) {
      copy_bulk(tile, samples + (first + i) % kTiles * kTileVectors, kScoreBytes, &arrived);
    }
    barrier_wait(&arrived, i % 2);
    score = score_vectors(tile, kTileVectors, factor, score);
    __syncthreads();
  }
  write_block_sum(score, scores + blockIdx.x);
}

// The same shared memory as four stages: while one is scored, the next three are on their way.
// zoo: score_parameters_ring fixes score_parameters
__global__ __launch_bounds__(kScoreThreads) void score_parameters_ring(
    const float4* __restrict__ samples,            // (kTiles, kTileVectors)
    float* __restrict__ scores) {                  // (gridDim.x)
  extern __shared__ __align__(128) float4 tile[];  // (kStages, kStageVectors)
  __shared__ unsigned long long arrived[kStages];
  constexpr unsigned kStageBytes = sizeof(float4) * kStageVectors;
  constexpr unsigned kParts = kTiles * kStages;
  const unsigned first = first_tile(blockIdx.x) * kStages;
  if (threadIdx.x == 0) {
    for (unsigned long long& barrier : arrived) barrier_init(&barrier, 1);
    fence_to_async();
    for (unsigned stage = 0; stage < kStages; ++stage) {
      copy_bulk(tile + stage * kStageVectors, samples + (first + stage) % kParts * kStageVectors,
                kStageBytes, &arrived[stage]);
    }
  }
  __syncthreads();
  const float factor = parameter(blockIdx.x);
  float score = 0.0f;
#pragma unroll 1
  for (unsigned i = 0; i < kParts; ++i) {
    const unsigned stage = i % kStages;
    float4* const part = tile + stage * kStageVectors;
    barrier_wait(&arrived[stage], i / kStages % 2);
    score = score_vectors(part, kStageVectors, factor, score);
    __syncthreads();
    if (threadIdx.x == 0 && i + kStages < kParts) {
      copy_bulk(part, samples + (first + i + kStages) % kParts * kStageVectors, kStageBytes,
                &arrived[stage]);
    }
  }
  write_block_sum(score, scores + blockIdx.x);
}

constexpr unsigned kGroup = 128;  // threads of a warp group
constexpr unsigned kM = 64;
constexpr unsigned kN = 32;
constexpr unsigned kK = 16;           // of one instruction
constexpr unsigned kDepthTiles = 64;  // times kK: the depth of the product
constexpr unsigned kRounds = 64;
constexpr unsigned kInFlight = 16;            // instructions that the twin issues before it waits
constexpr unsigned kSums = kM * kN / kGroup;  // a thread's share of the result
constexpr unsigned kLeftBytes = kM * kK * sizeof(__half);
constexpr unsigned kRightBytes = kN * kK * sizeof(__half);
constexpr std::size_t kProductBytes = std::size_t{kDepthTiles} * (kLeftBytes + kRightBytes);

// An operand without swizzle, its 8 x 8 core matrices (128 bytes each) one after the other: the two
// along the depth first.
__device__ inline unsigned long long matrix_descriptor(const void* tile) {
  constexpr unsigned long long kAlongDepth = 128 / 16;
  constexpr unsigned long long kAcross = 256 / 16;
  return (shared_address(tile) & 0x3ffff) >> 4 | kAlongDepth << 16 | kAcross << 32;
}

__device__ inline void products_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

// Closes the group of all products issued since the last and waits for it.
__device__ inline void products_finish() {
  asm volatile(
      "wgmma.commit_group.sync.aligned;\n"
      "wgmma.wait_group.sync.aligned 0;" ::
          : "memory");
}

// sums += left * right, for 64 x 16 and 16 x 32 halves; issued, not finished.
__device__ inline void multiply_async(float (&sums)[kSums], unsigned long long left,
                                      unsigned long long right) {
  asm volatile(
      "{\n"
      ".reg .pred add;\n"
      "setp.eq.u32 add, 0, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, "
      "%16, %17, add, 1, 1, 0, 0;\n"
      "}\n"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]), "+f"(sums[4]), "+f"(sums[5]),
        "+f"(sums[6]), "+f"(sums[7]), "+f"(sums[8]), "+f"(sums[9]), "+f"(sums[10]), "+f"(sums[11]),
        "+f"(sums[12]), "+f"(sums[13]), "+f"(sums[14]), "+f"(sums[15])
      : "l"(left), "l"(right));
}

// Fills the operands: each depth tile holds one value throughout, so that the result does not
// depend on how a tile is laid out.
__device__ inline void fill_operands(const __half* __restrict__ left_values,
                                     const __half* __restrict__ right_values, uint4* left,
                                     uint4* right) {
  constexpr unsigned kLeftVectors = kLeftBytes / sizeof(uint4);    // of a tile: one a thread
  constexpr unsigned kRightVectors = kRightBytes / sizeof(uint4);  // of a tile: two tiles a block
  static_assert(kLeftVectors == kGroup && kRightVectors * 2 == kGroup, "one vector a thread");
  const unsigned short* left_bits = reinterpret_cast<const unsigned short*>(left_values);
  const unsigned short* right_bits = reinterpret_cast<const unsigned short*>(right_values);
#pragma unroll 4
  for (unsigned tile = 0; tile < kDepthTiles; ++tile) {
    const unsigned pair = left_bits[blockIdx.x * kDepthTiles + tile] * 0x10001u;
    left[tile * kLeftVectors + threadIdx.x] = make_uint4(pair, pair, pair, pair);
  }
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < kDepthTiles * kRightVectors; i += kGroup) {
    const unsigned pair = right_bits[i / kRightVectors] * 0x10001u;
    right[i] = make_uint4(pair, pair, pair, pair);
  }
  fence_to_async();
  __syncthreads();
}

__device__ inline void write_sums(const float (&sums)[kSums], float4* __restrict__ results) {
#pragma unroll
  for (unsigned i = 0; i < kSums / 4; ++i) {
    results[(blockIdx.x * (kSums / 4) + i) * kGroup + threadIdx.x] =
        make_float4(sums[4 * i], sums[4 * i + 1], sums[4 * i + 2], sums[4 * i + 3]);
  }
}

// One warp group a multiprocessor accumulates products of operands that fill the shared memory, and
// waits for each of them.
// zoo: accumulate_products plants async-wait, fixed by accumulate_products_queued
__global__ __launch_bounds__(kGroup) void accumulate_products(
    const __half* __restrict__ left_values,   // (gridDim.x, kDepthTiles)
    const __half* __restrict__ right_values,  // (kDepthTiles)
    float4* __restrict__ results) {           // (gridDim.x, kSums / 4, kGroup)
  extern __shared__ __align__(128) uint4 operands[];
  uint4* const left = operands;                                              // (kDepthTiles) tiles
  uint4* const right = operands + kDepthTiles * kLeftBytes / sizeof(uint4);  // (kDepthTiles) tiles
  fill_operands(left_values, right_values, left, right);
  const unsigned long long left_first = matrix_descriptor(left);
  const unsigned long long right_first = matrix_descriptor(right);
  float sums[kSums] = {};
#pragma unroll 1
  for (unsigned round = 0; round < kRounds; ++round) {
#pragma unroll 4
    for (unsigned tile = 0; tile < kDepthTiles; ++tile) {
      products_begin();
      multiply_async(sums, left_first + tile * (kLeftBytes / 16),
                     right_first + tile * (kRightBytes / 16));
      products_finish();
    }
  }
  write_sums(sums, results);
}

// zoo: accumulate_products_queued fixes accumulate_products
__global__ __launch_bounds__(kGroup) void accumulate_products_queued(
    const __half* __restrict__ left_values,   // (gridDim.x, kDepthTiles)
    const __half* __restrict__ right_values,  // (kDepthTiles)
    float4* __restrict__ results) {           // (gridDim.x, kSums / 4, kGroup)
  extern __shared__ __align__(128) uint4 operands[];
  uint4* const left = operands;                                              // (kDepthTiles) tiles
  uint4* const right = operands + kDepthTiles * kLeftBytes / sizeof(uint4);  // (kDepthTiles) tiles
  fill_operands(left_values, right_values, left, right);
  const unsigned long long left_first = matrix_descriptor(left);
  const unsigned long long right_first = matrix_descriptor(right);
  float sums[kSums] = {};
#pragma unroll 1
  for (unsigned round = 0; round < kRounds; ++round) {
#pragma unroll 1
    for (unsigned tile = 0; tile < kDepthTiles; tile += kInFlight) {
      products_begin();
#pragma unroll
      for (unsigned i = 0; i < kInFlight; ++i) {
        multiply_async(sums, left_first + (tile + i) * (kLeftBytes / 16),
                       right_first + (tile + i) * (kRightBytes / 16));
      }
      products_finish();
    }
  }
  write_sums(sums, results);
}

namespace {

void run_score_parameters() {
  allow_shared(score_parameters, kScoreBytes);
  allow_shared(score_parameters_ring, kScoreBytes);
  const unsigned blocks = multiprocessors();
  const std::vector<float> host =
      random_floats(std::size_t{kTiles} * kTileVectors * (sizeof(float4) / sizeof(float)), 51);
  DeviceBuffer<float> samples(host);   // (kTiles, kTileVectors) of float4
  DeviceBuffer<float> scores(blocks);  // (blocks)
  const float4* vectors = reinterpret_cast<const float4*>(samples.data());
  scores.clear();
  score_parameters<<<blocks, kScoreThreads, kScoreBytes>>>(vectors, scores.data());
  finish_launch();
  const std::vector<float> slow = scores.download();
  for (unsigned block = 0; block < blocks; block += 70) {
    double expected = 0.0;
    for (const float x : host) expected += likelihood(double{x} * parameter(block));
    expect_close("score parameters", slow[block], expected, 1e-4, block);
  }
  passed("score parameters");

  scores.clear();
  score_parameters_ring<<<blocks, kScoreThreads, kScoreBytes>>>(vectors, scores.data());
  finish_launch();
  expect_all_close("score parameters ring", scores.download(), slow, 1e-5);
  passed("score parameters ring");
}

// Eighths from 1/8 to 1, so that all sums are exact.
std::vector<__half> random_eighths(std::size_t count, unsigned seed) {
  std::vector<__half> values(count);
  const std::vector<unsigned> draws = random_integers(count, 8, seed);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = __float2half(0.125f * static_cast<float>(draws[i] + 1));
  }
  return values;
}

// kernel: one with the arguments of accumulate_products.
template <typename Kernel>
void run_products(const char* name, Kernel kernel) {
  allow_shared(kernel, kProductBytes);
  const unsigned blocks = multiprocessors();
  const std::vector<__half> host_left = random_eighths(std::size_t{blocks} * kDepthTiles, 52);
  const std::vector<__half> host_right = random_eighths(kDepthTiles, 53);
  DeviceBuffer<__half> left(host_left);                        // (blocks, kDepthTiles)
  DeviceBuffer<__half> right(host_right);                      // (kDepthTiles)
  DeviceBuffer<float> results(std::size_t{blocks} * kM * kN);  // (blocks, kM * kN)
  results.clear();
  kernel<<<blocks, kGroup, kProductBytes>>>(left.data(), right.data(),
                                            reinterpret_cast<float4*>(results.data()));
  finish_launch();
  const std::vector<float> actual = results.download();
  for (unsigned block = 0; block < blocks; ++block) {
    double expected = 0.0;
    for (unsigned tile = 0; tile < kDepthTiles; ++tile) {
      expected += double{__half2float(host_left[std::size_t{block} * kDepthTiles + tile])} *
                  __half2float(host_right[tile]);
    }
    expected *= kK * kRounds;
    for (std::size_t i = 0; i < kM * kN; ++i) {
      expect_close(name, actual[std::size_t{block} * kM * kN + i], expected, 1e-3, i);
    }
  }
  passed(name);
}

}  // namespace

int main() {
  run_score_parameters();
  run_products("accumulate products", accumulate_products);
  run_products("accumulate products queued", accumulate_products_queued);
}

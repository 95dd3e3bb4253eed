// SPDX-License-Identifier: Apache-2.0
//
// Warps with roles at rings of mbarriers, each time with another role as the slow one: one warp
// loads, four multiply, four convert and store. Who must wait for whom follows from the template
// argument, so what a profile says of the roles can be checked.
#include "../sass/ptx.cuh"
#include "check.cuh"

constexpr unsigned kMultiplyWarps = 4;
constexpr unsigned kEpilogueWarps = 4;
constexpr unsigned kLoadWarp = kMultiplyWarps + kEpilogueWarps;
constexpr unsigned kThreads = (kLoadWarp + 1) * 32;
constexpr unsigned kM = 64;
constexpr unsigned kN = 32;
constexpr unsigned kK = 64;         // of a tile: a row is 128 bytes
constexpr unsigned kLeftBytes = kM * kK * sizeof(Bf16);
constexpr unsigned kRightBytes = kN * kK * sizeof(Bf16);
constexpr unsigned kGroup = kMultiplyWarps * 32;  // threads that multiply, and that store
constexpr unsigned kSums = kM * kN / kGroup;      // of a thread
constexpr unsigned kStages = 2;                   // of both rings
constexpr unsigned kTilesOfBlock = 32;
constexpr unsigned kSlowRounds = 2000;  // a slow role's steps, each of the one before

enum class Slow { kLoad, kMultiply, kEpilogue };

struct Ring {
  Barrier full[kStages];
  Barrier free[kStages];
};

struct Operands {
  alignas(1024) Bf16 left[kM * kK];
  alignas(1024) Bf16 right[kN * kK];
};

// Where a role stands in a ring: its slot, and the parity of the phase it waits for there.
struct Turn {
  unsigned slot = 0;
  unsigned parity = 0;
  __device__ void next() {
    slot = (slot + 1) % kStages;
    parity ^= slot == 0;
  }
};

// 1, after kSlowRounds steps that the compiler cannot shorten; `one` is 1.
__device__ inline float slowly(float one) {
  float value = one;
#pragma unroll 1
  for (unsigned round = 0; round < kSlowRounds; ++round) value = fmaf(value, one, 0.0f);
  return value;
}

__device__ inline void multiply(float (&sums)[kSums], const Operands& operands) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  constexpr unsigned kProductK = 16;  // of one instruction
  products_begin();
#pragma unroll
  for (unsigned k = 0; k < kK; k += kProductK) {
    multiply_group(sums, swizzled_tile(operands.left + k), swizzled_tile(operands.right + k));
  }
  products_finish();
#endif
}

template <Slow kSlow>
__global__ void __launch_bounds__(kThreads) roles_at_rings(
    const Bf16* __restrict__ lefts,   // (tiles, kM * kK), swizzled
    const Bf16* __restrict__ rights,  // (tiles, kN * kK), swizzled
    uint4* __restrict__ results,      // (tiles, kM * kN) of BF16, in the order of the threads
    unsigned tiles, float one) {
  __shared__ Operands operands[kStages];
  __shared__ float4 sums[kStages][kSums / 4 * kGroup];
  __shared__ Ring operand_ring, sum_ring;
  if (threadIdx.x == 0) {
    for (unsigned slot = 0; slot < kStages; ++slot) {
      barrier_init(&operand_ring.full[slot], 1);
      barrier_init(&operand_ring.free[slot], kGroup);
      barrier_init(&sum_ring.full[slot], kGroup);
      barrier_init(&sum_ring.free[slot], kGroup);
    }
    fence_to_async();
  }
  __syncthreads();
  const unsigned warp = warp_index();
  Turn operand_turn, sum_turn;
  if (warp == kLoadWarp) {
    if (!elect_lane()) return;
#pragma unroll 1
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x, operand_turn.next()) {
      Barrier* const full = &operand_ring.full[operand_turn.slot];
      Operands& slot = operands[operand_turn.slot];
      // A fresh barrier counts as one whose phase of parity 1 is over.
      barrier_wait(&operand_ring.free[operand_turn.slot], operand_turn.parity ^ 1);
      unsigned source = tile;
      if (kSlow == Slow::kLoad) source *= static_cast<unsigned>(slowly(one));
      barrier_expect(full, kLeftBytes + kRightBytes);
      copy_bulk(slot.left, lefts + source * (kM * kK), kLeftBytes, full);
      copy_bulk(slot.right, rights + source * (kN * kK), kRightBytes, full);
    }
  } else if (warp < kMultiplyWarps) {
#pragma unroll 1
    for (unsigned tile = blockIdx.x; tile < tiles;
         tile += gridDim.x, operand_turn.next(), sum_turn.next()) {
      float products[kSums] = {};
      barrier_wait(&operand_ring.full[operand_turn.slot], operand_turn.parity);
      multiply(products, operands[operand_turn.slot]);
      barrier_arrive(&operand_ring.free[operand_turn.slot]);
      const float factor = kSlow == Slow::kMultiply ? slowly(one) : one;
      barrier_wait(&sum_ring.free[sum_turn.slot], sum_turn.parity ^ 1);
#pragma unroll
      for (unsigned i = 0; i < kSums / 4; ++i) {
        sums[sum_turn.slot][i * kGroup + threadIdx.x] =
            make_float4(products[4 * i] * factor, products[4 * i + 1] * factor,
                        products[4 * i + 2] * factor, products[4 * i + 3] * factor);
      }
      barrier_arrive(&sum_ring.full[sum_turn.slot]);
    }
  } else {
    const unsigned thread = threadIdx.x - kGroup;
#pragma unroll 1
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x, sum_turn.next()) {
      unsigned packed[kSums / 2];
      barrier_wait(&sum_ring.full[sum_turn.slot], sum_turn.parity);
#pragma unroll
      for (unsigned i = 0; i < kSums / 4; ++i) {
        const float4 four = sums[sum_turn.slot][i * kGroup + thread];
        packed[2 * i] = to_bf16x2(four.x, four.y);
        packed[2 * i + 1] = to_bf16x2(four.z, four.w);
      }
      if (kSlow == Slow::kEpilogue) packed[0] *= static_cast<unsigned>(slowly(one));
      barrier_arrive(&sum_ring.free[sum_turn.slot]);
      uint4* const first = results + tile * (kM * kN / 8) + thread;
      first[0] = make_uint4(packed[0], packed[1], packed[2], packed[3]);
      first[kGroup] = make_uint4(packed[4], packed[5], packed[6], packed[7]);
    }
  }
}

namespace {

// Row-major tiles of 128-byte rows as warpgroup products read them: the 16-byte pieces of a row
// change places by the row's number.
std::vector<Bf16> swizzled(const std::vector<float>& values) {
  constexpr std::size_t kPiece = 16 / sizeof(Bf16);
  std::vector<Bf16> placed(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t row = i / kK;
    const std::size_t piece = i % kK / kPiece ^ row % 8;
    placed[row * kK + piece * kPiece + i % kPiece] = __float2bfloat16(values[i]);
  }
  return placed;
}

double product_at(const std::vector<float>& lefts, const std::vector<float>& rights,
                  std::size_t tile, std::size_t row, std::size_t column) {
  double sum = 0.0;
  for (std::size_t k = 0; k < kK; ++k) {
    sum +=
        static_cast<double>(__bfloat162float(__float2bfloat16(lefts[(tile * kM + row) * kK + k]))) *
        __bfloat162float(__float2bfloat16(rights[(tile * kN + column) * kK + k]));
  }
  return sum;
}

void expect_products(const char* name, const std::vector<Bf16>& actual,
                     const std::vector<float>& lefts, const std::vector<float>& rights) {
  for (std::size_t i = 0; i < actual.size(); i += 97) {
    const std::size_t tile = i / (kM * kN);
    const std::size_t vector = i % (kM * kN) / 8;
    const std::size_t thread = vector % kGroup;
    const std::size_t sum = vector / kGroup * 8 + i % 8;
    const std::size_t row = thread / 32 * 16 + thread % 32 / 4 + sum / 2 % 2 * 8;
    const std::size_t column = sum / 4 * 8 + thread % 4 * 2 + sum % 2;
    expect_close(name, __bfloat162float(actual[i]), product_at(lefts, rights, tile, row, column),
                 1e-2, i);
  }
  passed(name);
}

template <Slow kSlow>
void run(const char* name, const std::vector<float>& lefts, const std::vector<float>& rights,
         unsigned tiles) {
  const DeviceBuffer<Bf16> left(swizzled(lefts));
  const DeviceBuffer<Bf16> right(swizzled(rights));
  DeviceBuffer<Bf16> results(static_cast<std::size_t>(tiles) * kM * kN);
  results.clear();
  roles_at_rings<kSlow><<<tiles / kTilesOfBlock, kThreads>>>(
      left.data(), right.data(), reinterpret_cast<uint4*>(results.data()), tiles, 1.0f);
  finish_launch();
  expect_products(name, results.download(), lefts, rights);
}

}  // namespace

int main() {
  const unsigned tiles = static_cast<unsigned>(multiprocessors()) * kTilesOfBlock;
  const std::vector<float> lefts = random_floats(static_cast<std::size_t>(tiles) * kM * kK, 1);
  const std::vector<float> rights = random_floats(static_cast<std::size_t>(tiles) * kN * kK, 2);
  run<Slow::kLoad>("slow load", lefts, rights, tiles);
  run<Slow::kMultiply>("slow multiply", lefts, rights, tiles);
  run<Slow::kEpilogue>("slow epilogue", lefts, rights, tiles);
  return 0;
}

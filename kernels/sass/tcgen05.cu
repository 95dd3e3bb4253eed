// SPDX-License-Identifier: Apache-2.0
//
// The tensor path of Blackwell: TMA fills shared memory, one thread multiplies into
// tensor memory, four warps take the sums out, add the bias, convert to BF16 and store. Two
// epilogues: the first stages every chunk in shared memory for TMA to store, the
// second stores it straight from registers, 32 bytes a thread.
//
// sass: arch sm_100a
#include "ptx.cuh"

constexpr unsigned kEpilogueWarps = 4;
constexpr unsigned kThreads = (kEpilogueWarps + 2) * 32;  // one warp loads, one multiplies
constexpr unsigned kLoadWarp = kEpilogueWarps;
constexpr unsigned kMultiplyWarp = kEpilogueWarps + 1;
constexpr unsigned kM = 128;
constexpr unsigned kN = 128;
constexpr unsigned kK = 64;         // of a tile: a row is 128 bytes
constexpr unsigned kProductK = 16;  // of one instruction
constexpr unsigned kChunk = 16;     // columns that a thread takes at once
constexpr unsigned kTileBytes = (kM + kN) * kK * sizeof(Bf16);
// FP32 sums, BF16 operands, N / 8 and M / 16 in their places.
constexpr unsigned kInstruction = 1u << 4 | 1u << 7 | 1u << 10 | kN / 8 << 17 | kM / 16 << 24;

struct Shared {
  alignas(1024) Bf16 left[kM * kK];
  alignas(1024) Bf16 right[kN * kK];
  Barrier arrived;   // by TMA
  Barrier consumed;  // by the tensor cores
  Barrier finished;  // the sums are in tensor memory
  unsigned sums;     // where in tensor memory
};

__device__ inline void allocate_sums(unsigned* place) {
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(
                   shared_address(place)),
               "n"(kN)
               : "memory");
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
}

__device__ inline void free_sums(unsigned sums) {
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(sums), "n"(kN)
               : "memory");
}

__device__ inline void multiply_tile(unsigned sums, unsigned long long left,
                                     unsigned long long right, bool add) {
  asm volatile(
      "{\n"
      ".reg .pred add;\n"
      "setp.ne.u32 add, %4, 0;\n"
      "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, add;\n"
      "}\n" ::"r"(sums),
      "l"(left), "l"(right), "r"(kInstruction), "r"(static_cast<unsigned>(add))
      : "memory");
}

// The barrier's phase ends when all products issued so far are done.
__device__ inline void multiply_commit(Barrier* barrier) {
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(
                   shared_address(barrier))
               : "memory");
}

__device__ inline void load_sums(float (&sums)[kChunk], unsigned place) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x16.b32 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, [%16];\n"
      "tcgen05.wait::ld.sync.aligned;"
      : "=f"(sums[0]), "=f"(sums[1]), "=f"(sums[2]), "=f"(sums[3]), "=f"(sums[4]), "=f"(sums[5]),
        "=f"(sums[6]), "=f"(sums[7]), "=f"(sums[8]), "=f"(sums[9]), "=f"(sums[10]), "=f"(sums[11]),
        "=f"(sums[12]), "=f"(sums[13]), "=f"(sums[14]), "=f"(sums[15])
      : "r"(place)
      : "memory");
}

__device__ inline void prepare(Shared& shared) {
  if (threadIdx.x == 0) {
    barrier_init(&shared.arrived, 1);
    barrier_init(&shared.consumed, 1);
    barrier_init(&shared.finished, 1);
    fence_to_async();
  }
  if (threadIdx.x / 32 == kMultiplyWarp) allocate_sums(&shared.sums);
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

__device__ inline void load_role(Shared& shared, const TensorMap& left_map,
                                 const TensorMap& right_map, unsigned tiles) {
  if (!elect_lane()) return;
#pragma unroll 1
  for (unsigned tile = 0; tile < tiles; ++tile) {
    if (tile > 0) barrier_wait(&shared.consumed, (tile - 1) % 2);
    barrier_expect(&shared.arrived, kTileBytes);
    load_tile(shared.left, left_map, tile * kK, blockIdx.x * kM, &shared.arrived);
    load_tile(shared.right, right_map, tile * kK, 0, &shared.arrived);
  }
}

__device__ inline void multiply_role(Shared& shared, unsigned tiles) {
  if (!elect_lane()) return;
#pragma unroll 1
  for (unsigned tile = 0; tile < tiles; ++tile) {
    barrier_wait(&shared.arrived, tile % 2);
#pragma unroll
    for (unsigned k = 0; k < kK; k += kProductK) {
      multiply_tile(shared.sums, swizzled_tile(shared.left + k), swizzled_tile(shared.right + k),
                    tile + k > 0);
    }
    multiply_commit(&shared.consumed);
  }
  multiply_commit(&shared.finished);
}

// One chunk of a row: out of tensor memory, bias added, two columns to a register.
__device__ inline void take_chunk(unsigned (&packed)[kChunk / 2], const Shared& shared,
                                  const float4* __restrict__ bias, unsigned column) {
  float sums[kChunk];
  load_sums(sums, shared.sums + (threadIdx.x / 32 << 21) + column);
#pragma unroll
  for (unsigned i = 0; i < kChunk / 4; ++i) {
    const float4 add = bias[column / 4 + i];
    packed[2 * i] = to_bf16x2(sums[4 * i] + add.x, sums[4 * i + 1] + add.y);
    packed[2 * i + 1] = to_bf16x2(sums[4 * i + 2] + add.z, sums[4 * i + 3] + add.w);
  }
}

__device__ inline void await_sums(Shared& shared) {
  barrier_wait(&shared.finished, 0);
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

__device__ inline void finish(Shared& shared) {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  if (threadIdx.x / 32 == kMultiplyWarp) free_sums(shared.sums);
}

// sass: tcgen05_staged the loop of the epilogue, in this order: LDTM, 16 FADD and 8 F2FP among
//   each other, 2 STS.128, a fence to the asynchronous proxy, UTMASTG by one lane; no STG. The
//   roles are told apart by BRX
extern "C" __global__ __launch_bounds__(kThreads) void tcgen05_staged(
    const __grid_constant__ TensorMap left_map, const __grid_constant__ TensorMap right_map,
    const __grid_constant__ TensorMap result_map,  // (gridDim.x * kM, kN) of BF16
    const float4* __restrict__ bias,               // (kN / 4)
    unsigned tiles) {
  __shared__ Shared shared;
  __shared__ alignas(128) uint4 stage[2][kEpilogueWarps][32][2];
  const unsigned warp = warp_index();
  const unsigned lane = threadIdx.x % 32;
  prepare(shared);
  if (warp == kLoadWarp) {
    load_role(shared, left_map, right_map, tiles);
  } else if (warp == kMultiplyWarp) {
    multiply_role(shared, tiles);
  } else {
    await_sums(shared);
#pragma unroll 1
    for (unsigned column = 0; column < kN; column += kChunk) {
      unsigned packed[kChunk / 2];
      take_chunk(packed, shared, bias, column);
      uint4* const row = stage[column / kChunk % 2][warp][lane];
      row[0] = make_uint4(packed[0], packed[1], packed[2], packed[3]);
      row[1] = make_uint4(packed[4], packed[5], packed[6], packed[7]);
      fence_to_async();
      __syncwarp();
      if (elect_lane()) {
        store_tile(result_map, column, blockIdx.x * kM + warp * 32, row);
        store_commit();
        store_wait_read<1>();
      }
      __syncwarp();
    }
  }
  finish(shared);
}

// sass: tcgen05_direct the loop of the epilogue, in this order: LDTM, 16 FADD and 8 F2FP among
//   each other, 1 store of 32 bytes; no STS, no fence, no UTMASTG. The roles are told apart by
//   BRX
extern "C" __global__ __launch_bounds__(kThreads) void tcgen05_direct(
    const __grid_constant__ TensorMap left_map, const __grid_constant__ TensorMap right_map,
    Bf16* __restrict__ results,       // (gridDim.x * kM, kN)
    const float4* __restrict__ bias,  // (kN / 4)
    unsigned tiles) {
  __shared__ Shared shared;
  const unsigned warp = warp_index();
  prepare(shared);
  if (warp == kLoadWarp) {
    load_role(shared, left_map, right_map, tiles);
  } else if (warp == kMultiplyWarp) {
    multiply_role(shared, tiles);
  } else {
    await_sums(shared);
    Bf16* const row = results + (blockIdx.x * kM + threadIdx.x) * kN;
#pragma unroll 1
    for (unsigned column = 0; column < kN; column += kChunk) {
      unsigned packed[kChunk / 2];
      take_chunk(packed, shared, bias, column);
      asm volatile("st.global.v8.b32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8};" ::"l"(row + column),
                   "r"(packed[0]), "r"(packed[1]), "r"(packed[2]), "r"(packed[3]), "r"(packed[4]),
                   "r"(packed[5]), "r"(packed[6]), "r"(packed[7])
                   : "memory");
    }
  }
  finish(shared);
}

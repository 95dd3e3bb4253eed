// SPDX-License-Identifier: Apache-2.0
//
// The instructions that CUDA C++ has no name for, as the kernels in this folder use them: each
// function is one PTX instruction, so that what the machine code must hold can be told from the
// source.
#pragma once

#include <cuda_bf16.h>

using Bf16 = __nv_bfloat16;

// What cuTensorMapEncodeTiled fills in; nothing here looks inside.
struct alignas(64) TensorMap {
  unsigned long long opaque[16];
};

__device__ inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// Two FP32 values as BF16, the first in the low half.
__device__ inline unsigned to_bf16x2(float low, float high) {
  unsigned packed;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
}

// --- warps' own copies and products: sm_80 and later ---------------------------------------------

// Sixteen bytes from global to shared memory, past the registers.
__device__ inline void copy_async(void* target, const void* source) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(target)),
               "l"(source)
               : "memory");
}

__device__ inline void copy_async_finish() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// A named barrier for `threads` threads: wait at it, or only tell that one has come.
template <int kBarrier>
__device__ inline void named_sync(unsigned threads) {
  asm volatile("bar.sync %0, %1;" ::"n"(kBarrier), "r"(threads) : "memory");
}

template <int kBarrier>
__device__ inline void named_arrive(unsigned threads) {
  asm volatile("bar.arrive %0, %1;" ::"n"(kBarrier), "r"(threads) : "memory");
}

__device__ inline void load_matrices(unsigned (&matrices)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(matrices[0]), "=r"(matrices[1]), "=r"(matrices[2]), "=r"(matrices[3])
               : "r"(shared_address(row)));
}

// sums += left * right, for 16 x 16 and 16 x 8 BF16 values, by one warp.
__device__ inline void multiply_warp(float (&sums)[4], const unsigned (&left)[4], unsigned right0,
                                     unsigned right1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right0), "r"(right1));
}

// --- mbarriers and TMA: sm_90 and later
// -----------------------------------------------

// The number of the warp, from a register that the whole warp shares.
__device__ inline unsigned warp_index() { return __shfl_sync(0xffffffffu, threadIdx.x / 32, 0); }

// True in one lane of the warp. The compiler then knows that one thread is left, and starts a copy
// without a loop over the lanes.
__device__ inline bool elect_lane() {
  unsigned elected;
  asm volatile(
      "{\n"
      ".reg .pred one;\n"
      "elect.sync _|one, 0xffffffff;\n"
      "selp.u32 %0, 1, 0, one;\n"
      "}\n"
      : "=r"(elected));
  return elected != 0;
}

using Barrier = unsigned long long;

__device__ inline void barrier_init(Barrier* barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}

__device__ inline void barrier_arrive(Barrier* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
}

// Arrives, and makes the phase last until that many bytes have been copied.
__device__ inline void barrier_expect(Barrier* barrier, unsigned bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}

__device__ inline void barrier_wait(Barrier* barrier, unsigned parity) {
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

// Makes what this thread has written to shared memory visible to TMA and to the tensor
// cores' reads of it.
__device__ inline void fence_to_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ inline void copy_bulk(void* target, const void* source, unsigned bytes,
                                 Barrier* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1], %2, [%3];" ::"r"(shared_address(target)),
      "l"(source), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

__device__ inline void load_tile(void* target, const TensorMap& map, unsigned x, unsigned y,
                                 Barrier* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(target)),
      "l"(&map), "r"(x), "r"(y), "r"(shared_address(barrier))
      : "memory");
}

__device__ inline void store_tile(const TensorMap& map, unsigned x, unsigned y,
                                  const void* source) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(
          &map),
      "r"(x), "r"(y), "r"(shared_address(source))
      : "memory");
}

__device__ inline void store_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

// Waits until TMA has read the sources of all but the last kPending groups.
template <int kPending>
__device__ inline void store_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
}

// An operand tile of 64 columns of BF16 whose rows are 128 bytes, in the 128-byte swizzle: the
// address, and 1024 bytes from eight rows to the next.
__device__ inline unsigned long long swizzled_tile(const void* tile) {
  constexpr unsigned long long kEightRows = 1024 / 16;
#if defined(__CUDA_ARCH_FEAT_SM100_ALL)
  constexpr unsigned long long kFixed = 1ull << 46 | 2ull << 61;
#else
  constexpr unsigned long long kFixed = 1ull << 62;
#endif
  return (shared_address(tile) & 0x3ffff) >> 4 | 1ull << 16 | kEightRows << 32 | kFixed;
}

// --- products of a warp group: sm_90a only
// --------------------------------------------------------

__device__ inline void products_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

__device__ inline void products_finish() {
  asm volatile(
      "wgmma.commit_group.sync.aligned;\n"
      "wgmma.wait_group.sync.aligned 0;" ::
          : "memory");
}

// sums += left * right, for 64 x 16 and 16 x 32 BF16 values in shared memory; issued, not finished.
__device__ inline void multiply_group(float (&sums)[16], unsigned long long left,
                                      unsigned long long right) {
  asm volatile(
      "{\n"
      ".reg .pred add;\n"
      "setp.eq.u32 add, 0, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, "
      "%16, %17, add, 1, 1, 0, 0;\n"
      "}\n"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]), "+f"(sums[4]), "+f"(sums[5]),
        "+f"(sums[6]), "+f"(sums[7]), "+f"(sums[8]), "+f"(sums[9]), "+f"(sums[10]), "+f"(sums[11]),
        "+f"(sums[12]), "+f"(sums[13]), "+f"(sums[14]), "+f"(sums[15])
      : "l"(left), "l"(right));
}

// The same with the left operand in registers.
__device__ inline void multiply_group(float (&sums)[16], const unsigned (&left)[4],
                                      unsigned long long right) {
  asm volatile(
      "{\n"
      ".reg .pred add;\n"
      "setp.eq.u32 add, 0, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, "
      "{%16, %17, %18, %19}, %20, add, 1, 1, 0;\n"
      "}\n"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]), "+f"(sums[4]), "+f"(sums[5]),
        "+f"(sums[6]), "+f"(sums[7]), "+f"(sums[8]), "+f"(sums[9]), "+f"(sums[10]), "+f"(sums[11]),
        "+f"(sums[12]), "+f"(sums[13]), "+f"(sums[14]), "+f"(sums[15])
      : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "l"(right));
}

// SPDX-License-Identifier: Apache-2.0
//
// The PTX instructions of sm_100a beside those of hopper/ptx.cuh: tcgen05 for a pair of blocks that
// multiply together (cta_group::2). Each block holds half of the rows of A and half of B in shared
// memory, one thread of the first issues the products for both, and each gets the accumulators of
// its own rows of A in its own tensor memory.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "../hopper/ptx.cuh"
#include "descriptor.h"

namespace blackwell {

using hopper::Mbarrier;
using hopper::shared_address;

// --- tensor memory: (128 lanes, 512 columns) of 32 bits ------------------------------------------

// One warp of each block executes it; kColumns is a power of two, at least 32.
template <std::uint32_t kColumns>
__device__ inline void tmem_alloc(std::uint32_t* address) {
  asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(
                   shared_address(address)),
               "n"(kColumns)
               : "memory");
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;" ::: "memory");
}
template <std::uint32_t kColumns>
__device__ inline void tmem_dealloc(std::uint32_t address) {
  asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(address), "n"(kColumns)
               : "memory");
}

// A pair of these orders tcgen05 instructions before a barrier with those after it.
__device__ inline void tcgen05_fence_before() {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}
__device__ inline void tcgen05_fence_after() {
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

// 32 columns of the thread's own lane.
__device__ inline void tmem_load(float (&d)[32], std::uint32_t address) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x32.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11,\n"
      "%12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29,\n"
      "%30, %31}, [%32];\n"
      "tcgen05.wait::ld.sync.aligned;"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]), "=f"(d[4]), "=f"(d[5]), "=f"(d[6]),
        "=f"(d[7]), "=f"(d[8]), "=f"(d[9]), "=f"(d[10]), "=f"(d[11]), "=f"(d[12]), "=f"(d[13]),
        "=f"(d[14]), "=f"(d[15]), "=f"(d[16]), "=f"(d[17]), "=f"(d[18]), "=f"(d[19]), "=f"(d[20]),
        "=f"(d[21]), "=f"(d[22]), "=f"(d[23]), "=f"(d[24]), "=f"(d[25]), "=f"(d[26]), "=f"(d[27]),
        "=f"(d[28]), "=f"(d[29]), "=f"(d[30]), "=f"(d[31])
      : "r"(address)
      : "memory");
}

// --- products: one thread of the first block -----------------------------------------------------

// d (256, N) (+)= a (256, 16) * b (N, 16)^T, bf16. `d` is an address in tensor memory, `a` and `b`
// are descriptors of tiles, `instruction` is that of descriptor.h.
__device__ inline void mma_bf16(std::uint32_t d, std::uint64_t a, std::uint64_t b,
                                std::uint32_t instruction, bool accumulate) {
  asm volatile(
      "{\n"
      ".reg .pred accumulate;\n"
      "setp.ne.b32 accumulate, %4, 0;\n"
      "tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, accumulate;\n"
      "}\n" ::"r"(d),
      "l"(a), "l"(b), "r"(instruction), "r"(static_cast<int>(accumulate))
      : "memory");
}

// The same for e2m1, 64 values along K, with a scale for every 16; the scales of both operands are
// in tensor memory.
__device__ inline void mma_block_scaled(std::uint32_t d, std::uint64_t a, std::uint64_t b,
                                        std::uint32_t a_scales, std::uint32_t b_scales,
                                        std::uint32_t instruction, bool accumulate) {
  asm volatile(
      "{\n"
      ".reg .pred accumulate;\n"
      "setp.ne.b32 accumulate, %6, 0;\n"
      "tcgen05.mma.cta_group::2.kind::mxf4nvf4.block_scale.block16 [%0], %1, %2, %3, [%4], [%5], "
      "accumulate;\n"
      "}\n" ::"r"(d),
      "l"(a), "l"(b), "r"(instruction), "r"(a_scales), "r"(b_scales),
      "r"(static_cast<int>(accumulate))
      : "memory");
}

// A block of scales (512 bytes) from each block's shared memory to its tensor memory: four columns.
// It is ordered before later products of the same thread.
__device__ inline void copy_scales(std::uint32_t address, std::uint64_t block) {
  asm volatile("tcgen05.cp.cta_group::2.32x128b.warpx4 [%0], %1;" ::"r"(address), "l"(block)
               : "memory");
}

// Arrives at the mbarrier of this offset in both blocks when all products issued so far are done.
__device__ inline void tcgen05_commit(Mbarrier& mbarrier) {
  constexpr std::uint16_t kBoth = 3;
  asm volatile(
      "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64"
      " [%0], %1;" ::"r"(shared_address(&mbarrier)),
      "h"(kBoth)
      : "memory");
}

// TMA load into this block's shared memory; the mbarrier may be the other block's.
__device__ inline void tma_load_pair(void* target, const CUtensorMap& map, int x, int y,
                                     std::uint32_t mbarrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".cta_group::2 [%0], [%1, {%3, %4}], [%2];" ::"r"(shared_address(target)),
      "l"(&map), "r"(mbarrier), "r"(x), "r"(y)
      : "memory");
}

}  // namespace blackwell

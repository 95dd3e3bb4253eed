// SPDX-License-Identifier: Apache-2.0
//
// Blackwell's tensor instructions for a pair of blocks that multiply together (cta_group::2): each
// holds half of the rows of `left` and half of `right`, one thread of the first issues the products
// for both, and each gets the sums of its own rows in its own tensor memory.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "../hopper/barrier.cuh"
#include "descriptor.h"

namespace blackwell {

using hopper::Barrier;
using hopper::shared_address;

// --- tensor memory: 128 lanes of 512 columns of 32 bits ------------------------------------------

// By one warp of each of the two blocks; kColumns is a power of two, at least 32.
template <std::uint32_t kColumns>
__device__ inline void allocate(std::uint32_t* place) {
  asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(
                   shared_address(place)),
               "n"(kColumns)
               : "memory");
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;" ::: "memory");
}
template <std::uint32_t kColumns>
__device__ inline void free(std::uint32_t place) {
  asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(place), "n"(kColumns)
               : "memory");
}

// What tcgen05 did before a barrier and what it does behind one are ordered by a pair of these.
__device__ inline void fence_before_barrier() {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}
__device__ inline void fence_after_barrier() {
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

// 32 columns of the thread's own lane, from `place` on.
__device__ inline void load_sums(float (&sums)[32], std::uint32_t place) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x32.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11,\n"
      "%12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29,\n"
      "%30, %31}, [%32];\n"
      "tcgen05.wait::ld.sync.aligned;"
      : "=f"(sums[0]), "=f"(sums[1]), "=f"(sums[2]), "=f"(sums[3]), "=f"(sums[4]), "=f"(sums[5]),
        "=f"(sums[6]), "=f"(sums[7]), "=f"(sums[8]), "=f"(sums[9]), "=f"(sums[10]), "=f"(sums[11]),
        "=f"(sums[12]), "=f"(sums[13]), "=f"(sums[14]), "=f"(sums[15]), "=f"(sums[16]),
        "=f"(sums[17]), "=f"(sums[18]), "=f"(sums[19]), "=f"(sums[20]), "=f"(sums[21]),
        "=f"(sums[22]), "=f"(sums[23]), "=f"(sums[24]), "=f"(sums[25]), "=f"(sums[26]),
        "=f"(sums[27]), "=f"(sums[28]), "=f"(sums[29]), "=f"(sums[30]), "=f"(sums[31])
      : "r"(place)
      : "memory");
}

// --- products: one thread of the first block -----------------------------------------------------

// sums (+)= left * right^T, 16 values along K.
__device__ inline void multiply_bf16(std::uint32_t sums, std::uint64_t left, std::uint64_t right,
                                     std::uint32_t product, bool add) {
  asm volatile(
      "{\n"
      ".reg .pred add;\n"
      "setp.ne.b32 add, %4, 0;\n"
      "tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, add;\n"
      "}\n" ::"r"(sums),
      "l"(left), "l"(right), "r"(product), "r"(static_cast<int>(add))
      : "memory");
}

// The same for e2m1 with scales for every 16 values, 64 values along K; the scales of both are in
// tensor memory.
__device__ inline void multiply_scaled(std::uint32_t sums, std::uint64_t left, std::uint64_t right,
                                       std::uint32_t left_scales, std::uint32_t right_scales,
                                       std::uint32_t product, bool add) {
  asm volatile(
      "{\n"
      ".reg .pred add;\n"
      "setp.ne.b32 add, %6, 0;\n"
      "tcgen05.mma.cta_group::2.kind::mxf4nvf4.block_scale.block16 [%0], %1, %2, %3, [%4], [%5], "
      "add;\n"
      "}\n" ::"r"(sums),
      "l"(left), "l"(right), "r"(product), "r"(left_scales), "r"(right_scales),
      "r"(static_cast<int>(add))
      : "memory");
}

// A block of scales (512 bytes) from each block's shared memory to its tensor memory: four columns.
// Products of the same thread behind it see it.
__device__ inline void copy_scales(std::uint32_t place, std::uint64_t block) {
  asm volatile("tcgen05.cp.cta_group::2.32x128b.warpx4 [%0], %1;" ::"r"(place), "l"(block)
               : "memory");
}

// In both blocks, the barrier at this place is told when all products issued so far are done.
__device__ inline void commit(Barrier& barrier) {
  constexpr std::uint16_t kBoth = 3;
  asm volatile(
      "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64"
      " [%0], %1;" ::"r"(shared_address(&barrier)),
      "h"(kBoth)
      : "memory");
}

// A tile into this block's shared memory; the barrier may be the other block's.
__device__ inline void load_tile(void* target, const CUtensorMap& map, int x, int y,
                                 std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2"
      " [%0], [%1, {%3, %4}], [%2];" ::"r"(shared_address(target)),
      "l"(&map), "r"(barrier), "r"(x), "r"(y)
      : "memory");
}

}  // namespace blackwell

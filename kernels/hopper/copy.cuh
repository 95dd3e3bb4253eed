// SPDX-License-Identifier: Apache-2.0
//
// The copy engine (TMA): tiles between global and shared memory, by a map that the host makes
// (tensor_map.h). One thread starts a copy; loads tell a barrier of their bytes, stores are waited
// for in groups.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "barrier.cuh"

namespace hopper {

// Of swizzled tiles in shared memory, in bytes.
inline constexpr std::uint32_t kTileAlignment = 1024;

// What a block has in shared memory, from the first place on where a tile may begin. A step from
// `memory` and not a number made anew: the compiler still knows what is read there as shared (LDS).
template <class Layout>
__device__ inline Layout& aligned(std::uint8_t* memory) {
  return *reinterpret_cast<Layout*>(memory + (0U - shared_address(memory)) % kTileAlignment);
}

// How long L2 should keep what a copy touches.
inline constexpr std::uint64_t kEvictFirst = 0x12F0000000000000U;
inline constexpr std::uint64_t kEvictLast = 0x14F0000000000000U;

__device__ inline void prefetch(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

// The tile whose first element is (x, y), x along the contiguous side.
__device__ inline void load_tile(void* target, const CUtensorMap& map, int x, int y,
                                 Barrier& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%3, %4}], [%2];" ::"r"(shared_address(target)),
      "l"(&map), "r"(shared_address(&barrier)), "r"(x), "r"(y)
      : "memory");
}

// The same into all blocks of the cluster whose bit is set, at the same place, telling the barrier
// at the same place in each.
__device__ inline void load_tile(void* target, const CUtensorMap& map, int x, int y,
                                 Barrier& barrier, std::uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared_address(target)),
      "l"(&map), "r"(shared_address(&barrier)), "r"(x), "r"(y), "h"(blocks)
      : "memory");
}

// Bytes that lie close, without a map: a multiple of 16.
__device__ inline void load_bytes(void* target, const void* source, std::uint32_t bytes,
                                  std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_address(target)),
      "l"(source), "r"(bytes), "r"(barrier)
      : "memory");
}

__device__ inline void store_tile(const CUtensorMap& map, int x, int y, const void* source,
                                  std::uint64_t hint) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group.L2::cache_hint"
      " [%0, {%2, %3}], [%1], %4;" ::"l"(&map),
      "r"(shared_address(source)), "r"(x), "r"(y), "l"(hint)
      : "memory");
}
__device__ inline void commit_stores() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
// Until all but so many groups have read their shared memory, which then may be written again.
template <int kGroups>
__device__ inline void wait_stores_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kGroups) : "memory");
}
// Until all of them can be seen in global memory.
__device__ inline void wait_stores() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

// What this thread wrote to shared memory may now be read by the copy engine or the tensor cores,
// once others know that it was written.
__device__ inline void fence_for_copies() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

}  // namespace hopper

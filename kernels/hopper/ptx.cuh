// SPDX-License-Identifier: Apache-2.0
//
// The PTX instructions of sm_90a that CUDA C++ has no name for: each function is one instruction,
// named after it. Beside this file, only wgmma.cuh (generated) and ../blackwell/tcgen05.cuh have
// inline assembly.
//
//   addresses          shared_address, map_to_rank (mapa)
//   mbarrier           Mbarrier: init, arrive, arrive_expect_tx, arrive_remote, try_wait, wait
//   other barriers     cluster_arrive, cluster_wait, named_barrier_sync, named_barrier_arrive
//   TMA                tma_load, tma_load_multicast, tma_store, bulk_load, bulk_* groups
//   cp.async           cp_async_16, cp_async_wait_all
//   wgmma              wgmma_fence, wgmma_commit_group, wgmma_wait_group
//   warp matrices      ldmatrix_x4, stmatrix_x4, mma_m16n8k16
//   roles and grids    elect_one, setmaxnreg_*, griddepcontrol_*
//   16-bit values      to_bf16x2, to_f16x2, mul_bf16x2
//   memory accesses    ld_global_nc_*, ld_shared_v4, st_shared_*
#pragma once

#include <cuda.h>

#include <cstdint>

namespace hopper {

// --- addresses -----------------------------------------------------------------------------------

__device__ inline std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// The same offset in the shared memory of another block of the cluster.
__device__ inline std::uint32_t map_to_rank(std::uint32_t address, std::uint32_t rank) {
  std::uint32_t mapped;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}

// --- mbarrier ------------------------------------------------------------------------------------

// A phase completes when all expected arrivals and all expected bytes have come; its parity then
// flips. Waiting for parity p returns once the phase of parity p has completed.
struct Mbarrier {
  std::uint64_t state;

  __device__ void init(std::uint32_t arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(this)),
                 "r"(arrivals)
                 : "memory");
  }
  // Arrives, and keeps the phase open until TMA has delivered this many bytes.
  __device__ void arrive_expect_tx(std::uint32_t bytes) {
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(this)),
        "r"(bytes)
        : "memory");
  }
  __device__ void arrive() {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(this)) : "memory");
  }
  // Arrives at the mbarrier of the same offset in another block of the cluster. It has no .release
  // at cluster scope: that compiles to MEMBAR.ALL.GPU, which waits for all memory traffic of the
  // thread, and no other block reads what this thread wrote.
  __device__ void arrive_remote(std::uint32_t rank) {
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(
                     map_to_rank(shared_address(this), rank))
                 : "memory");
  }
  __device__ bool try_wait(std::uint32_t parity) {
    std::uint32_t done;
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n"
        "selp.u32 %0, 1, 0, done;\n"
        "}\n"
        : "=r"(done)
        : "r"(shared_address(this)), "r"(parity)
        : "memory");
    return done != 0;
  }
  // A hang is the usual failure of such kernels. Debug builds trap instead: the longest wait of a
  // correct kernel is far below a second.
  __device__ void wait(std::uint32_t parity) {
#ifdef HOPPER_DEBUG
    for (long long tries = 0; !try_wait(parity); ++tries) {
      if (tries > 4'000'000) __trap();
    }
#else
    while (!try_wait(parity)) {
    }
#endif
  }
};

// Makes initialised mbarriers visible to TMA and to the cluster; a barrier has to follow.
__device__ inline void fence_mbarrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// --- cluster barrier and named barriers ----------------------------------------------------------

__device__ inline void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ inline void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ inline std::uint32_t cluster_rank() {
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// `threads` counts those that wait and those that only arrive.
template <int kBarrier>
__device__ inline void named_barrier_sync(std::uint32_t threads) {
  asm volatile("bar.sync %0, %1;" ::"n"(kBarrier), "r"(threads) : "memory");
}
template <int kBarrier>
__device__ inline void named_barrier_arrive(std::uint32_t threads) {
  asm volatile("bar.arrive %0, %1;" ::"n"(kBarrier), "r"(threads) : "memory");
}

// --- TMA: one thread issues a copy; tensor maps come from tensor_map.h ---------------------------

// L2 cache hint.
inline constexpr std::uint64_t kEvictFirst = 0x12F0000000000000U;

__device__ inline void prefetch_tensor_map(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

// Loads the box whose first element is (x, y), x along the contiguous dimension.
__device__ inline void tma_load(void* target, const CUtensorMap& map, int x, int y,
                                Mbarrier& mbarrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%3, %4}], [%2];" ::"r"(shared_address(target)),
      "l"(&map), "r"(shared_address(&mbarrier)), "r"(x), "r"(y)
      : "memory");
}

// The same to all blocks of the cluster whose bit is set in `blocks`: data and mbarrier are at the
// same offsets in each.
__device__ inline void tma_load_multicast(void* target, const CUtensorMap& map, int x, int y,
                                          Mbarrier& mbarrier, std::uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared_address(target)),
      "l"(&map), "r"(shared_address(&mbarrier)), "r"(x), "r"(y), "h"(blocks)
      : "memory");
}

// Contiguous bytes, without a tensor map. `bytes` is a multiple of 16; `mbarrier` is an address in
// shared memory, possibly that of another block (map_to_rank).
__device__ inline void bulk_load(void* target, const void* source, std::uint32_t bytes,
                                 std::uint32_t mbarrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(target)),
      "l"(source), "r"(bytes), "r"(mbarrier)
      : "memory");
}

__device__ inline void tma_store(const CUtensorMap& map, int x, int y, const void* source,
                                 std::uint64_t hint) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group.L2::cache_hint"
      " [%0, {%2, %3}], [%1], %4;" ::"l"(&map),
      "r"(shared_address(source)), "r"(x), "r"(y), "l"(hint)
      : "memory");
}
__device__ inline void bulk_commit_group() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
// Waits until all but the last kPending groups have read shared memory, which may then be reused.
template <int kPending>
__device__ inline void bulk_wait_group_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
}
// Waits until all groups are written to global memory.
__device__ inline void bulk_wait_group() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// Orders this thread's st.shared and stmatrix before reads by TMA or wgmma (the async proxy). Every
// writing thread needs it, before the barrier that the issuing thread waits at.
__device__ inline void fence_proxy_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// --- cp.async ------------------------------------------------------------------------------------

// 16 bytes from global to shared memory.
__device__ inline void cp_async_16(std::uint32_t target, const void* source) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target), "l"(source) : "memory");
}
__device__ inline void cp_async_wait_all() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// --- wgmma: the products themselves are in wgmma.cuh ---------------------------------------------

// Before the first product, and after any other write to registers that a product uses.
__device__ inline void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void wgmma_commit_group() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
// Waits until at most kPending groups are in flight. Only then may the accumulators and operands of
// the others be touched.
template <int kPending>
__device__ inline void wgmma_wait_group() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

// --- matrices of one warp ------------------------------------------------------------------------

// Four 8 x 8 matrices of 16-bit values between shared memory and fragments (fragment.h). Lane l
// gives the address of row l % 8 of matrix l / 8, 16 bytes.
__device__ inline void stmatrix_x4(std::uint32_t address, std::uint32_t m0, std::uint32_t m1,
                                   std::uint32_t m2, std::uint32_t m3) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),
               "r"(m0), "r"(m1), "r"(m2), "r"(m3)
               : "memory");
}
__device__ inline void ldmatrix_x4(std::uint32_t (&matrices)[4], std::uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(matrices[0]), "=r"(matrices[1]), "=r"(matrices[2]), "=r"(matrices[3])
               : "r"(address));
}

// d (16, 8) += a (16, 16) * b (8, 16)^T, bf16 with fp32 accumulators.
__device__ inline void mma_m16n8k16(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                    std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// --- warp roles and dependent grids --------------------------------------------------------------

// The warp's index in its block. The shuffle tells the compiler that it is uniform in the warp.
__device__ inline std::uint32_t warp_index() {
  return __shfl_sync(0xffffffffU, threadIdx.x / 32, 0);
}

// True in one lane. Around a TMA instruction, a branch on `lane == 0` compiles to a loop over
// lanes; this does not.
__device__ inline bool elect_one() {
  std::uint32_t elected;
  asm volatile(
      "{\n"
      ".reg .pred one;\n"
      "elect.sync _|one, 0xffffffff;\n"
      "selp.u32 %0, 1, 0, one;\n"
      "}\n"
      : "=r"(elected));
  return elected != 0;
}

// Registers per thread of this warpgroup from here on: a multiple of 8, from 24 to 256. The kernel
// needs __launch_bounds__, and the whole warpgroup has to execute it.
template <int kRegisters>
__device__ inline void setmaxnreg_dec() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
__device__ inline void setmaxnreg_inc() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

// Programmatic dependent launch: the next kernel of the stream, if launched with the attribute, may
// start on SMs that this grid leaves free, before this grid's results are visible.
__device__ inline void griddepcontrol_launch_dependents() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
// The dependent kernel's side: waits until the kernel before has ended and its writes are visible.
__device__ inline void griddepcontrol_wait() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

// --- 16-bit values -------------------------------------------------------------------------------

// Two fp32 values, rounded; the first goes to the low half.
__device__ inline std::uint32_t to_bf16x2(float low, float high) {
  std::uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
}
__device__ inline std::uint32_t to_f16x2(float low, float high) {
  std::uint32_t packed;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
}
__device__ inline std::uint32_t mul_bf16x2(std::uint32_t x, std::uint32_t y) {
  std::uint32_t product;
  asm("mul.rn.bf16x2 %0, %1, %2;" : "=r"(product) : "r"(x), "r"(y));
  return product;
}

// --- memory accesses -----------------------------------------------------------------------------

// Read-only data that is used once: it takes no line of L1.
__device__ inline uint4 ld_global_nc_no_allocate_v4(const void* source) {
  uint4 value;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(source));
  return value;
}
__device__ inline std::uint32_t ld_global_nc(const void* source) {
  std::uint32_t value;
  asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(value) : "l"(source));
  return value;
}

__device__ inline uint4 ld_shared_v4(std::uint32_t address) {
  uint4 value;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "r"(address)
               : "memory");
  return value;
}
__device__ inline void st_shared_v4(std::uint32_t address, uint4 value) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(value.x),
               "r"(value.y), "r"(value.z), "r"(value.w)
               : "memory");
}
// Volatile: the compiler does not merge neighbouring stores.
__device__ inline void st_shared_volatile(std::uint32_t address, std::uint16_t value) {
  asm volatile("st.volatile.shared.u16 [%0], %1;" ::"r"(address), "h"(value) : "memory");
}
// To distributed shared memory: an address from map_to_rank.
__device__ inline void st_shared_cluster_v4(std::uint32_t address, const float (&value)[4]) {
  asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(address), "f"(value[0]),
               "f"(value[1]), "f"(value[2]), "f"(value[3])
               : "memory");
}

}  // namespace hopper

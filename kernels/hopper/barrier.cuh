// SPDX-License-Identifier: Apache-2.0
//
// Barriers in shared memory (mbarriers) and the ring of stages that is built from them: a producer
// fills stage after stage, consumers empty them, and neither waits for more than it must.
#pragma once

#include <cstdint>

namespace hopper {

__device__ inline std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// In the block of that rank of the cluster.
__device__ inline std::uint32_t shared_address_of(std::uint32_t address, std::uint32_t rank) {
  std::uint32_t mapped;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}

struct Barrier {
  std::uint64_t state;

  __device__ void init(std::uint32_t arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(this)), "r"(arrivals)
                 : "memory");
  }
  // Arrives, and lets the phase last until so many bytes have come.
  __device__ void expect(std::uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                     shared_address(this)),
                 "r"(bytes)
                 : "memory");
  }
  __device__ void arrive() {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(this)) : "memory");
  }
  // At the same barrier of another block of the cluster. It orders nothing that other blocks read:
  // released to the whole cluster, each arrival would wait for all memory traffic of the thread.
  __device__ void arrive_at(std::uint32_t rank) {
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(
                     shared_address_of(shared_address(this), rank))
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
  // A wait that never ends is how such kernels usually fail. In debug builds it ends them instead:
  // the longest wait of a right kernel is far below a second.
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

// How many lanes of a warp tell that all of it has read a stage. One is enough behind __syncwarp; but
// racecheck orders only what the arriving thread itself has read, so in debug builds each one tells.
#ifdef HOPPER_DEBUG
inline constexpr std::uint32_t kArrivingLanes = 32;
#else
inline constexpr std::uint32_t kArrivingLanes = 1;
#endif

// After barriers were initialised, before anybody else uses them.
__device__ inline void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

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

// Barriers by number, for `threads` threads together: wait, or only tell that one has come.
template <int kBarrier>
__device__ inline void named_sync(std::uint32_t threads) {
  asm volatile("bar.sync %0, %1;" ::"n"(kBarrier), "r"(threads) : "memory");
}
template <int kBarrier>
__device__ inline void named_arrive(std::uint32_t threads) {
  asm volatile("bar.arrive %0, %1;" ::"n"(kBarrier), "r"(threads) : "memory");
}

// Where somebody stands in a ring of stages: which stage is next, and the parity of its phase.
template <std::uint32_t kStages>
struct RingPlace {
  std::uint32_t stage = 0;
  std::uint32_t parity = 0;

  __device__ void advance() {
    if (++stage == kStages) {
      stage = 0;
      parity ^= 1U;
    }
  }
  __device__ void advance(std::uint32_t steps) {
    const std::uint32_t reached = stage + steps;
    stage = reached % kStages;
    parity ^= (reached / kStages) & 1U;
  }
};

// full: the stage's bytes have come. empty: all who read it are done with it. A producer's first
// waits at `empty` must pass at once, so it begins with the other parity.
template <std::uint32_t kStages>
struct Ring {
  Barrier full[kStages];
  Barrier empty[kStages];

  __device__ void init(std::uint32_t readers) {
    for (std::uint32_t i = 0; i < kStages; ++i) {
      full[i].init(1);
      empty[i].init(readers);
    }
  }
};

}  // namespace hopper

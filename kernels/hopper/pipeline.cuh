// SPDX-License-Identifier: Apache-2.0
//
// A multi-stage pipeline in shared memory between one producer thread, which issues TMA loads, and
// the consumer warps, which feed the tensor cores. Every stage has two mbarriers:
//
//   full    one arrival (the producer's arrive_expect_tx) and the stage's bytes: it may be read
//   empty   an arrival of every consumer warp: it may be overwritten
//
// Producer                                      Consumer
//   PipelineState<kStages> state{0, 1};           PipelineState<kStages> state;
//   empty[state.stage].wait(state.parity);        full[state.stage].wait(state.parity);
//   full[state.stage].arrive_expect_tx(bytes);    ... wgmma on the stage, waited for ...
//   tma_load(..., full[state.stage]);             empty[state.stage].arrive();
//   state.advance();                              state.advance();
//
// All stages are empty at first, so the producer's first round must not block: it starts at parity
// 1, which a new mbarrier counts as completed.
#pragma once

#include <cstdint>

#include "descriptor.h"
#include "ptx.cuh"

namespace hopper {

// A position in the pipeline: the next stage, and the parity of its phase.
template <std::uint32_t kStages>
struct PipelineState {
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

template <std::uint32_t kStages>
struct Pipeline {
  Mbarrier full[kStages];
  Mbarrier empty[kStages];

  __device__ void init(std::uint32_t consumer_arrivals) {
    for (std::uint32_t i = 0; i < kStages; ++i) {
      full[i].init(1);
      empty[i].init(consumer_arrivals);
    }
  }
};

// Lanes of a consumer warp that arrive at `empty`. One is enough after __syncwarp, but racecheck
// does not follow __syncwarp: in debug builds every lane arrives for what it has read itself.
#ifdef HOPPER_DEBUG
inline constexpr std::uint32_t kArrivingLanes = 32;
#else
inline constexpr std::uint32_t kArrivingLanes = 1;
#endif

// Dynamic shared memory is only 16-byte aligned, swizzled tiles need kAtomBytes: launches ask for
// kAtomBytes more than sizeof(Layout). The result is an offset from `memory`, not a rounded
// integer: the compiler still knows the address space, and reads it by LDS instead of LD.
template <class Layout>
__device__ inline Layout& align_shared(std::uint8_t* memory) {
  return *reinterpret_cast<Layout*>(memory + (0U - shared_address(memory)) % kAtomBytes);
}

}  // namespace hopper

// SPDX-License-Identifier: Apache-2.0
//
// How many blocks of a kernel fit on one SM, what stops the next one, and the smallest change that
// lets it in. Pure arithmetic over the hardware facts of src/arch; the tests hold it against what
// ncu says of every capture, and against ncu's own tables of occupancy by registers, block size,
// shared memory and barriers.
//
// A cluster changes nothing here: it takes no more of an SM than its blocks do. What it leaves
// empty is between SMs and depends on how many each GPC has, which only the driver knows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "arch/arch.h"

namespace proofline {

struct BlockResources {
  std::uint32_t threads = 0;
  std::uint32_t registers_per_thread = 0;
  // Static and dynamic, without what the driver reserves.
  std::uint32_t shared_bytes = 0;
  // What the SM's shared memory was set to. Absent, or no size that the SM has: the largest.
  std::optional<std::uint32_t> shared_carveout = std::nullopt;
  std::uint32_t barriers = 0;
};

enum class BlockLimit { kRegisters, kSharedMemory, kWarps, kBlocks, kBarriers };
inline constexpr std::size_t kBlockLimitCount = 5;
// As facts spell it: "shared_memory".
std::string_view to_string(BlockLimit limit);

// Blocks on an SM by each limit alone, in the order of BlockLimit. What a block does not use does
// not limit: then it is as many as the SM can hold. Absent: the SM has no such limit.
using BlockLimits = std::array<std::optional<std::uint32_t>, kBlockLimitCount>;

struct Occupancy {
  BlockLimits limits;
  std::uint32_t blocks = 0;  // on an SM; 0: such a block cannot run
  std::uint32_t warps = 0;   // on an SM
  double share = 0;          // of the warps that an SM can hold
  // By shared memory, with the largest carve-out. The driver sets one that holds the blocks which
  // the other limits let in, so a carve-out that just does is no limit of its own.
  std::uint32_t most_by_shared_memory = 0;
};

Occupancy calculate_occupancy(const SmLimits& sm, const BlockResources& block);

struct OccupancyStep {
  BlockResources block;  // with the least change that raises the occupancy
  Occupancy occupancy;
};

// Where registers, shared memory or barriers stop the next block: as few less of each as let it in
// (or a larger carve-out, where that alone does). Where the block's size does: the size that fills
// the SM best. A carve-out that is not asked for is left to the driver. Absent at full occupancy
// and where no such change helps.
std::optional<OccupancyStep> next_occupancy_step(const SmLimits& sm, const BlockResources& block);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// The rules by which an SM hands out warps, registers, shared memory and barriers.
#include "analysis/launch/occupancy_calculator.h"

#include <algorithm>

namespace proofline {
namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::uint32_t warps_of(const SmLimits& sm, const BlockResources& block) {
  return static_cast<std::uint32_t>(round_up(block.threads, sm.warp_size) / sm.warp_size);
}

std::uint64_t allocated_shared(const SmLimits& sm, const BlockResources& block) {
  return round_up(std::uint64_t{block.shared_bytes} + sm.shared_reserved, sm.shared_granularity);
}

std::uint32_t carveout_of(const SmLimits& sm, const BlockResources& block) {
  for (const std::uint32_t size : sm.shared_carveouts) {
    if (block.shared_carveout == size) return size;
  }
  // ncu before 2020.2 wrote 48 KiB, whatever it was, and counted with the largest size.
  return sm.shared_carveouts.back();
}

std::uint32_t limit_by_warps(const SmLimits& sm, const BlockResources& block) {
  if (block.threads == 0 || block.threads > sm.max_threads_per_block) return 0;
  return sm.max_warps / warps_of(sm, block);
}

// Each warp lives in one sub-partition and takes its registers there.
std::uint32_t limit_by_registers(const SmLimits& sm, const BlockResources& block) {
  if (block.threads == 0 || block.registers_per_thread > sm.max_registers_per_thread) return 0;
  if (block.registers_per_thread == 0) return sm.max_blocks;
  const std::uint64_t for_a_warp =
      round_up(block.registers_per_thread * sm.warp_size, sm.register_granularity);
  const std::uint64_t warps = sm.registers / sm.sub_partitions / for_a_warp * sm.sub_partitions;
  return static_cast<std::uint32_t>(warps / warps_of(sm, block));
}

// A block that needs more than the carve-out makes the driver set the next that holds it.
std::uint32_t limit_by_shared_memory(const SmLimits& sm, const BlockResources& block) {
  const std::uint64_t needed = allocated_shared(sm, block);
  if (needed == 0) return sm.max_blocks;
  if (block.shared_bytes > sm.max_shared_per_block) return 0;
  const std::uint64_t least = std::max<std::uint64_t>(needed, carveout_of(sm, block));
  for (const std::uint32_t size : sm.shared_carveouts) {
    if (size >= least) return static_cast<std::uint32_t>(size / needed);
  }
  return 0;
}

std::optional<std::uint32_t> limit_by_barriers(const SmLimits& sm, const BlockResources& block) {
  if (!sm.barriers) return std::nullopt;
  if (block.barriers == 0) return sm.max_blocks;
  return std::min(sm.max_blocks, *sm.barriers / block.barriers);
}

std::optional<std::uint32_t> limit(const Occupancy& occupancy, BlockLimit which) {
  return occupancy.limits[static_cast<std::size_t>(which)];
}

bool binds(const Occupancy& occupancy, BlockLimit which) {
  return limit(occupancy, which) == occupancy.blocks;
}

// The size that fills the SM best; of several the nearest, then the smaller. For another size the
// driver chooses the carve-out anew.
std::optional<BlockResources> resize(const SmLimits& sm, const BlockResources& block,
                                     double share) {
  std::optional<BlockResources> best;
  const auto distance = [&](const BlockResources& other) {
    return std::max(other.threads, block.threads) - std::min(other.threads, block.threads);
  };
  for (std::uint32_t threads = sm.warp_size; threads <= sm.max_threads_per_block;
       threads += sm.warp_size) {
    BlockResources other = block;
    other.threads = threads;
    other.shared_carveout.reset();
    const double other_share = calculate_occupancy(sm, other).share;
    if (other_share > share ||
        (best && other_share == share && distance(other) < distance(*best))) {
      best = other;
      share = other_share;
    }
  }
  return best;
}

// Fewer bytes, where even the largest carve-out would not do.
bool shrink_shared_memory(const SmLimits& sm, std::uint32_t blocks, BlockResources& block) {
  block.shared_carveout.reset();
  if (limit_by_shared_memory(sm, block) >= blocks) return true;
  const std::uint32_t share = sm.shared_carveouts.back() / blocks;
  const std::uint32_t room = share / sm.shared_granularity * sm.shared_granularity;
  if (room < sm.shared_reserved) return false;
  block.shared_bytes = std::min(room - sm.shared_reserved, sm.max_shared_per_block);
  return true;
}

// A larger carve-out costs L1 cache only.
bool enlarge_carveout(const SmLimits& sm, std::uint32_t blocks, BlockResources& block) {
  for (const std::uint32_t size : sm.shared_carveouts) {
    if (size > carveout_of(sm, block) && size / allocated_shared(sm, block) >= blocks) {
      block.shared_carveout = size;
      return true;
    }
  }
  return false;
}

}  // namespace

std::string_view to_string(BlockLimit limit) {
  switch (limit) {
    case BlockLimit::kRegisters: return "registers";
    case BlockLimit::kSharedMemory: return "shared_memory";
    case BlockLimit::kWarps: return "warps";
    case BlockLimit::kBlocks: return "blocks";
    case BlockLimit::kBarriers: return "barriers";
  }
  return "";
}

Occupancy calculate_occupancy(const SmLimits& sm, const BlockResources& block) {
  Occupancy occupancy;
  occupancy.limits = {limit_by_registers(sm, block), limit_by_shared_memory(sm, block),
                      limit_by_warps(sm, block), sm.max_blocks, limit_by_barriers(sm, block)};
  occupancy.blocks = sm.max_blocks;
  for (const auto& each : occupancy.limits) {
    occupancy.blocks = std::min(occupancy.blocks, each.value_or(sm.max_blocks));
  }
  occupancy.warps = occupancy.blocks * warps_of(sm, block);
  occupancy.share = static_cast<double>(occupancy.warps) / sm.max_warps;
  BlockResources free = block;
  free.shared_carveout.reset();
  occupancy.most_by_shared_memory = limit_by_shared_memory(sm, free);
  return occupancy;
}

std::optional<OccupancyStep> next_occupancy_step(const SmLimits& sm, const BlockResources& block) {
  const Occupancy now = calculate_occupancy(sm, block);
  if (now.blocks == 0 || now.warps == sm.max_warps) return std::nullopt;
  BlockResources changed = block;
  const std::uint32_t wanted = now.blocks + 1;
  if (binds(now, BlockLimit::kWarps) || binds(now, BlockLimit::kBlocks)) {
    const auto resized = resize(sm, block, now.share);
    if (!resized) return std::nullopt;
    changed = *resized;
  } else {
    const bool others = binds(now, BlockLimit::kRegisters) || binds(now, BlockLimit::kBarriers);
    if (binds(now, BlockLimit::kBarriers)) changed.barriers = *sm.barriers / wanted;
    if (binds(now, BlockLimit::kSharedMemory) &&
        (others || !enlarge_carveout(sm, wanted, changed)) &&
        !shrink_shared_memory(sm, wanted, changed)) {
      return std::nullopt;
    }
    // Down to the 32 registers that fill any SM, since warps do not bind.
    while (limit_by_registers(sm, changed) < wanted) --changed.registers_per_thread;
  }
  return OccupancyStep{changed, calculate_occupancy(sm, changed)};
}

}  // namespace proofline

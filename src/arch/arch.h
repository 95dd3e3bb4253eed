// SPDX-License-Identifier: Apache-2.0
//
// Hardware facts by compute capability: what one SM holds and in which units it hands that out.
// Each generation is one file in this folder that defines `Arch <stem>()`; the list is made from
// the folder. Where the numbers come from:
//
//   [guide]      CUDA programming guide, appendix "Compute Capabilities", tables 30 and 31
//   [occupancy]  cuda_occupancy.h of CUDA 13.0, the calculator that the runtime's API uses
//   [captures]   what ncu reports of such a device (device__attribute_*, launch__*)
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace proofline {

inline constexpr std::uint32_t kKiB = 1024;

struct SmLimits {
  std::string_view compute_capability;  // "9.0"
  std::uint32_t max_warps;
  std::uint32_t max_blocks;
  // What an SM's shared memory can be set to, in bytes, smallest first; the rest is L1 cache.
  std::span<const std::uint32_t> shared_carveouts;
  // Per block, in bytes; more than 48 KiB needs cudaFuncAttributeMaxDynamicSharedMemorySize.
  std::uint32_t max_shared_per_block;
  std::uint32_t shared_granularity;
  // What the driver adds to each block's shared memory.
  std::uint32_t shared_reserved;
  // Named barriers of an SM. Absent where NVIDIA's calculators do not count them: before Hopper.
  std::optional<std::uint32_t> barriers;
  // Blocks of a cluster, the non-portable sizes included; 1: there are no clusters.
  std::uint32_t max_cluster_size;
  // Registers and warps are spread over these; each has one scheduler.
  std::uint32_t sub_partitions = 4;              // [occupancy]
  std::uint32_t registers = 65536;               // [guide]
  std::uint32_t register_granularity = 256;      // [occupancy]; for a warp
  std::uint32_t max_registers_per_thread = 255;  // [guide]
  std::uint32_t max_threads_per_block = 1024;    // [guide]
  std::uint32_t warp_size = 32;                  // [guide]
  // Columns of tensor memory of an SM; 0: there is none.
  std::uint32_t tmem_columns = 0;
};

struct Arch {
  std::string_view name;
  std::span<const SmLimits> capabilities;
};

std::span<const Arch> archs();

// By compute capability as reports spell it ("9.0"); null for a generation without limits here.
const SmLimits* find_sm_limits(std::string_view compute_capability);

}  // namespace proofline

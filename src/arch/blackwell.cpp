// SPDX-License-Identifier: Apache-2.0
//
// Blackwell: compute capability 10.0 and 10.3 (data centre), 11.0 (Thor; CUDA 12 called it 10.1),
// 12.0 and 12.1 (RTX 50, DGX Spark).
#include "arch/arch.h"

namespace proofline {
namespace {

// [occupancy]
constexpr std::uint32_t kShared228[] = {0,          8 * kKiB,   16 * kKiB,  32 * kKiB,  64 * kKiB,
                                        100 * kKiB, 132 * kKiB, 164 * kKiB, 196 * kKiB, 228 * kKiB};
constexpr std::uint32_t kBlackwellShared100[] = {0,         8 * kKiB,  16 * kKiB,
                                                 32 * kKiB, 64 * kKiB, 100 * kKiB};

constexpr SmLimits data_centre(std::string_view compute_capability) {
  return {
      .compute_capability = compute_capability,
      .max_warps = 64,   // [guide]
      .max_blocks = 32,  // [guide], [occupancy]
      .shared_carveouts = kShared228,
      .max_shared_per_block = 227 * kKiB,  // [guide]
      .shared_granularity = 128,           // [occupancy]
      .shared_reserved = 1 * kKiB,         // [guide]
      .barriers = 64,                      // [occupancy]
      .max_cluster_size = 16,              // Blackwell tuning guide; 8 is portable
      .tmem_columns = 512,                 // PTX ISA, tensor memory: 128 lanes of 512 columns
  };
}

constexpr SmLimits thor(std::string_view compute_capability) {
  return {
      .compute_capability = compute_capability,
      .max_warps = 48,   // [guide]
      .max_blocks = 24,  // [guide], [occupancy]
      .shared_carveouts = kShared228,
      .max_shared_per_block = 227 * kKiB,  // [guide]
      .shared_granularity = 128,           // [occupancy]
      .shared_reserved = 1 * kKiB,         // [guide]
      .barriers = 24,                      // [occupancy]
      .max_cluster_size = 8,               // what is portable
      .tmem_columns = 512,                 // as 10.0: it has tcgen05
  };
}

constexpr SmLimits consumer(std::string_view compute_capability) {
  return {
      .compute_capability = compute_capability,
      .max_warps = 48,   // [guide], [captures]
      .max_blocks = 24,  // [guide], [occupancy], [captures]
      .shared_carveouts = kBlackwellShared100,
      .max_shared_per_block = 99 * kKiB,  // [guide], [captures]
      .shared_granularity = 128,          // [occupancy], [captures]
      .shared_reserved = 1 * kKiB,        // [guide], [captures]
      .barriers = 24,                     // [occupancy], [captures]
      .max_cluster_size = 8,              // [captures]
  };
}

constexpr SmLimits kBlackwellLimits[] = {data_centre("10.0"), thor("10.1"),     data_centre("10.3"),
                                         thor("11.0"),        consumer("12.0"), consumer("12.1")};

}  // namespace

Arch blackwell() { return {"Blackwell", kBlackwellLimits}; }

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// The kernels that `proofline calibrate` runs, composed as PTX for the GPU at hand. Their text asks
// for the oldest architecture that has the instructions, so that any driver since then takes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proofline {

inline constexpr const char* kCalibrationEntry = "proofline_calibrate";

// A kernel that copies or fills goes over tiles of this size; a block takes one at a time.
inline constexpr std::uint64_t kTileBytes = 32768;

// A kernel whose blocks all do the same for some rounds. Its parameters begin with `u64 sink`,
// 0: results are not stored, and `u32 rounds`, at least 1.
struct RoundsKernel {
  std::string ptx;
  unsigned threads = 0;                 // of a block
  double per_round = 0;                 // FLOP, or bytes, of one block
  std::vector<unsigned> blocks_per_sm;  // worth trying
  std::string how;                      // "FMA instructions, pseudo-random operands"
  bool at_least = false;                // the chip has a faster way
};

struct ComputeCapability {
  int major = 0;
  int minor = 0;
};

inline constexpr unsigned kTileThreads = 512;  // of a block of these three

// Parameters u64 to, u64 from, u32 tiles; not more blocks than tiles.
std::string compose_copy();
// Parameters u64 to, u32 tiles; not more blocks than tiles. Pseudo-random bits.
std::string compose_fill();
// Reads past L1, a tile a round, each block from another place on. Further parameters: u64 from,
// u32 tiles.
RoundsKernel compose_read();

// "fp32", "fp64" and those that begin with "tensor-". Nothing where such a chip cannot do
// that.
std::optional<RoundsKernel> compose_arithmetic(std::string_view name, ComputeCapability chip);

}  // namespace proofline

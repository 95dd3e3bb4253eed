// SPDX-License-Identifier: Apache-2.0
//
// What Triton's cache says of a kernel beside its machine code: how it is launched, and which files
// there are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace proofline {

struct TritonKernel {
  std::string entry;  // the folder's name: a hash
  // Absent: its JSON does not tell.
  std::optional<std::uint32_t> warps;
  std::optional<std::uint32_t> threads;  // of all its warps
  std::optional<std::uint32_t> stages;
  std::optional<std::uint32_t> blocks_per_cluster;
  std::optional<std::uint64_t> shared_bytes;  // dynamic, given at launch
  std::string target;                         // "cuda 90"; "" not told
  std::vector<std::string> files;             // besides the cubin and the JSON
};

}  // namespace proofline

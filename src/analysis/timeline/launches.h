// SPDX-License-Identifier: Apache-2.0
//
// Joins each GPU operation to the API call that launched it, and to the framework's operator that
// made the call.
#pragma once

#include <cstdint>
#include <vector>

#include "model/timeline/timeline.h"
#include "vocabulary/api_calls.h"

namespace proofline {

struct Launches {
  // For each operation the position of its call: the earliest of its process and correlation.
  // kNoPosition: none.
  std::vector<std::uint32_t> call_of_op;
  // For each operation the innermost operator around the start of its call, as a position in
  // Timeline::ranges. kNoPosition: none.
  std::vector<std::uint32_t> range_of_op;
  std::vector<ApiKind> kinds;             // of each call
  std::uint64_t launches_without_op = 0;  // launching calls whose correlation no operation has
};

Launches join_launches(const Timeline& timeline);

// The process that an operation ran for, and the one that made a call.
inline std::uint32_t process_of(const Timeline& timeline, const GpuOp& op) {
  return timeline.streams[op.stream].process;
}
inline std::uint32_t process_of(const Timeline& timeline, const ApiCall& call) {
  return timeline.threads[call.thread].process;
}

}  // namespace proofline

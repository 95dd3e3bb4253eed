// SPDX-License-Identifier: Apache-2.0
//
// For tables of launch shapes.
#pragma once

#include <cstddef>

#include "base/hash.h"
#include "model/timeline/timeline.h"

namespace proofline {

struct LaunchShapeHash {
  std::size_t operator()(const LaunchShape& shape) const {
    return static_cast<std::size_t>(
        hash_of({shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0], shape.block[1],
                 shape.block[2], shape.registers, shape.shared_bytes}));
  }
};

}  // namespace proofline

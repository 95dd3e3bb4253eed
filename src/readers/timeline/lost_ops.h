// SPDX-License-Identifier: Apache-2.0
//
// When what a reader could not read makes the rest no measure of the program: without some of its
// work a GPU looks idle.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "base/text.h"
#include "model/timeline/timeline.h"

namespace proofline {

// `lost` of them are not in the timeline; up to a hundredth does not matter.
inline void lose_ops(std::uint64_t lost, std::string_view what, Timeline& timeline) {
  if (lost == 0 || 100 * lost <= timeline.ops.size()) return;
  timeline.ops_missing = fmt::format("{} could not be read", plural(lost, what));
}

}  // namespace proofline

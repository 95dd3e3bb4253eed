// SPDX-License-Identifier: Apache-2.0
//
// The levels of the memory system and the pipes of an SM that a kernel can saturate: what each is
// called, and which metrics give its utilisation.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "vocabulary/metric_names.h"

namespace proofline {

enum class Level : std::uint8_t {
  kDram,
  kL2,
  kL1,
  kShared,
  kTensor,
  kFma,
  kFmaHeavy,
  kFp64,
  kInteger,
  kSpecialFunction,
  kLsu,
  kIssue,
  kSm,
  kMemory,
  kConstant,
  kTma,
};
// As facts spell it: "special-function" of throughput.special-function.share.
std::string_view to_string(Level level);

struct LevelInfo {
  Level level;
  std::string_view name;
  std::string_view label;  // as a sentence starts with it: "DRAM", "The FMA pipe"
  std::string_view what;   // one sentence
  // Data paths, in percent of their peak over the elapsed time; the busiest counts.
  MetricAlternatives paths = {};
  bool renamed = false;  // the paths are one, under the names that ncu has given it, newest first
  // ncu's own figure for the whole level, used where none of the paths was captured: it includes
  // activity that a kernel cannot saturate.
  MetricAlternatives aggregate = {};
  // Of equally utilised levels the one with the lowest number is the roof; 0: never the roof.
  std::uint8_t binds = 0;
  // A counter of the bytes that it moves, and the clock of the counter's peak; "" where there are
  // none.
  std::string_view bytes = {};
  std::string_view clock = {};

  bool can_be_roof() const { return binds > 0; }
  // Made up of other levels: it says something only where those were not captured.
  bool is_whole() const { return paths.empty(); }
};

// From memory to issue, which is the order in which they are shown.
std::span<const LevelInfo> levels();
const LevelInfo& level_info(Level level);
// Null where there is no level of that name.
const LevelInfo* find_level(std::string_view name);

}  // namespace proofline

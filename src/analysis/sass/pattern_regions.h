// SPDX-License-Identifier: Apache-2.0
//
// Which stretches of code a pattern is about: the function, loops, warp roles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/sass/pattern.h"
#include "analysis/sass/selector_match.h"

namespace proofline {

struct PatternRegion {
  std::uint32_t loop = kNoLoop;
  std::uint32_t role = kNoRole;       // neither: the function
  std::vector<std::uint32_t> blocks;  // in forward order
};

bool contains(const PatternCode& code, const PatternRegion& region, std::uint32_t block);

struct FoundRegions {
  std::vector<PatternRegion> regions;  // their blocks are not filled in
  std::string missing;                 // why there is none
  bool in_doubt = false;               // a further loop may have what is asked for
};

FoundRegions find_regions(const PatternPlace& place, PatternCode& code);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// Why a function touches local memory. A value that no register had room for is at a fixed place
// of the stack frame; an array that is indexed by data is reached through a computed address; a
// function that is called saves the registers of its caller.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/sass/values.h"

namespace proofline {

enum class LocalUse : std::uint8_t {
  kSpill,      // a fixed place of the frame, stored and loaded
  kArray,      // a computed address, or a fixed place within what such an address can reach
  kCallFrame,  // a caller's register, saved or brought back
  // A fixed place that is only stored or only loaded, as for what is passed to a call by its
  // address; or that is after the start of an array whose size the code does not tell.
  kUnclear,
};

inline constexpr std::size_t kLocalUses = static_cast<std::size_t>(LocalUse::kUnclear) + 1;

std::string_view to_string(LocalUse use);

struct LocalAccess {
  std::uint32_t instruction = 0;
  LocalUse use = LocalUse::kSpill;
  bool may_spill = false;  // unclear, and its place is both stored and loaded
  bool store = false;
  bool in_loop = false;
  std::uint32_t bytes = 0;  // of one thread
};

struct LocalCount {
  std::uint32_t accesses = 0;
  std::uint64_t bytes = 0;
};

struct LocalUseCounts {
  LocalCount loads;
  LocalCount stores;
  LocalCount loads_in_loops;  // part of the loads
  LocalCount stores_in_loops;
};

struct LocalAccesses {
  std::vector<LocalAccess> accesses;  // by address
  std::array<LocalUseCounts, kLocalUses> by_use{};

  const LocalUseCounts& of(LocalUse use) const { return by_use[static_cast<std::size_t>(use)]; }
  // Whether what spills is all that does.
  bool knows_spills() const;
};

LocalAccesses find_local_accesses(Values& values);

}  // namespace proofline

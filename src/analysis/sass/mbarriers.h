// SPDX-License-Identifier: Apache-2.0
//
// Barriers in shared memory that order warps, copies and tensor instructions without joining their
// code: who arrives at each and who waits, matched by the address as far as the code tells it. A
// ring of barriers, indexed by a pipeline's stage, is one place.
//
// Before sm_90 a wait is a plain load in a loop and cannot be told from others: only arrivals are
// listed there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/sass/roles.h"
#include "analysis/sass/values.h"

namespace proofline {

enum class MbarrierUse : std::uint8_t {
  kInit,
  kArrive,  // a thread has come
  kExpect,  // bytes are announced, with or without an arrival
  kCopy,    // a copy, which counts its bytes down there when it is done
  kCommit,  // tensor instructions, which arrive when they are done
  kWait,    // for the phase to end
  kInvalidate,
  kOther,
};

std::string_view to_string(MbarrierUse use);

// Whether it can end a phase that somebody waits for.
constexpr bool arrives(MbarrierUse use) {
  return use == MbarrierUse::kArrive || use == MbarrierUse::kExpect || use == MbarrierUse::kCopy ||
         use == MbarrierUse::kCommit;
}

struct MbarrierAccess {
  std::uint32_t instruction = 0;
  std::uint32_t address = 0;  // of the instruction
  MbarrierUse use = MbarrierUse::kOther;
  std::string operand;                // the address as written: "UR39+0xa8"
  std::optional<std::uint32_t> role;  // in Roles::roles; absent: run by warps of every role
};

struct Mbarrier {
  std::string place;                     // "0x5408 + 0x1000000*SR_CgaCtaId"
  bool ring = false;                     // one of several: the address has an index that changes
  std::vector<MbarrierAccess> accesses;  // by address
  bool paired = false;                   // it has both an arrival and a wait
  // Of a ring, where the code that initialises it shows them.
  std::optional<std::uint32_t> slots = {};
  // PC samples of warps that wait for its phase; absent: no samples, or no warp roles.
  std::optional<std::uint64_t> waiting_samples = {};
};

struct Mbarriers {
  std::vector<Mbarrier> barriers;        // by first access
  std::vector<MbarrierAccess> unplaced;  // the code does not show the mbarrier's address

  std::size_t accesses() const;  // of all mbarriers, the unplaced ones included
};

Mbarriers find_mbarriers(Values& values, const Roles& roles);

}  // namespace proofline

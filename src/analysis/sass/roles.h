// SPDX-License-Identifier: Apache-2.0
//
// Warp specialisation: the parts of a kernel that only some of its warps run, what each does, and
// where they meet. Edges are what branches say: an mbarrier orders roles but joins no code
// (analysis/sass/mbarriers.h lists those).
//
// A region is what one side of a branch on the warp dominates. It works if it holds tensor
// instructions, moves data by the copy engine, by asynchronous copies or from tensor memory, or
// loads or stores memory in a loop. Working regions are roles where at least two of them, under
// different conditions, lie side by side, or where the code around them does not work itself; one
// of the roles must do more than load and store in a loop of all warps. So setting up a barrier, or
// a warp that starts the copies and then multiplies with the others, is no role. Neither is what
// the test before a strided loop lets pass (for i = tid; i < n; i += threads), nor a test that all
// threads of the block pass, or none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/sass/values.h"
#include "analysis/sass/warp_choices.h"
#include "arch/mnemonics.h"

namespace proofline {

inline constexpr std::uint32_t kNoRole = ~std::uint32_t{0};

enum class RoleKind : std::uint8_t {
  kLoad,      // brings data in
  kMma,       // has tensor instructions
  kEpilogue,  // takes results out: stores, or loads of tensor memory
  kOther,
};

std::string_view to_string(RoleKind kind);

// What PC samples and counters say of a role, or of the code outside all roles.
struct RoleTime {
  std::uint64_t samples = 0;
  std::uint64_t stalled = 0;
  std::uint64_t waiting = 0;  // of the samples: for other roles
  // Executed by warps, and by threads; absent where the report has not counted them.
  std::optional<std::uint64_t> executed;
  std::optional<std::uint64_t> threads_executed;

  double waiting_share() const {
    return samples == 0 ? 0 : static_cast<double>(waiting) / static_cast<double>(samples);
  }
  std::optional<double> lanes() const {  // active ones, of 32
    if (!executed || !threads_executed || *executed == 0) return std::nullopt;
    return static_cast<double>(*threads_executed) / static_cast<double>(*executed);
  }
};

// One role waits for another.
struct RoleWait {
  std::uint32_t role = 0;      // in Roles::roles
  std::uint32_t for_role = 0;  // the role that arrives at the barrier
  std::uint64_t samples = 0;   // 0: it never waits
};

struct Role {
  std::vector<std::uint32_t> entries;  // blocks: one for each region with this condition
  std::string condition;               // "warp == 8", or the comparison's own text
  RoleKind kind = RoleKind::kOther;
  std::uint32_t instructions = 0;
  ClassCounts by_class{};
  std::optional<std::uint32_t> registers;  // for each thread, set by USETMAXREG
  std::optional<std::uint32_t> warps;      // of a block, where a launch tells its size
  std::optional<RoleTime> sampled;         // absent: the function has no PC samples

  std::uint32_t count(InstructionClass type) const {
    return by_class[static_cast<std::size_t>(type)];
  }
};

// A barrier that several roles come to.
struct RoleBarrier {
  std::optional<std::uint32_t> number;   // nothing: a barrier of the cluster has none
  std::optional<std::uint32_t> threads;  // nothing: all of the block
  bool cluster = false;                  // of all blocks of the cluster
  bool in_loop = false;
  std::vector<std::uint32_t> roles;         // ascending
  std::vector<std::uint32_t> instructions;  // ascending
};

enum class RoleVerdict : std::uint8_t {
  kNone,      // all warps run the same code
  kSeparate,  // roles meet only at entry, at exit and at barriers of their own
  kJoined,    // roles come together again and again, or go on together to more work
  kUnknown,   // no role was found, in code that was not wholly read
};

std::string_view to_string(RoleVerdict verdict);

struct Roles {
  RoleVerdict verdict = RoleVerdict::kNone;
  std::vector<Role> roles;             // by entry
  std::vector<std::uint32_t> role_of;  // of each block; kNoRole: run by all, or by none
  // Blocks reached from several roles, other than what ends the kernel.
  std::vector<std::uint32_t> shared;
  std::vector<RoleBarrier> barriers;
  // In roles or in what they share; its number is in a register, or was not decoded. Whether roles
  // meet there is not known.
  std::uint32_t unknown_barriers = 0;
  // From PC samples: every pair of roles that meets at a barrier, by role, then by for_role; and
  // the busy share of the least busy role over that of the busiest.
  std::vector<RoleWait> waits;
  std::optional<double> balance;

  // Samples of all roles of that kind together, and how many of them wait for other roles.
  RoleTime time_of(RoleKind kind) const;
};

Roles find_roles(Values& values, const BlockShape& block = {});

}  // namespace proofline

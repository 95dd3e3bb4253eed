// SPDX-License-Identifier: Apache-2.0
//
// What each warp role of a specialised kernel spends its time on, and which role it waits for: PC
// samples at waits for an mbarrier or a named barrier, and the roles that arrive there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/sass/mbarriers.h"
#include "analysis/sass/roles.h"
#include "analysis/sass/samples.h"

namespace proofline {

struct RoleTime {
  std::uint64_t samples = 0;
  std::uint64_t stalled = 0;
  std::uint64_t waiting = 0;  // of these samples: for other roles
  // Executed by warps, and by threads; absent where that was not counted.
  std::optional<std::uint64_t> executed;
  std::optional<std::uint64_t> threads_executed;

  double waiting_share() const {
    return samples == 0 ? 0 : static_cast<double>(waiting) / static_cast<double>(samples);
  }
  std::optional<double> lanes() const {  // that are active, of 32
    if (!executed || !threads_executed || *executed == 0) return std::nullopt;
    return static_cast<double>(*threads_executed) / static_cast<double>(*executed);
  }
};

// One role waits for another.
struct RoleWait {
  std::uint32_t role = 0;      // in Roles::roles
  std::uint32_t for_role = 0;  // who arrives there
  std::uint64_t samples = 0;   // 0: it never waits
};

struct RoleSamples {
  std::vector<RoleTime> roles;  // as Roles::roles; empty: no samples, or no roles
  RoleTime common;              // code that is no role's
  std::vector<RoleWait> waits;  // of all pairs that meet at a barrier: by role, then by for_role
  std::vector<std::uint64_t> mbarriers;  // as Mbarriers::barriers: samples of who waits there
  // The least busy role's share of its time that is not waiting, over the busiest one's.
  std::optional<double> balance;
};

// `polling`: by loop of the flow, whether all that it does is to wait (hot_loop.h).
RoleSamples find_role_samples(const SampledFunction& function, const std::vector<bool>& polling,
                              const Roles& roles, const Mbarriers& mbarriers);

}  // namespace proofline

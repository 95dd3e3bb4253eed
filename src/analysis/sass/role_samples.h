// SPDX-License-Identifier: Apache-2.0
//
// What each warp role of a specialised kernel spends its time on, and which role it waits for: PC
// samples at waits for an mbarrier or a named barrier, and the roles that arrive there.
#pragma once

#include <vector>

#include "analysis/sass/mbarriers.h"
#include "analysis/sass/roles.h"
#include "analysis/sass/samples.h"

namespace proofline {

// Fills in what samples tell of the roles (Role::sampled, Roles::waits, Roles::balance) and of the
// mbarriers (Mbarrier::waiting_samples). Leaves them absent where the function has no samples or no
// roles. `polling`: by loop of the flow, whether it does nothing but wait (hot_loop.h).
void add_role_samples(const SampledFunction& function, const std::vector<bool>& polling,
                      Roles& roles, Mbarriers& mbarriers);

}  // namespace proofline

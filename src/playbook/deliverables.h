// SPDX-License-Identifier: Apache-2.0
//
// What a playbook wants to have written down in the end, filled in from the evidence.
#pragma once

#include <vector>

#include "playbook/check.h"
#include "playbook/checked_kernel.h"
#include "playbook/playbook.h"

namespace proofline {

// `run` has the checks and tasks already.
std::vector<DeliverableResult> fill_deliverables(const Playbook& playbook,
                                                 const std::vector<CheckedKernel>& kernels,
                                                 const CheckRun& run);

}  // namespace proofline

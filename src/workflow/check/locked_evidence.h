// SPDX-License-Identifier: Apache-2.0
//
// What expressions ask of the kernel that a lock fits, answered from the evidence of every side.
#pragma once

#include <memory>

#include "playbook/fact_source.h"
#include "playbook/playbook.h"
#include "workflow/check/locked_side.h"
#include "workflow/check/sides.h"

namespace proofline {

// It refers to the playbook and to the evidence of the sides.
std::unique_ptr<FactSource> locked_evidence(const Playbook& playbook, Sides<LockedSide> sides);

}  // namespace proofline

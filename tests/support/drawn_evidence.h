// SPDX-License-Identifier: Apache-2.0
//
// Evidence for every name that a playbook's expressions read, drawn from a seed.
#pragma once

#include <cstdint>

#include "playbook/playbook.h"
#include "support/made_evidence.h"

namespace proofline {

MadeEvidence draw_evidence(const Playbook& playbook, std::uint64_t seed);

}  // namespace proofline

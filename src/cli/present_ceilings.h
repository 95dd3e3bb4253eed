// SPDX-License-Identifier: Apache-2.0
//
// How a GPU's ceilings are presented: measured ones and saved ones.
#pragma once

#include "cli/command.h"
#include "cli/output_flags.h"
#include "model/measurement/ceilings.h"

namespace proofline {

void present_ceilings(const Ceilings& ceilings, const OutputFlags& output, Context& context);

}  // namespace proofline

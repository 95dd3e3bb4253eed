// SPDX-License-Identifier: Apache-2.0
//
// A GPU's ceilings: the way out for `calibrate`, and saved ones for `show`.
#pragma once

#include "base/input.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/output_flags.h"
#include "model/measurement/ceilings.h"

namespace proofline {

void present_ceilings(const Ceilings& ceilings, const OutputFlags& output, Context& context);

Result<ExitCode> show_ceilings(Input input, const OutputFlags& output, Context& context);

}  // namespace proofline

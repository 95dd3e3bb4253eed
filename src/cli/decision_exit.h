// SPDX-License-Identifier: Apache-2.0
//
// A decision as an exit code, for gates.
#pragma once

#include "cli/command.h"
#include "model/measurement/decision.h"

namespace proofline {

// 0 KEEP, 1 REVERT, 10 INCONCLUSIVE, 3 INVALID; 4 where a change would be kept on the word of a
// file of which a part was lost.
ExitCode exit_code_after(const Decision& decision);

}  // namespace proofline

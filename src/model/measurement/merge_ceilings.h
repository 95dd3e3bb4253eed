// SPDX-License-Identifier: Apache-2.0
//
// Ceilings of one GPU that were measured at two times.
#pragma once

#include "model/measurement/ceilings.h"

namespace proofline {

// `fresh`, and what is in `earlier` alone where that was measured on the same GPU with the same
// driver. Notes say what is from then and what was left out.
Ceilings merge_ceilings(Ceilings fresh, const Ceilings& earlier);

}  // namespace proofline

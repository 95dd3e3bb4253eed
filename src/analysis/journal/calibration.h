// SPDX-License-Identifier: Apache-2.0
//
// How far what people expect of their changes can be trusted: expected gains beside measured ones.
#pragma once

#include <vector>

#include "model/journal/attempt.h"

namespace proofline {

// All first, then by kind.
std::vector<Calibration> calibrations_of(const std::vector<Attempt>& attempts);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// What somebody expects of a change, as it is typed: "10-20%", "15%", "1.3x", "1.2x-1.5x".
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/journal/entries.h"

namespace proofline {

// Per cent are time saved; a speed-up of s saves 1 - 1/s of the time. "-5-10%" reaches from slower
// to faster. kUsage.
Result<GainRange> parse_expectation(std::string_view text);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// The machine code that two reports hold, set side by side to explain what their counters say.
#pragma once

#include <optional>
#include <string>

#include "base/input.h"
#include "diagnosis/comparison/compare_code.h"

namespace proofline {

// Nothing where one of the files holds no code that can be read: it was not asked for. `function`
// is an RE2 on names; "" = all that were profiled.
std::optional<ComparedCode> compare_report_code(const std::string& a, const std::string& b,
                                                const std::string& function,
                                                const InputLimits& limits);

}  // namespace proofline

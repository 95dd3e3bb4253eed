// SPDX-License-Identifier: Apache-2.0
//
// A whole command in one string, as people write it for a shell, but run without one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace proofline {

// The program and its arguments, split by quotes as base/words.h does. kUsage, with the way out,
// where a shell would do more than split: pipes, redirections, patterns, variables.
Result<std::vector<std::string>> split_command(std::string_view text);

}  // namespace proofline

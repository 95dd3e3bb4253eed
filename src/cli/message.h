// SPDX-License-Identifier: Apache-2.0
//
// Standard error, for everything that is no result. A message that cannot be shown, because the
// stream is closed, full or a broken pipe, changes neither the result nor the exit code.
#pragma once

#include <string_view>

namespace proofline {

void print_message(std::string_view text);

}  // namespace proofline

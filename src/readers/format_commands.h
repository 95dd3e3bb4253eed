// SPDX-License-Identifier: Apache-2.0
//
// Which commands read which formats, for messages and for `identify`.
#pragma once

#include <string_view>
#include <vector>

#include "readers/format.h"

namespace proofline {

// Those that take such a file as their first argument; empty: none does by itself.
std::vector<std::string_view> commands_for(const Format& format);

}  // namespace proofline

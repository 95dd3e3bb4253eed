// SPDX-License-Identifier: Apache-2.0
//
// Whether an opcode is meant by the name that a pattern has for it.
#pragma once

#include <string_view>

namespace proofline {

// Whether the opcode has the name's mnemonic and, in their order, its modifiers. * matches any
// letters, ? for one; upper and lower case are the same.
bool matches_opcode(std::string_view name, std::string_view opcode);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// How `mcp` tells a command of ours that it runs it for an agent: progress is then printed as lines
// on standard error, which is no terminal there, and texts name options as the tool's parameters.
#pragma once

namespace proofline {

inline constexpr const char* kAgentVariable = "PROOFLINE_AGENT";

}  // namespace proofline

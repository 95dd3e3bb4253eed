// SPDX-License-Identifier: Apache-2.0
//
// The tools of `mcp`, made of what the commands say of themselves: a flag that a command gets, its
// tool has too.
#pragma once

#include "cli/command_line.h"
#include "workflow/mcp/mcp_tools.h"

namespace proofline {

Tools agent_tools(const CommandDescription& program);

}  // namespace proofline

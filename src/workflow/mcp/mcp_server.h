// SPDX-License-Identifier: Apache-2.0
//
// `proofline mcp`: a session over two descriptors, one message a line.
#pragma once

#include <string>

#include "base/result.h"
#include "workflow/mcp/mcp_tools.h"

namespace proofline {

struct McpStreams {
  int input;
  int output;
};

// Until the client closes its end or the user interrupts; then nothing is left running. `program`
// is this one, as an absolute path.
Result<void> serve_mcp(const McpStreams& streams, const std::string& program, const Tools& tools);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// `proofline mcp`: the same for coding agents, by the Model Context Protocol.
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "base/propagate.h"
#include "cli/agent_tools.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "workflow/mcp/mcp_server.h"

namespace proofline {
namespace {

Result<std::string> own_path() {
  std::array<char, 4096> path{};
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  if (size <= 0 || static_cast<std::size_t>(size) == path.size()) {
    return fail(ErrorKind::kTool, "cannot find this program by /proc/self/exe");
  }
  return std::string(path.data(), static_cast<std::size_t>(size));
}

Result<ExitCode> serve(Context& context) {
  ASSIGN_OR_RETURN(const auto program, own_path());
  if (::isatty(STDIN_FILENO) == 1) {
    context.announcer.say(
        "waiting for an agent's messages on standard input; Ctrl-D ends it (docs/agents.md says "
        "how to register it)");
  }
  RETURN_IF_ERROR(
      serve_mcp({STDIN_FILENO, STDOUT_FILENO}, program, agent_tools(context.program.describe())));
  return ExitCode::kDone;
}

Run configure_mcp(Flags /*line*/) { return serve; }

}  // namespace

Command mcp_command() {
  return {"mcp", CommandGroup::kBuildIn,
          "Serve a coding agent over the Model Context Protocol (stdio)",
          "  proofline mcp\n"
          "      for a client to start: tools (diagnose, compare, sass, bench, ...), resources\n"
          "      (reports, runs, explanations); docs/agents.md says how to register it\n"
          "  {\"mcpServers\": {\"proofline\": {\"command\": \"proofline\", \"args\": [\"mcp\"]}}}\n"
          "      how most clients are told of it\n",
          configure_mcp};
}

}  // namespace proofline

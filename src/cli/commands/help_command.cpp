// SPDX-License-Identifier: Apache-2.0
//
// `proofline help [COMMAND]`: the same text as --help.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/nearest.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/help.h"

namespace proofline {
namespace {

Result<ExitCode> run(const std::string& name, Context& context) {
  const CommandDescription program = context.program.describe();
  if (name.empty()) {
    context.out.write(help_text(program));
    return ExitCode::kDone;
  }
  const auto chosen =
      std::find_if(program.commands.begin(), program.commands.end(),
                   [&](const CommandDescription& command) { return command.name == name; });
  if (chosen == program.commands.end()) {
    std::vector<std::string_view> known;
    for (const CommandDescription& command : program.commands) known.push_back(command.name);
    const auto near = nearest(name, known, 1);
    return fail(ErrorKind::kUsage,
                fmt::format("no command {}; {}", quote(name),
                            near.empty() ? "'proofline list commands' has all"
                                         : fmt::format("did you mean {}?", near.front())));
  }
  context.out.write(help_text(*chosen));
  return ExitCode::kDone;
}

Run configure_help(Flags line) {
  auto name = std::make_shared<std::string>();
  line.add("COMMAND", *name, "The command to explain; default: the whole program");
  return [name](Context& context) -> Result<ExitCode> { return run(*name, context); };
}

}  // namespace

Command help_command() {
  return {"help", CommandGroup::kBuildIn, "Explain a command",
          "  proofline help            what the commands do\n"
          "  proofline help show       every flag of one command\n",
          configure_help};
}

}  // namespace proofline

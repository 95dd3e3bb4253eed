// SPDX-License-Identifier: Apache-2.0
//
// `proofline help [COMMAND]`: the same text as --help.
#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/help.h"

namespace proofline {
namespace {

const CLI::App* find_command(const CLI::App& program, const std::string& name) {
  for (const CLI::App* sub : program.get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->check_name(name)) return sub;
  }
  return nullptr;
}

Run configure_help(CLI::App& app) {
  auto name = std::make_shared<std::string>();
  app.add_option("COMMAND", *name, "The command to explain; default: the whole program");
  return [name](Context& context) -> Result<ExitCode> {
    const CLI::App* chosen = &context.program;
    if (!name->empty()) {
      chosen = find_command(context.program, *name);
      if (chosen == nullptr) {
        return fail(ErrorKind::kUsage,
                    fmt::format("no command {}; see 'proofline list commands'", quote(*name)));
      }
    }
    context.out.write(help_text(*chosen));
    return ExitCode::kDone;
  };
}

}  // namespace

Command help_command() {
  return {"help", "Explain a command",
          "  proofline help            what the commands do\n"
          "  proofline help show       every flag of one command\n",
          configure_help};
}

}  // namespace proofline

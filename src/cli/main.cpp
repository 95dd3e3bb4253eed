// SPDX-License-Identifier: Apache-2.0
//
// The program: parses the command line, runs one command, and turns what it returns into an exit
// code.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <optional>
#include <string>

#include "base/check.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/terminal_announcer.h"
#include "proofline/version.h"

namespace proofline {
namespace {

int code(ExitCode exit) { return static_cast<int>(exit); }

void complain(std::string_view message) { fmt::print(stderr, "proofline: {}\n", message); }

ExitCode exit_code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage: return ExitCode::kUsage;
    case ErrorKind::kInput: return ExitCode::kInput;
    case ErrorKind::kStorage: return ExitCode::kStorage;
    case ErrorKind::kTool: return ExitCode::kTool;
    case ErrorKind::kTimeLimit: return ExitCode::kTimeLimit;
    case ErrorKind::kPermission: return ExitCode::kPermission;
    case ErrorKind::kInterrupted: return ExitCode::kInterrupted;
  }
  return ExitCode::kBug;
}

// Whoever closed the pipe had enough: not an error, and nobody is left to tell.
ExitCode after_writing(const Output& out, ExitCode exit) {
  if (out.error() == 0 || out.error() == EPIPE) return exit;
  complain(fmt::format("cannot write the result: {}", std::strerror(out.error())));
  return ExitCode::kStorage;
}

ExitCode run_command(const Run& run, const CLI::App& program) {
  Output out(STDOUT_FILENO);
  TerminalAnnouncer announcer;
  Context context{program, out, announcer};
  const Result<ExitCode> exit = run(context);
  out.flush();
  if (exit) return after_writing(out, *exit);
  complain(exit.error().message);
  return exit_code_of(exit.error().kind);
}

int run_proofline(int argc, char** argv) {
  CLI::App program;
  const std::vector<Run> runs = configure(program);
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return code(run_command(
        [](Context& context) -> Result<ExitCode> {
          const auto chosen = context.program.get_subcommands();
          context.out.write(help_text(chosen.empty() ? context.program : *chosen.front()));
          return ExitCode::kDone;
        },
        program));
  } catch (const CLI::CallForVersion&) {
    return code(run_command(
        [](Context& context) -> Result<ExitCode> {
          context.out.write(fmt::format("proofline {}\n", kVersion));
          return ExitCode::kDone;
        },
        program));
  } catch (const CLI::ParseError& error) {
    complain(fmt::format("{} (see 'proofline --help')", escape_terminal(error.what())));
    return code(ExitCode::kUsage);
  }
  const auto all = commands();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (program.got_subcommand(std::string(all[i].name)))
      return code(run_command(runs[i], program));
  }
  complain("no command given (see 'proofline --help')");
  return code(ExitCode::kUsage);
}

}  // namespace
}  // namespace proofline

int main(int argc, char** argv) {
  // A closed pipe and a file-size limit then show as errors of write().
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  using proofline::ExitCode;
  try {
    return proofline::run_proofline(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("proofline: out of memory; a smaller input or a higher memory limit helps\n",
               stderr);
    return static_cast<int>(ExitCode::kInput);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "proofline: this is a bug, please report it: %s\n", error.what());
    return static_cast<int>(ExitCode::kBug);
  }
}

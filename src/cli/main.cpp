// SPDX-License-Identifier: Apache-2.0
//
// The program: parses the command line, runs one command, and turns what it returns into an exit
// code.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>

#include "base/check.h"
#include "base/environment.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/whole_file.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/failure.h"
#include "cli/help.h"
#include "cli/terminal_announcer.h"
#include "proofline/version.h"
#include "workflow/mcp/agent_call.h"
#include "workflow/reading_progress.h"

namespace proofline {
namespace {

int code(ExitCode exit) { return static_cast<int>(exit); }

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

// A closed pipe is not an error, and there is no reader left to tell.
ExitCode after_writing(const Output& out, ExitCode exit) {
  if (out.error() == 0 || out.error() == EPIPE) return exit;
  FailureReport::tell_beside_result(
      fmt::format("cannot write the result: {}", std::strerror(out.error())));
  return ExitCode::kStorage;
}

struct Manners {
  bool agent = false;  // an agent asked, through `mcp`
  bool quiet = false;
};

ExitCode run_command(const Run& run, const CommandLine& program, const FailureReport& failure,
                     Manners manners) {
  Output out(STDOUT_FILENO);
  TerminalAnnouncer terminal(manners.agent);
  SilentAnnouncer silent;
  Announcer& announcer = manners.quiet ? static_cast<Announcer&>(silent) : terminal;
  ReadingProgress reading(announcer);
  Context context{program, out, announcer, reading};
  const Result<ExitCode> exit = run(context);
  announcer.clear();
  out.flush();
  if (exit) return after_writing(out, *exit);
  const ExitCode failed = exit_code_of(exit.error().kind);
  if (context.answered) {
    FailureReport::tell_beside_result(exit.error().message);
  } else {
    failure.tell(failed, exit.error().message);
  }
  return failed;
}

// With the result in a file, which is as it was before where there is none.
Run into_file(const Run& run, const std::string& path) {
  return [run, path](Context& context) -> Result<ExitCode> {
    ASSIGN_OR_RETURN(const auto file, WholeFile::prepare(path));
    std::string result;
    Output out(result);
    Context elsewhere = context.into(out);
    ASSIGN_OR_RETURN(const ExitCode exit, run(elsewhere));
    out.flush();
    RETURN_IF_ERROR(file.write(result));
    return exit;
  };
}

// What --help asks for: the help of the command before it, or of the program.
Result<ExitCode> print_help(const Command* command, Context& context) {
  const CommandDescription program = context.program.describe();
  for (const CommandDescription& one : program.commands) {
    if (command == nullptr || one.name != command->name) continue;
    context.out.write(help_text(one));
    return ExitCode::kDone;
  }
  context.out.write(help_text(program));
  return ExitCode::kDone;
}

Result<ExitCode> print_version(Context& context) {
  context.out.write(fmt::format("proofline {}\n", kVersion));
  return ExitCode::kDone;
}

// Where a standard stream is closed, the next file would take its number, and what is said would be
// written into it. Opened for reading: nothing can be read, and writing fails as it did.
void keep_standard_streams_taken() {
  int fd = 0;
  do {
    fd = ::open("/dev/null", O_RDONLY);
  } while (fd >= STDIN_FILENO && fd <= STDERR_FILENO);
  if (fd > STDERR_FILENO) ::close(fd);
}

// The variable is meant for us, not for the programs that we run.
bool take_agent_variable() {
  const bool set = !environment_variable(kAgentVariable).empty();
  ::unsetenv(kAgentVariable);
  return set;
}

int run_proofline(int argc, char** argv, const FailureReport& failure) {
  Manners manners{take_agent_variable()};
  option_style = manners.agent ? OptionStyle::kMember : OptionStyle::kFlag;
  CommandLine program(program_summary(), program_footer());
  const auto parsed = program.parse(argc, argv);
  if (!parsed) {
    failure.tell_misuse(parsed.error().message);
    return code(ExitCode::kUsage);
  }
  switch (parsed->wish) {
    case CommandLine::Wish::kVersion:
      return code(run_command(print_version, program, failure, manners));
    case CommandLine::Wish::kHelp: {
      const auto print = [&](Context& context) { return print_help(parsed->command, context); };
      return code(run_command(print, program, failure, manners));
    }
    case CommandLine::Wish::kRun: break;
  }
  if (parsed->command != nullptr) {
    const Run run = parsed->out.empty() ? parsed->run : into_file(parsed->run, parsed->out);
    manners.quiet = parsed->quiet;
    return code(run_command(run, program, failure, manners));
  }
  failure.tell_misuse("no command given");
  return code(ExitCode::kUsage);
}

constexpr std::string_view kOutOfMemory =
    "out of memory; a smaller input or a higher memory limit helps";

// Not even for an exception, of which libstdc++ keeps a reserve where it got one.
bool is_memory_gone() {
  constexpr std::size_t kException = 1024;
  void* const memory = std::malloc(kException);
  std::free(memory);
  return memory == nullptr;
}

// Memory can also run out where nothing catches it: in a function of a library that may not throw,
// or while the global objects of CLI11 are made, before main().
void end_where_nobody_catches() {
  bool out_of_memory = is_memory_gone();
  try {
    if (std::current_exception() != nullptr) std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    out_of_memory = true;
  } catch (...) {
  }
  if (!out_of_memory) std::abort();
  for (const std::string_view part :
       {std::string_view("proofline: "), kOutOfMemory, std::string_view("\n")}) {
    static_cast<void>(!::write(STDERR_FILENO, part.data(), part.size()));
  }
  ::_exit(code(ExitCode::kInput));
}

// The first priority that is not the implementation's.
[[gnu::constructor(101)]] void watch_for_the_end() { std::set_terminate(end_where_nobody_catches); }

// What went wrong beyond any Result becomes an exit code, too.
int run_caught(int argc, char** argv) {
  const FailureReport failure(argc, argv);
  try {
    return run_proofline(argc, argv, failure);
  } catch (const std::bad_alloc&) {
    failure.tell(ExitCode::kInput, kOutOfMemory);
    return code(ExitCode::kInput);
  } catch (const std::exception& error) {
    failure.tell(ExitCode::kBug, fmt::format("this is a bug, please report it: {}", error.what()));
    return code(ExitCode::kBug);
  }
}

}  // namespace
}  // namespace proofline

int main(int argc, char** argv) {
  proofline::keep_standard_streams_taken();
  // A closed pipe and a file-size limit then show as errors of write().
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  return proofline::run_caught(argc, argv);
}

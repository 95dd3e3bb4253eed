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
#include "base/propagate.h"
#include "base/whole_file.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/help.h"
#include "cli/message.h"
#include "cli/terminal_announcer.h"
#include "proofline/version.h"

namespace proofline {
namespace {

int code(ExitCode exit) { return static_cast<int>(exit); }

void complain(std::string_view message) { print_message(fmt::format("proofline: {}\n", message)); }

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

ExitCode complain_of(const Error& error) {
  complain(error.message);
  return exit_code_of(error.kind);
}

ExitCode run_command(const Run& run, const CommandLine& program) {
  Output out(STDOUT_FILENO);
  TerminalAnnouncer announcer;
  Context context{program, out, announcer};
  const Result<ExitCode> exit = run(context);
  out.flush();
  return exit ? after_writing(out, *exit) : complain_of(exit.error());
}

// With --out and --quiet. A file is as it was before where there is no result.
ExitCode run_command(const CommandLine::Parsed& parsed, const CommandLine& program) {
  const auto aside = [&](Context& context) -> Result<ExitCode> {
    SilentAnnouncer silent;
    Announcer& announcer = parsed.quiet ? silent : context.announcer;
    if (parsed.out.empty()) {
      Context quieter{program, context.out, announcer};
      return parsed.run(quieter);
    }
    ASSIGN_OR_RETURN(const auto file, WholeFile::prepare(parsed.out));
    std::string result;
    Output out(result);
    Context elsewhere{program, out, announcer};
    ASSIGN_OR_RETURN(const ExitCode exit, parsed.run(elsewhere));
    out.flush();
    RETURN_IF_ERROR(file.write(result));
    return exit;
  };
  return run_command(aside, program);
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

int run_proofline(int argc, char** argv) {
  CommandLine program(program_summary(), program_footer());
  const auto parsed = program.parse(argc, argv);
  if (!parsed) {
    complain(parsed.error().message);
    return code(ExitCode::kUsage);
  }
  switch (parsed->wish) {
    case CommandLine::Wish::kVersion: return code(run_command(print_version, program));
    case CommandLine::Wish::kHelp: {
      const auto print = [&](Context& context) { return print_help(parsed->command, context); };
      return code(run_command(print, program));
    }
    case CommandLine::Wish::kRun: break;
  }
  if (parsed->command != nullptr) {
    return code(run_command(*parsed, program));
  }
  complain("no command given (see 'proofline --help')");
  return code(ExitCode::kUsage);
}

constexpr const char* kOutOfMemory =
    "proofline: out of memory; a smaller input or a higher memory limit helps\n";

// Not even for an exception, of which libstdc++ keeps a reserve where it got one.
bool is_memory_gone() {
  constexpr std::size_t kException = 1024;
  void* const memory = std::malloc(kException);
  std::free(memory);
  return memory == nullptr;
}

// Memory can also run out where nobody catches it: in a function of a library that may not throw,
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
  static_cast<void>(!::write(STDERR_FILENO, kOutOfMemory, std::strlen(kOutOfMemory)));
  ::_exit(code(ExitCode::kInput));
}

// The first priority that is not the implementation's.
[[gnu::constructor(101)]] void watch_for_the_end() { std::set_terminate(end_where_nobody_catches); }

}  // namespace
}  // namespace proofline

int main(int argc, char** argv) {
  proofline::keep_standard_streams_taken();
  // A closed pipe and a file-size limit then show as errors of write().
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  using proofline::ExitCode;
  try {
    return proofline::run_proofline(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs(proofline::kOutOfMemory, stderr);
    return static_cast<int>(ExitCode::kInput);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "proofline: this is a bug, please report it: %s\n", error.what());
    return static_cast<int>(ExitCode::kBug);
  }
}

// SPDX-License-Identifier: Apache-2.0
//
// A subcommand: its name, its words for the help, its flags, and what it does. Each is one file
// <name>_command.cpp in commands/ that defines `Command <name>_command()`; the list is made from
// that folder. Only cli prints or decides exit codes.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "base/input.h"
#include "base/output.h"
#include "base/result.h"
#include "cli/exit_codes.h"
#include "cli/flags.h"
#include "workflow/announcer.h"

namespace proofline {

class CommandLine;

struct Context {
  const CommandLine& program;  // for help and completion
  Output& out;                 // for the result
  Announcer& announcer;        // for what is told before it
  InputWatch& reading;         // shows how far it has come
  bool answered = false;       // a result was presented

  // The same with the result elsewhere.
  Context into(Output& elsewhere) const { return {program, elsewhere, announcer, reading}; }
  InputLimits watched(InputLimits limits) const {
    limits.watch = &reading;
    return limits;
  }
};

using Run = std::function<Result<ExitCode>(Context&)>;

// What one wants, in the order of the help.
enum class CommandGroup { kReport, kGpu, kDecide, kRemember, kBuildIn };

// A command as a tool of `mcp`. It takes the command's flags and arguments, but for those that are
// not_for_agents(), and returns what --format json prints.
struct AgentTool {
  std::string_view more = {};     // for the model that chooses among tools, beyond the summary
  std::string_view always = {};   // a flag that every call has: "--disassembler=native"
  std::string_view usually = {};  // a switch that is on unless the agent says otherwise: "--brief"
  bool writes = false;            // files or entries, in places of ours
  bool runs_programs = false;     // those that the agent names
};

struct Command {
  std::string_view name;
  CommandGroup group;
  std::string_view summary;   // one line that starts with a verb
  std::string_view examples;  // two at least, each with what it is for
  // Adds flags and returns what runs after parsing; the flags' values live in the closure.
  Run (*configure)(Flags line);
  std::optional<AgentTool> tool = std::nullopt;  // nothing: agents do not get it
};

std::span<const Command> commands();

}  // namespace proofline

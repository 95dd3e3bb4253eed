// SPDX-License-Identifier: Apache-2.0
#include "cli/agent_tools.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/characters.h"

namespace proofline {
namespace {

// What the help calls a program with its arguments, and files to read.
constexpr std::string_view kCommand = "CMD";
constexpr std::array<std::string_view, 3> kFiles = {"FILE", "A", "B"};

// Holds on a command line only.
constexpr std::array<std::string_view, 2> kOnlyTyped = {", after --", "; - reads standard input"};

// "--max-starts": "max_starts".
std::string member_name(std::string_view flag) {
  std::string name(flag.substr(flag.find_first_not_of('-')));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// The help of a flag, with parameters in place of the flags that it names.
std::string help_for_agents(std::string help) {
  for (const std::string_view typed : kOnlyTyped) {
    if (const std::size_t at = help.find(typed); at != std::string::npos) {
      help.erase(at, typed.size());
    }
  }
  for (std::size_t at = help.find("--"); at != std::string::npos; at = help.find("--", at + 1)) {
    std::size_t end = at + 2;
    while (end < help.size() && (is_letter(help[end]) || help[end] == '-')) ++end;
    if (end > at + 2) help.replace(at, end - at, member_name(help.substr(at, end - at)));
  }
  return help;
}

// "FILE" is `file`, or `files` where there can be several; "CMD" is `command`.
std::string argument_name(const FlagDescription& argument) {
  if (argument.name == kCommand) return "command";
  std::string name = argument.name;
  for (char& c : name) c = to_lower(c);
  return argument.is_list ? name + 's' : name;
}

std::string long_spelling(const FlagDescription& flag) {
  const auto is_long = [](const std::string& spelling) { return spelling.starts_with("--"); };
  return *std::find_if(flag.spellings.begin(), flag.spellings.end(), is_long);
}

ToolInput::Type type_of(const FlagDescription& flag) {
  if ((flag.is_argument ? flag.name : flag.value) == kCommand) return ToolInput::Type::kCommand;
  switch (flag.type) {
    case FlagType::kInteger: return ToolInput::Type::kInteger;
    case FlagType::kNumber: return ToolInput::Type::kNumber;
    case FlagType::kSwitch: return ToolInput::Type::kSwitch;
    case FlagType::kText: break;
  }
  return ToolInput::Type::kText;
}

ToolInput input_of(const FlagDescription& flag) {
  ToolInput input;
  input.type = type_of(flag);
  input.flag = flag.is_argument ? "" : long_spelling(flag);
  input.name = flag.is_argument ? argument_name(flag) : member_name(input.flag);
  input.help = help_for_agents(flag.help);
  input.list = flag.is_list;
  const std::string& called = flag.is_argument ? flag.name : flag.value;
  input.file = std::find(kFiles.begin(), kFiles.end(), called) != kFiles.end();
  input.required = flag.required;
  input.choices = flag.choices;
  return input;
}

Tool tool_of(const CommandDescription& command) {
  Tool tool;
  tool.name = command.name;
  tool.title = command.summary;
  tool.what = command.summary + ". " + std::string(command.tool->more);
  tool.always = {"--format=json"};
  if (!command.tool->always.empty()) tool.always.emplace_back(command.tool->always);
  tool.writes = command.tool->writes;
  tool.runs_programs = command.tool->runs_programs;
  for (const FlagDescription& flag : command.flags) {
    if (!flag.for_agents) continue;
    ToolInput input = input_of(flag);
    if (!input.flag.empty() && input.flag == command.tool->usually) {
      input.on = true;
      for (const std::string& other : flag.excludes) input.unless.push_back(member_name(other));
    }
    tool.inputs.push_back(std::move(input));
  }
  return tool;
}

}  // namespace

Tools agent_tools(const CommandDescription& program) {
  Tools tools;
  for (const CommandDescription& command : program.commands) {
    if (command.tool) tools.push_back(tool_of(command));
  }
  return tools;
}

}  // namespace proofline

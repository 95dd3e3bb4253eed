// SPDX-License-Identifier: Apache-2.0
//
// The tools that `proofline mcp` offers. Each is one of the program's own commands: what a client
// gives becomes its arguments, checked, and no shell ever sees them.
#pragma once

#include <rapidjson/document.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "base/result.h"

namespace proofline {

struct ToolInput {
  enum class Type {
    kPath,
    kPaths,
    kText,
    kTexts,      // the flag is repeated
    kList,       // one value, with commas
    kInteger,    // not below zero
    kIntegers,   // the flag is repeated
    kSwitch,     // the flag, where it is true
    kCommand,    // a program and its arguments, in one value of the flag
    kArguments,  // the same, as the command's last arguments
    kMode,       // one of `choices`, of which each stands for a flag
    kChoice,     // one of `choices`, as a value
  };
  struct Choice {
    std::string_view value;
    std::string_view flag = {};  // of kMode; "" none
  };

  std::string_view name;
  Type type;
  std::string_view flag;  // "" an argument
  std::string_view help;
  bool required = false;
  std::span<const Choice> choices = {};  // the first is the default of kMode
};

struct Tool {
  std::string_view name;  // of the tool and of the command
  std::string_view title;
  std::string_view what;  // for the model that chooses among tools
  std::span<const ToolInput> inputs;
  std::span<const std::string_view> fixed = {};  // flags that it always has
  bool read_only = true;
  bool runs_programs = false;  // those that the client names
};

std::span<const Tool> mcp_tools();
const Tool* find_mcp_tool(std::string_view name);

// {"name", "title", "description", "inputSchema", "annotations"}
void write_tool_description(const Tool& tool, JsonWriter& json);

struct ToolCommand {
  std::vector<std::string> arguments;  // of this program
  std::vector<std::string> paths;      // the files among them
};
// kUsage, with what is wrong; `arguments` is null where the client gave none.
Result<ToolCommand> tool_command(const Tool& tool, const rapidjson::Value* arguments);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// The tools of `proofline mcp`. Each is one of the program's own commands: what a client gives
// becomes its arguments, checked, and no shell ever sees them. Which tools there are and what they
// take, cli says: it has the commands.
#pragma once

#include <rapidjson/document.h>

#include <string>
#include <vector>

#include "base/json_writer.h"
#include "base/result.h"

namespace proofline {

struct ToolInput {
  enum class Type { kText, kInteger, kNumber, kSwitch, kCommand };

  std::string name = {};
  Type type = Type::kText;  // kCommand: a program and its arguments, a list of words
  std::string flag = {};    // "--kernel"; "" an argument
  std::string help = {};
  bool list = false;  // several values; a flag is repeated
  bool file = false;  // its values are files that the command reads
  bool required = false;
  std::vector<std::string> choices = {};
  // Of a switch that is on unless the client gives false, or one of these.
  bool on = false;
  std::vector<std::string> unless = {};
};

struct Tool {
  std::string name = {};  // of the tool and of the command
  std::string title = {};
  std::string what = {};  // for the model that chooses among tools
  std::vector<ToolInput> inputs = {};
  std::vector<std::string> always = {};  // flags that every call has
  bool writes = false;
  bool runs_programs = false;  // those that the client names
};

using Tools = std::vector<Tool>;

// {"name", "title", "description", "inputSchema", "annotations"}
void write_tool_description(const Tool& tool, JsonWriter& json);

struct ToolCommand {
  std::vector<std::string> arguments;  // of this program
  std::vector<std::string> files;      // those among them
};
// kUsage, with what is wrong; `arguments` is null where the client gave none.
Result<ToolCommand> tool_command(const Tool& tool, const rapidjson::Value* arguments);

}  // namespace proofline

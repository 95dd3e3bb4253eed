// SPDX-License-Identifier: Apache-2.0
//
// A tool's two sides: its schema for clients, and a client's arguments as those of a command.
// Values follow = and arguments follow --, so that none is taken for a flag.
#include "workflow/mcp/mcp_tools.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/json_object.h"
#include "base/nearest.h"
#include "base/propagate.h"
#include "base/text.h"

namespace proofline {
namespace {

using Type = ToolInput::Type;

// More would not fit into a command line.
constexpr std::size_t kMostValues = 1000;

std::string_view json_type(Type type) {
  switch (type) {
    case Type::kInteger: return "integer";
    case Type::kNumber: return "number";
    case Type::kSwitch: return "boolean";
    case Type::kText:
    case Type::kCommand: break;
  }
  return "string";
}

void write_value_schema(const ToolInput& input, JsonWriter& json) {
  json.member("type", json_type(input.type));
  if (input.type == Type::kInteger || input.type == Type::kNumber) {
    json.member("minimum", std::uint64_t{0});
  }
  if (!input.choices.empty()) {
    json.array("enum", input.choices, [&](const std::string& choice) { json.text(choice); });
  }
}

void write_input_schema(const ToolInput& input, JsonWriter& json) {
  json.begin_object();
  if (input.list || input.type == Type::kCommand) {
    json.member("type", "array");
    json.key("items");
    json.begin_object();
    write_value_schema(input, json);
    json.end_object();
    if (input.type == Type::kCommand || input.required) json.member("minItems", std::uint64_t{1});
  } else {
    write_value_schema(input, json);
  }
  if (input.on) json.member("default", true);
  json.member("description", input.help);
  json.end_object();
}

// A client's arguments, on their way to a command line.
class CommandBuilder {
 public:
  explicit CommandBuilder(const Tool& tool) {
    command_.arguments = {tool.name};
    command_.arguments.insert(command_.arguments.end(), tool.always.begin(), tool.always.end());
  }

  Result<void> add(const ToolInput& input, const rapidjson::Value& value) {
    if (input.type == Type::kCommand) return add_command(input, value);
    if (!input.list) return add_value(input, value);
    ASSIGN_OR_RETURN(const auto values, values_of(input, value));
    for (const rapidjson::Value* one : values) RETURN_IF_ERROR(add_value(input, *one));
    return {};
  }

  void add_flag(const ToolInput& input) { command_.arguments.push_back(input.flag); }

  ToolCommand take() {
    if (!positionals_.empty() || !last_.empty()) command_.arguments.emplace_back("--");
    const auto append = [this](std::vector<std::string>& words) {
      command_.arguments.insert(command_.arguments.end(), std::move_iterator(words.begin()),
                                std::move_iterator(words.end()));
    };
    append(positionals_);
    append(last_);
    return std::move(command_);
  }

 private:
  static tl::unexpected<Error> wrong(const ToolInput& input, std::string_view expected) {
    return fail(ErrorKind::kUsage, fmt::format("\"{}\" must be {}", input.name, expected));
  }

  static Result<std::vector<const rapidjson::Value*>> values_of(const ToolInput& input,
                                                                const rapidjson::Value& value) {
    if (!value.IsArray()) {
      return wrong(input, input.type == Type::kInteger  ? "a list of whole numbers"
                          : input.type == Type::kNumber ? "a list of numbers"
                                                        : "a list of strings");
    }
    if (value.Size() > kMostValues) {
      return wrong(input, fmt::format("at most {} values", kMostValues));
    }
    if (value.Empty() && (input.required || input.type == Type::kCommand)) {
      return wrong(input, "a list that is not empty");
    }
    std::vector<const rapidjson::Value*> values;
    for (const rapidjson::Value& one : value.GetArray()) values.push_back(&one);
    return values;
  }

  static Result<std::string> text_of(const ToolInput& input, const rapidjson::Value& value) {
    if (!value.IsString()) return wrong(input, "a string");
    std::string text(value.GetString(), value.GetStringLength());
    if (text.find('\0') != std::string::npos) return wrong(input, "text without NUL bytes");
    const auto& choices = input.choices;
    if (!choices.empty() && std::find(choices.begin(), choices.end(), text) == choices.end()) {
      return wrong(input, fmt::format("one of {}", fmt::join(choices, ", ")));
    }
    return text;
  }

  void add_word(const ToolInput& input, std::string value) {
    if (input.file) command_.files.push_back(value);
    if (input.flag.empty()) {
      positionals_.push_back(std::move(value));
    } else {
      command_.arguments.push_back(fmt::format("{}={}", input.flag, value));
    }
  }

  Result<void> add_value(const ToolInput& input, const rapidjson::Value& value) {
    switch (input.type) {
      case Type::kSwitch:
        if (!value.IsBool()) return wrong(input, "true or false");
        if (value.GetBool()) add_flag(input);
        return {};
      case Type::kInteger:
        if (!value.IsUint64()) return wrong(input, "a whole number, not below zero");
        add_word(input, std::to_string(value.GetUint64()));
        return {};
      case Type::kNumber:
        if (!value.IsNumber() || !(value.GetDouble() >= 0)) {
          return wrong(input, "a number, not below zero");
        }
        add_word(input, fmt::format("{}", value.GetDouble()));
        return {};
      case Type::kText:
      case Type::kCommand: break;
    }
    ASSIGN_OR_RETURN(auto text, text_of(input, value));
    add_word(input, std::move(text));
    return {};
  }

  // In quotes that split_command() undoes.
  static std::string quoted_words(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
      text += text.empty() ? "'" : " '";
      for (const char c : word) c == '\'' ? text += "'\\''" : text += c;
      text += '\'';
    }
    return text;
  }

  // As one value of a flag, or as the last arguments.
  Result<void> add_command(const ToolInput& input, const rapidjson::Value& value) {
    ASSIGN_OR_RETURN(const auto values, values_of(input, value));
    std::vector<std::string> words;
    for (const rapidjson::Value* one : values) {
      ASSIGN_OR_RETURN(auto word, text_of(input, *one));
      words.push_back(std::move(word));
    }
    if (input.flag.empty()) {
      last_ = std::move(words);
    } else {
      add_word(input, quoted_words(words));
    }
    return {};
  }

  ToolCommand command_;
  std::vector<std::string> positionals_;
  std::vector<std::string> last_;
};

Result<void> refuse_unknown(const Tool& tool, const rapidjson::Value& arguments) {
  std::vector<std::string_view> names;
  for (const ToolInput& input : tool.inputs) names.push_back(input.name);
  for (const auto& member : arguments.GetObject()) {
    const std::string_view name(member.name.GetString(), member.name.GetStringLength());
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const auto near = nearest(name, names, 1);
    return fail(ErrorKind::kUsage,
                fmt::format("{} is no argument of {}{}; it takes {}", quote(name), tool.name,
                            near.empty() ? "" : fmt::format(" (did you mean {}?)", near.front()),
                            fmt::join(names, ", ")));
  }
  return {};
}

// Null is as if it was not given.
const rapidjson::Value* given_value(const rapidjson::Value& arguments, std::string_view name) {
  const rapidjson::Value* value = json_member(arguments, name);
  return value != nullptr && value->IsNull() ? nullptr : value;
}

}  // namespace

void write_tool_description(const Tool& tool, JsonWriter& json) {
  json.begin_object();
  json.member("name", tool.name);
  json.member("title", tool.title);
  json.member("description", tool.what);
  json.key("inputSchema");
  json.begin_object();
  json.member("type", "object");
  json.key("properties");
  json.begin_object();
  for (const ToolInput& input : tool.inputs) {
    json.key(input.name);
    write_input_schema(input, json);
  }
  json.end_object();
  json.key("required");
  json.begin_array();
  for (const ToolInput& input : tool.inputs) {
    if (input.required) json.text(input.name);
  }
  json.end_array();
  json.member("additionalProperties", false);
  json.end_object();
  json.key("annotations");
  json.begin_object();
  json.member("title", tool.title);
  json.member("readOnlyHint", !tool.writes);
  if (tool.writes) {
    // The effects of the client's own programs are unknown; a journal only grows.
    json.member("destructiveHint", tool.runs_programs);
    json.member("idempotentHint", false);
  }
  json.member("openWorldHint", tool.runs_programs);
  json.end_object();
  json.end_object();
}

Result<ToolCommand> tool_command(const Tool& tool, const rapidjson::Value* arguments) {
  const rapidjson::Value none(rapidjson::kObjectType);
  const rapidjson::Value& given = arguments != nullptr ? *arguments : none;
  if (!given.IsObject()) return fail(ErrorKind::kUsage, "\"arguments\" must be an object");
  RETURN_IF_ERROR(refuse_unknown(tool, given));
  const auto is_given = [&](const std::string& name) {
    return given_value(given, name) != nullptr;
  };
  CommandBuilder builder(tool);
  for (const ToolInput& input : tool.inputs) {
    if (const rapidjson::Value* value = given_value(given, input.name)) {
      RETURN_IF_ERROR(builder.add(input, *value));
    } else if (input.required) {
      return fail(ErrorKind::kUsage, fmt::format("\"{}\" is missing", input.name));
    } else if (input.on && std::none_of(input.unless.begin(), input.unless.end(), is_given)) {
      builder.add_flag(input);
    }
  }
  return builder.take();
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// The two ways out of the table of tools: its schema for clients, and a client's arguments as those
// of a command. Values stand behind = and arguments behind --, so that none is taken for a flag.
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "base/json_object.h"
#include "base/nearest.h"
#include "base/propagate.h"
#include "base/text.h"
#include "workflow/mcp/mcp_tools.h"

namespace proofline {
namespace {

using Type = ToolInput::Type;

// More would not fit into a command line.
constexpr std::size_t kMostValues = 1000;

void write_input_schema(const ToolInput& input, JsonWriter& json) {
  const auto is_one_of = [&](auto... types) { return ((input.type == types) || ...); };
  json.begin_object();
  if (is_one_of(Type::kPaths, Type::kTexts, Type::kList, Type::kIntegers, Type::kCommand,
                Type::kArguments)) {
    json.member("type", "array");
    json.key("items");
    json.begin_object();
    json.member("type", input.type == Type::kIntegers ? "integer" : "string");
    if (input.type == Type::kIntegers) json.member("minimum", std::uint64_t{0});
    json.end_object();
    if (is_one_of(Type::kCommand, Type::kArguments) || input.required) {
      json.member("minItems", std::uint64_t{1});
    }
  } else if (input.type == Type::kInteger) {
    json.member("type", "integer");
    json.member("minimum", std::uint64_t{0});
  } else {
    json.member("type", input.type == Type::kSwitch ? "boolean" : "string");
  }
  if (!input.choices.empty()) {
    json.array("enum", input.choices,
               [&](const ToolInput::Choice& choice) { json.text(choice.value); });
  }
  if (input.type == Type::kMode) json.member("default", input.choices.front().value);
  json.member("description", input.help);
  json.end_object();
}

// A client's arguments, on their way to a command line.
class CommandBuilder {
 public:
  explicit CommandBuilder(const Tool& tool) {
    command_.arguments = {std::string(tool.name), "--format=json"};
    for (const std::string_view flag : tool.fixed) command_.arguments.emplace_back(flag);
  }

  Result<void> add(const ToolInput& input, const rapidjson::Value& value) {
    switch (input.type) {
      case Type::kPath:
      case Type::kText:
      case Type::kChoice:
      case Type::kMode: return add_text(input, value);
      case Type::kInteger: return add_integer(input, value);
      case Type::kSwitch: {
        if (!value.IsBool()) return wrong(input, "true or false");
        if (value.GetBool()) command_.arguments.emplace_back(input.flag);
        return {};
      }
      case Type::kPaths:
      case Type::kTexts:
      case Type::kList:
      case Type::kIntegers:
      case Type::kCommand:
      case Type::kArguments: break;
    }
    return add_values(input, value);
  }

  void add_default(const ToolInput& mode) { add_flag(mode.choices.front().flag); }

  ToolCommand take() {
    if (!positionals_.empty()) command_.arguments.emplace_back("--");
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

  static Result<std::string> text_of(const ToolInput& input, const rapidjson::Value& value) {
    if (!value.IsString()) return wrong(input, "a string");
    std::string text(value.GetString(), value.GetStringLength());
    if (text.find('\0') != std::string::npos) return wrong(input, "text without NUL bytes");
    return text;
  }

  void add_flag(std::string_view flag) {
    if (!flag.empty()) command_.arguments.emplace_back(flag);
  }

  void add_value(const ToolInput& input, std::string value) {
    if (input.type == Type::kPath || input.type == Type::kPaths) command_.paths.push_back(value);
    if (input.flag.empty()) {
      positionals_.push_back(std::move(value));
    } else {
      command_.arguments.push_back(fmt::format("{}={}", input.flag, value));
    }
  }

  Result<void> add_text(const ToolInput& input, const rapidjson::Value& value) {
    ASSIGN_OR_RETURN(auto text, text_of(input, value));
    if (!input.choices.empty()) {
      std::string known;
      const ToolInput::Choice* chosen = nullptr;
      for (const ToolInput::Choice& choice : input.choices) {
        known += fmt::format("{}{}", known.empty() ? "" : ", ", choice.value);
        if (choice.value == text) chosen = &choice;
      }
      if (chosen == nullptr) return wrong(input, "one of " + known);
      if (input.type == Type::kMode) {
        add_flag(chosen->flag);
        return {};
      }
    }
    add_value(input, std::move(text));
    return {};
  }

  Result<void> add_integer(const ToolInput& input, const rapidjson::Value& value) {
    if (!value.IsUint64()) return wrong(input, "a whole number, not below zero");
    add_value(input, std::to_string(value.GetUint64()));
    return {};
  }

  // By the rules of base/words.h: what stands in quotes is literal.
  static std::string quoted_words(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
      text += text.empty() ? "'" : " '";
      for (const char c : word) c == '\'' ? text += "'\\''" : text += c;
      text += '\'';
    }
    return text;
  }

  Result<void> add_values(const ToolInput& input, const rapidjson::Value& value) {
    if (!value.IsArray()) {
      return wrong(input,
                   input.type == Type::kIntegers ? "a list of whole numbers" : "a list of strings");
    }
    if (value.Size() > kMostValues)
      return wrong(input, fmt::format("at most {} values", kMostValues));
    const bool is_command = input.type == Type::kCommand || input.type == Type::kArguments;
    if (value.Empty() && (input.required || is_command))
      return wrong(input, "a list that is not empty");
    std::vector<std::string> texts;
    for (const rapidjson::Value& item : value.GetArray()) {
      if (input.type == Type::kIntegers) {
        RETURN_IF_ERROR(add_integer(input, item));
        continue;
      }
      ASSIGN_OR_RETURN(auto text, text_of(input, item));
      texts.push_back(std::move(text));
    }
    if (input.type == Type::kArguments) {
      last_ = std::move(texts);
    } else if (input.type == Type::kCommand) {
      add_value(input, quoted_words(texts));
    } else if (input.type == Type::kList) {
      if (!texts.empty()) add_value(input, fmt::format("{}", fmt::join(texts, ",")));
    } else {
      for (std::string& text : texts) add_value(input, std::move(text));
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
  json.member("readOnlyHint", tool.read_only);
  if (!tool.read_only) {
    // What the client's own programs do nobody knows; a journal only grows.
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
  CommandBuilder builder(tool);
  for (const ToolInput& input : tool.inputs) {
    const rapidjson::Value* value = json_member(given, input.name);
    if (value != nullptr && !value->IsNull()) {
      RETURN_IF_ERROR(builder.add(input, *value));
    } else if (input.required) {
      return fail(ErrorKind::kUsage, fmt::format("\"{}\" is missing", input.name));
    } else if (input.type == Type::kMode) {
      builder.add_default(input);
    }
  }
  return builder.take();
}

}  // namespace proofline

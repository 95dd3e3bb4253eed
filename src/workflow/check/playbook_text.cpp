// SPDX-License-Identifier: Apache-2.0
#include "workflow/check/playbook_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "playbook/file/toml_tree.h"
#include "playbook/shipped.h"
#include "tools/process/command_text.h"

namespace proofline {

Result<PlaybookText> find_playbook(const std::string& name, const InputLimits& limits) {
  if (name == "skeleton") return PlaybookText{name, std::string(skeleton_playbook())};
  if (const ShippedPlaybook* shipped = find_shipped_playbook(name)) {
    return PlaybookText{name, std::string(shipped->text)};
  }
  auto input = Input::open(name, limits);
  if (!input) {
    std::string ids;
    for (const ShippedPlaybook& one : shipped_playbooks()) {
      ids += (ids.empty() ? "" : ", ") + std::string(one.id);
    }
    return fail(input.error().kind,
                fmt::format("{}; shipped playbooks are {}", input.error().message, ids));
  }
  ASSIGN_OR_RETURN(const auto text, input->take(ParsedToml::kMostBytes + 1));
  return PlaybookText{name, std::string(text)};
}

Result<std::pair<std::string, std::string>> split_pair(const std::string& word,
                                                       std::string_view flag,
                                                       std::string_view form) {
  const std::size_t equals = word.find('=');
  if (equals == 0 || equals == std::string::npos) {
    return fail(ErrorKind::kUsage, fmt::format("{} {}: must be {}", flag, quote(word), form));
  }
  return std::pair(word.substr(0, equals), word.substr(equals + 1));
}

namespace {

constexpr std::string_view kArguments = "args";

// Arguments stay the words that they are, numbers too.
ToldValue told_of(const std::string& key, const std::string& text) {
  return key == kArguments ? ToldValue{text, ""} : told_value(text);
}

// As one line of a shell; nothing where a word is no text.
std::optional<std::string> argument_line(const TomlNode& words) {
  std::vector<std::string> texts;
  texts.reserve(words.items.size());
  for (const TomlNode& word : words.items) {
    if (word.type != TomlNode::Type::kText) return std::nullopt;
    texts.push_back(word.text);
  }
  return shell_command({}, texts);
}

std::optional<ToldValue> told_of(const std::string& key, const TomlNode& value) {
  const bool arguments = key == kArguments;
  switch (value.type) {
    case TomlNode::Type::kText: return told_of(key, value.text);
    case TomlNode::Type::kNumber:
      if (!arguments) return ToldValue{value.number, ""};
      break;
    case TomlNode::Type::kLogic:
      if (!arguments) return ToldValue{value.logic, ""};
      break;
    case TomlNode::Type::kArray: {
      const auto line = arguments ? argument_line(value) : std::nullopt;
      if (line) return ToldValue{*line, ""};
      break;
    }
    default: break;
  }
  return std::nullopt;
}

}  // namespace

Result<Workload> parse_workload(const std::vector<std::string>& words, const InputLimits& limits) {
  Workload workload;
  for (const std::string& word : words) {
    if (word.find('=') != std::string::npos) {
      ASSIGN_OR_RETURN(const auto pair,
                       split_pair(word, option("workload"), "KEY=VALUE or a file"));
      workload[pair.first] = told_of(pair.first, pair.second);
      continue;
    }
    ASSIGN_OR_RETURN(auto input, Input::open(word, limits));
    ASSIGN_OR_RETURN(const auto text, input.take(ParsedToml::kMostBytes + 1));
    const ParsedToml toml = parse_toml(text);
    if (!toml.problem.empty()) {
      return fail(ErrorKind::kUsage, fmt::format("{} {}: line {}: {}", option("workload"),
                                                 quote(word), toml.place.line, toml.problem));
    }
    const TomlNode* table = toml.root.find("workload");
    const TomlNode& values = table != nullptr ? *table : toml.root;
    for (std::size_t i = 0; i < values.keys.size(); ++i) {
      const std::string& key = values.keys[i];
      auto value = told_of(key, values.items[i]);
      if (!value) {
        return fail(ErrorKind::kUsage,
                    fmt::format("{} {}: {} must be {}", option("workload"), quote(word), quote(key),
                                key == kArguments ? "a text or an array of texts"
                                                  : "a number, a text, true or false"));
      }
      workload[key] = std::move(*value);
    }
  }
  return workload;
}

Result<LintedPlaybook> find_linted_playbook(const std::string& name,
                                            const std::vector<std::string>& workload,
                                            const InputLimits& limits) {
  ASSIGN_OR_RETURN(const auto source, find_playbook(name, limits));
  ASSIGN_OR_RETURN(const auto told, parse_workload(workload, limits));
  return lint_playbook(source.text, source.name, told);
}

std::string first_error(const LintedPlaybook& linted) {
  const auto is_error = [](const PlaybookProblem& one) { return !one.warning; };
  const auto& problems = linted.problems;
  const auto first = std::find_if(problems.begin(), problems.end(), is_error);
  const auto count = std::count_if(problems.begin(), problems.end(), is_error);
  std::string text = fmt::format("{}:{}:{}: {}", escape_terminal(first->file), first->place.line,
                                 first->place.column, escape_terminal(first->message));
  if (count > 1) text += fmt::format(" (one of {} errors; {} shows all)", count, option("lint"));
  return text;
}

}  // namespace proofline

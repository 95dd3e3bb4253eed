// SPDX-License-Identifier: Apache-2.0
#include "workflow/profile/profile_configs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/input.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "base/words.h"

namespace proofline {
namespace {

constexpr std::size_t kMostBytes = 1U << 20U;

Result<ProfileConfig> parse_config(std::string_view text, const std::string& place) {
  const std::size_t equals = text.find('=');
  ProfileConfig config;
  config.name = trim(text.substr(0, equals));
  if (equals == std::string_view::npos || config.name.empty()) {
    return fail(ErrorKind::kUsage, fmt::format("{}: {} must be NAME=ARGS, such as 'n128=--n 128'",
                                               place, quote(text)));
  }
  config.arguments = trim(text.substr(equals + 1));
  auto words = split_words(config.arguments);
  if (!words) return fail(ErrorKind::kUsage, place + ": " + words.error().message);
  config.words = std::move(*words);
  return config;
}

Result<void> add(std::vector<ProfileConfig>& configs, Result<ProfileConfig> config,
                 const std::string& place) {
  RETURN_IF_ERROR(config);
  const bool taken = std::any_of(configs.begin(), configs.end(),
                                 [&](const auto& other) { return other.name == config->name; });
  if (taken) {
    return fail(ErrorKind::kUsage,
                fmt::format("{}: there is already a configuration {}", place, quote(config->name)));
  }
  configs.push_back(std::move(*config));
  return {};
}

Result<std::string> read_text(const std::string& path) {
  ASSIGN_OR_RETURN(auto input, Input::open(path, InputLimits{kMostBytes}));
  ASSIGN_OR_RETURN(const auto text, input.peek(kMostBytes));
  return std::string(text);
}

}  // namespace

Result<std::vector<ProfileConfig>> read_configs(const std::vector<std::string>& flags,
                                                const std::string& file) {
  std::vector<ProfileConfig> configs;
  for (const std::string& flag : flags) {
    RETURN_IF_ERROR(add(configs, parse_config(flag, option("config")), option("config")));
  }
  if (file.empty()) return configs;
  ASSIGN_OR_RETURN(const auto text, read_text(file));
  std::string_view rest = text;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = trim(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.empty() || line.front() == '#') continue;
    const std::string place = fmt::format("{}, line {}", quote(file), number);
    RETURN_IF_ERROR(add(configs, parse_config(line, place), place));
  }
  return configs;
}

}  // namespace proofline

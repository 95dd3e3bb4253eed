// SPDX-License-Identifier: Apache-2.0

#include "tools/ncu/ncu_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace proofline {
namespace {

// The first release with --config-file. A file of the user's could change what is collected, and
// the command that we record would no longer be what was run.
constexpr int kConfigFileYear = 2023;
constexpr int kConfigFileRelease = 3;

// A colon ends the name within --kernel-id, so it is replaced by a wildcard.
std::string escaped(std::string_view name) {
  std::string pattern;
  pattern.reserve(name.size());
  for (const char c : name) {
    if (c == ':') {
      pattern += '.';
      continue;
    }
    if (std::string_view(R"(\^$.|?*+()[]{})").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

std::string exact_pattern(const std::vector<std::string>& names) {
  std::vector<std::string> patterns;
  patterns.reserve(names.size());
  for (const std::string& name : names) patterns.push_back(escaped(name));
  return fmt::format("regex:^({})$", fmt::join(patterns, "|"));
}

using Words = std::vector<std::string>;

void add(Words& words, const char* flag, std::string value) {
  words.emplace_back(flag);
  words.push_back(std::move(value));
}

void add_each(Words& words, const char* flag, const std::vector<std::string>& values) {
  for (const std::string& value : values) add(words, flag, value);
}

void add_launches(const NcuLaunches& launches, Words& words) {
  if (!launches.mangled.empty()) {
    add(words, "--kernel-name-base", "mangled");
    // ncu takes --kernel-id (context:stream:name:invocation) or launches to skip, never both.
    if (launches.invocations.empty()) {
      add(words, "--kernel-name", exact_pattern(launches.mangled));
    } else {
      add(words, "--kernel-id",
          fmt::format("::{}:{}", exact_pattern(launches.mangled),
                      fmt::join(launches.invocations, "|")));
    }
  } else if (!launches.pattern.empty()) {
    add(words, "--kernel-name-base", "demangled");
    add(words, "--kernel-name", "regex:" + launches.pattern);
  }
  if (!launches.nvtx_include.empty()) words.emplace_back("--nvtx");
  add_each(words, "--nvtx-include", launches.nvtx_include);
  if (launches.skip > 0) add(words, "--launch-skip", std::to_string(launches.skip));
  if (launches.count) add(words, "--launch-count", std::to_string(*launches.count));
}

// ncu puts the process, a variable and more where a file's name has a percent sign.
std::string without_macros(const std::string& path) {
  std::string plain;
  for (const char c : path) plain.append(c == '%' ? 2 : 1, c);
  return plain;
}

}  // namespace

std::vector<std::string> ncu_command(const Ncu& ncu, const NcuRequest& request) {
  Words words{ncu.path()};
  if (!ncu.version().is_before(kConfigFileYear, kConfigFileRelease)) {
    add(words, "--config-file", "off");
  }
  add(words, "--target-processes", "all");
  add(words, "--clock-control", request.clock_control);
  if (request.cache_control != NcuRequest{}.cache_control) {
    add(words, "--cache-control", request.cache_control);
  }
  add(words, "--replay-mode", request.replay_mode);
  if (!request.section_folder.empty()) add(words, "--section-folder", request.section_folder);
  add_each(words, "--set", request.sets);
  add_each(words, "--section", request.sections);
  if (!request.metrics.empty()) {
    add(words, "--metrics", fmt::format("{}", fmt::join(request.metrics, ",")));
  }
  if (request.import_source) add(words, "--import-source", "yes");
  add_launches(request.launches, words);
  add(words, "--log-file", request.log);
  add(words, "--export", without_macros(request.report));
  words.insert(words.end(), request.program.begin(), request.program.end());
  return words;
}

}  // namespace proofline

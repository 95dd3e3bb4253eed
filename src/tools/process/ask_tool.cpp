// SPDX-License-Identifier: Apache-2.0
#include "tools/process/ask_tool.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/environment.h"
#include "base/regex_text.h"

namespace proofline {

std::vector<std::string> tool_environment() {
  // In a toolkit the tools are shell scripts; ncu keeps its sections in HOME and loads the driver.
  std::vector<std::string> environment{"PATH=/usr/bin:/bin", "LANG=C"};
  for (const char* name : {"HOME", "TMPDIR", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES"}) {
    if (const std::string_view value = environment_variable(name); !value.empty()) {
      environment.push_back(fmt::format("{}={}", name, value));
    }
  }
  return environment;
}

Result<Captured> ask_tool(const std::string& path, const std::string& flag,
                          const AnswerLimits& limits) {
  Program program;
  program.argv = {path, flag};
  program.environment = tool_environment();
  program.time_limit = limits.time;
  return capture_program(program, limits.bytes);
}

std::string tool_version_in(std::string_view text) {
  std::string version;
  re2::RE2::PartialMatch(regex_text(text), R"((?:[Vv]ersion |, V)([0-9]+(?:\.[0-9]+)+))", &version);
  return version;
}

}  // namespace proofline

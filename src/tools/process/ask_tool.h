// SPDX-License-Identifier: Apache-2.0
//
// Asks a tool of NVIDIA's about itself: `ncu --version`, `compute-sanitizer --help`.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/process/process.h"

namespace proofline {

struct AnswerLimits {
  std::chrono::seconds time{30};
  std::size_t bytes = 1U << 20U;
};

// Nothing of the user's environment but what such a tool needs to run.
std::vector<std::string> tool_environment();

// `path` is absolute.
Result<Captured> ask_tool(const std::string& path, const std::string& flag,
                          const AnswerLimits& limits = {});

// "2025.3.1.0" in "Version 2025.3.1.0 (build 36398880)", "13.0.85" in "release 13.0, V13.0.85"; ""
// where the text has none.
std::string tool_version_in(std::string_view text);

}  // namespace proofline

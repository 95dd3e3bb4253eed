// SPDX-License-Identifier: Apache-2.0
#include "workflow/sanitize/sanitizer_logs.h"

#include <fmt/format.h>

#include <utility>

#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "readers/format.h"
#include "readers/sanitizer/sanitizer_log.h"

namespace proofline {
namespace {

Result<void> add_log(Input& input, SanitizerRun& run) {
  ASSIGN_OR_RETURN(auto log, read_sanitizer_log(input));
  SanitizerToolResult& result = run.tools.emplace_back();
  result.log = std::move(log);
  result.tool = result.log.tool;
  judge_log(result);
  return {};
}

}  // namespace

Result<SanitizerRun> read_sanitizer_logs(Input first, std::span<const std::string> others,
                                         const InputLimits& limits) {
  SanitizerRun run;
  RETURN_IF_ERROR(add_log(first, run));
  for (const std::string& path : others) {
    ASSIGN_OR_RETURN(auto input, Input::open(path, limits));
    if (!identify(input, {InputKind::kSanitizerLog})) {
      return fail(ErrorKind::kUsage,
                  fmt::format("{} is a sanitizer's log, {} is not; pass them one by one",
                              quote(first.name()), quote(path)));
    }
    RETURN_IF_ERROR(add_log(input, run));
  }
  return run;
}

Result<SanitizerRun> read_sanitizer_logs(const std::vector<std::string>& paths,
                                         const InputLimits& limits) {
  SanitizerRun run;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(auto input, Input::open(path, limits));
    if (const auto format = identify(input, {InputKind::kSanitizerLog}); !format) {
      return fail(ErrorKind::kInput,
                  fmt::format("{}: {}; `proofline sanitize` leaves logs in its run folder",
                              option("sanitizer"), format.error().message));
    }
    RETURN_IF_ERROR(add_log(input, run));
  }
  return run;
}

}  // namespace proofline

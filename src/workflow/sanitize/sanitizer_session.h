// SPDX-License-Identifier: Apache-2.0
//
// One `sanitize`: the program alone, then compute-sanitizer's tools, all in one run folder.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/machine/sanitizer.h"
#include "tools/sanitizer/sanitizer.h"
#include "workflow/announcer.h"
#include "workflow/run_options.h"

namespace proofline {

struct SanitizePlan {
  std::vector<std::string> command;  // the first as an absolute path
  std::vector<std::string> only;
  SanitizerOptions options;
  RunOptions run;  // without a limit: as the program alone tells
  bool keep_going = false;
  bool no_alone = false;

  bool wants(std::string_view tool) const;
  // Of one tool.
  std::chrono::milliseconds limit(const std::optional<AloneResult>& alone) const;
};

// The tools run in order up to the first that fails, unless told otherwise; tells which begins and
// how long it may take.
Result<SanitizerRun> sanitize(const SanitizePlan& plan, Announcer& announcer);

// What would be run, one command a line: the logs then go to this folder. Tells where there is no
// compute-sanitizer.
std::string describe_sanitizer_commands(const SanitizePlan& plan, Announcer& announcer);

}  // namespace proofline

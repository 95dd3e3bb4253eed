// SPDX-License-Identifier: Apache-2.0
//
// One `sanitize`: the program alone, then compute-sanitizer's tools, all in one run folder.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/output.h"
#include "base/result.h"
#include "cli/run_flags.h"
#include "model/machine/sanitizer.h"
#include "tools/process/run_folder.h"
#include "tools/sanitizer/sanitizer.h"

namespace proofline {

struct SanitizeFlags {
  std::vector<std::string> command;  // the first as an absolute path
  std::vector<std::string> only;
  SanitizerOptions options;
  RunFlags run;  // without a limit: as the program alone tells
  bool keep_going = false;
  bool no_alone = false;

  bool wants(std::string_view tool) const;
  // Of one tool.
  std::chrono::milliseconds limit(const std::optional<AloneResult>& alone) const;
};

// The tools run in order up to the first that fails, unless told otherwise; says on standard error
// which begins and how long it may take.
Result<SanitizerRun> sanitize(const SanitizeFlags& flags, InstalledSanitizer sanitizer,
                              RunFolder folder);

// What would be run, where nothing is: the logs then go to this folder. Says on standard error
// where there is no compute-sanitizer.
void print_sanitizer_commands(const SanitizeFlags& flags, Output& out);

}  // namespace proofline

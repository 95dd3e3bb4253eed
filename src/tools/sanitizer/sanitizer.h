// SPDX-License-Identifier: Apache-2.0
//
// compute-sanitizer as it is installed here, the commands that we give it, and what a run of it
// means once it has ended.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/machine/sanitizer.h"
#include "tools/process/run_folder.h"

namespace proofline {

// In the order in which they are run: without working barriers races mean little, and with races
// the accesses of one run are not those of the next.
inline constexpr std::array<std::string_view, 4> kSanitizerTools = {"synccheck", "racecheck",
                                                                    "memcheck", "initcheck"};

struct InstalledSanitizer {
  std::string path = "compute-sanitizer";
  std::string version;          // "2025.3.1.0"
  bool finds_deadlocks = true;  // --racecheck-deadlock-timeout
};

// kTool where there is none, and where it does not say its version.
Result<InstalledSanitizer> find_sanitizer();
// "Version 2025.3.1.0 (build 36400806)" -> "2025.3.1.0"; "" for another program's words.
std::string parse_sanitizer_version(std::string_view printed);

struct SanitizerOptions {
  std::string suppressions;  // a file; "" none
  std::string kernel;        // a regular expression; "" all
  std::uint64_t launch_skip = 0;
  std::uint64_t launch_count = 0;  // 0: all

  bool narrows() const { return !kernel.empty() || launch_skip > 0 || launch_count > 0; }
};

// One run of one tool.
struct SanitizerStep {
  std::string_view tool;
  std::string log;  // a file that it writes
  int error_code = 0;
  std::chrono::milliseconds time_limit{};
  // The barrier at which a program waits for ever, of racecheck. It makes kernels that poll
  // barriers ten times as slow, and long waits look like that to it.
  bool name_barrier = false;
};

// True for initcheck, which reports as uninitialised what a filtered-out kernel wrote.
bool sees_all_kernels(std::string_view tool);

// The whole command; `program` is the user's.
std::vector<std::string> sanitizer_command(const InstalledSanitizer& sanitizer,
                                           const SanitizerOptions& options,
                                           const SanitizerStep& step,
                                           const std::vector<std::string>& program);

// What it is to return for findings: nothing that the program returns by itself.
int choose_error_code(const std::optional<AloneResult>& alone);

// How long a tool may take where the user sets no limit.
std::chrono::milliseconds default_time_limit(const std::optional<AloneResult>& alone);

AloneResult alone_result(const ProgramEnd& end);

// Decides the outcome of a run whose log has been read: log and exit code have to agree, and
// neither a missing summary nor the program's own failure is a pass or a finding.
void judge_run(const StepEnd& step, int error_code, const std::optional<AloneResult>& alone,
               SanitizerToolResult& result);

}  // namespace proofline

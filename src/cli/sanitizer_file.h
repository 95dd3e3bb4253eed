// SPDX-License-Identifier: Apache-2.0
//
// Saved logs of compute-sanitizer and cuda-memcheck, for `diagnose` and `show`, and the way out
// that they share with `sanitize`.
#pragma once

#include <span>
#include <string>

#include "base/input.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/output_flags.h"
#include "model/machine/sanitizer.h"

namespace proofline {

void present_sanitizer(const SanitizerRun& run, const OutputFlags& output, Context& context);

// Reads `first` and the files at these paths, which have to be such logs too. kDone only where
// every summary was seen and counts no errors.
Result<ExitCode> show_sanitizer_logs(Input first, std::span<const std::string> others,
                                     const OutputFlags& output, const InputLimits& limits,
                                     Context& context);

}  // namespace proofline

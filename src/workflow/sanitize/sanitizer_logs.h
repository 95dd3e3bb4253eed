// SPDX-License-Identifier: Apache-2.0
//
// Saved logs of compute-sanitizer and cuda-memcheck, judged as those of a run are.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/input.h"
#include "base/result.h"
#include "model/machine/sanitizer.h"

namespace proofline {

// `first` and the files at these paths, which have to be such logs too.
Result<SanitizerRun> read_sanitizer_logs(Input first, std::span<const std::string> others,
                                         const InputLimits& limits);

// Those that --sanitizer names.
Result<SanitizerRun> read_sanitizer_logs(const std::vector<std::string>& paths,
                                         const InputLimits& limits);

}  // namespace proofline

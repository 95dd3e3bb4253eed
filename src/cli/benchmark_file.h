// SPDX-License-Identifier: Apache-2.0
//
// Results of benchmarks: the way out for whoever has some, and saved ones for `show`.
#pragma once

#include <string>

#include "base/input.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/output_flags.h"
#include "model/measurement/benchmark.h"

namespace proofline {

void present_benchmark(const BenchmarkSeries& series, const OutputFlags& output, Context& context);

// `path` is what `input` was opened from: files beside it belong to it.
Result<ExitCode> show_benchmark(Input input, const std::string& path, const OutputFlags& output,
                                const InputLimits& limits, Context& context);

}  // namespace proofline

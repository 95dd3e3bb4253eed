// SPDX-License-Identifier: Apache-2.0
//
// How results of compute-sanitizer are presented: those of a run, and saved logs.
#pragma once

#include "cli/command.h"
#include "cli/output_flags.h"
#include "model/machine/sanitizer.h"

namespace proofline {

void present_sanitizer(const SanitizerRun& run, const OutputFlags& output, Context& context);

// Of saved logs. kDone only where every summary was seen and counts no errors.
ExitCode present_sanitizer_logs(const SanitizerRun& run, const OutputFlags& output,
                                Context& context);

}  // namespace proofline

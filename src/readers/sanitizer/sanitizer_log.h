// SPDX-License-Identifier: Apache-2.0
//
// Reads what compute-sanitizer and cuda-memcheck print, with all their tools: from a log file or
// from a terminal, mixed with the program's own lines and those of other processes.
#pragma once

#include <string_view>

#include "base/input.h"
#include "base/result.h"
#include "model/machine/sanitizer.h"

namespace proofline {

// `tool` is what was run, where that is known; else the log's messages tell. Damage and what is
// missing become notes.
Result<SanitizerLog> read_sanitizer_log(Input& input, std::string_view tool = {});

}  // namespace proofline

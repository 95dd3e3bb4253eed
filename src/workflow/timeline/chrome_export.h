// SPDX-License-Identifier: Apache-2.0
//
// A timeline of any format, written as a trace for Perfetto (views/timeline/chrome_trace.h).
#pragma once

#include <string>
#include <vector>

#include "base/input.h"
#include "base/result.h"
#include "model/note.h"

namespace proofline {

// Returns what was lost in reading. Nothing is written where the timeline cannot be read; whether
// anything can be is found out before that.
Result<std::vector<Note>> export_chrome_trace(const std::string& timeline, const std::string& out,
                                              const InputLimits& limits = {});

}  // namespace proofline

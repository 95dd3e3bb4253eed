// SPDX-License-Identifier: Apache-2.0
//
// Reports of Nsight Systems, which only nsys can read: exported by it, where it is at hand, to a
// file that is gone afterwards.
#pragma once

#include <string>

#include "base/input.h"
#include "base/result.h"
#include "model/timeline/timeline.h"

namespace proofline {

bool is_nsys_report(const std::string& path);

// What read_timeline() reads, and reports of nsys. Without nsys its error says how to export one.
Result<Timeline> read_timeline_or_report(const std::string& path, const InputLimits& limits);

}  // namespace proofline

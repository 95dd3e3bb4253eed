// SPDX-License-Identifier: Apache-2.0
//
// Reads a timeline from a file of any format, or from a folder of our recorder.
#pragma once

#include <string>

#include "base/input.h"
#include "base/result.h"
#include "model/timeline/timeline.h"

namespace proofline {

Result<Timeline> read_timeline(const std::string& path, const InputLimits& limits = {});

}  // namespace proofline

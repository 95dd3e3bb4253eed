// SPDX-License-Identifier: Apache-2.0
//
// A timeline from whatever format a file is of, or from the folder that our recorder left.
#pragma once

#include <string>

#include "base/input.h"
#include "base/result.h"
#include "model/timeline/timeline.h"

namespace proofline {

Result<Timeline> read_timeline(const std::string& path, const InputLimits& limits = {});

}  // namespace proofline

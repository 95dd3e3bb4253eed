// SPDX-License-Identifier: Apache-2.0
#include "readers/timeline/read_timeline.h"

#include "base/propagate.h"
#include "readers/format.h"

namespace proofline {

Result<Timeline> read_timeline(const std::string& path, const InputLimits& limits) {
  ASSIGN_OR_RETURN(auto input, Input::open(path, limits));
  ASSIGN_OR_RETURN(const Format* format, identify(input, {InputKind::kTimeline}));
  return format->read_timeline(input);
}

}  // namespace proofline

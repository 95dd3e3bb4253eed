// SPDX-License-Identifier: Apache-2.0
#include "readers/timeline/read_timeline.h"

#include "base/propagate.h"
#include "readers/format.h"
#include "readers/timeline/recorded_timeline.h"

namespace proofline {

Result<Timeline> read_timeline(const std::string& path, const InputLimits& limits) {
  if (is_recording_folder(path)) return read_recorded_timeline(path);
  ASSIGN_OR_RETURN(auto input, Input::open(path, limits));
  ASSIGN_OR_RETURN(const Format* format, identify(input, {InputKind::kTimeline}));
  return format->read_timeline(input);
}

}  // namespace proofline

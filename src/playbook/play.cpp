// SPDX-License-Identifier: Apache-2.0
#include "playbook/play.h"

#include <fmt/format.h>

#include <algorithm>

namespace proofline {

std::string_view to_string(StepState state) {
  switch (state) {
    case StepState::kDone: return "done";
    case StepState::kTaken: return "taken";
    case StepState::kSkipped: return "skipped";
    case StepState::kFailed: return "failed";
  }
  return "";
}

std::string_view to_string(PlayState state) {
  switch (state) {
    case PlayState::kStarted: return "started";
    case PlayState::kStopped: return "stopped";
    case PlayState::kMeasured: return "measured";
    case PlayState::kChecked: return "checked";
    case PlayState::kWaiting: return "waiting";
    case PlayState::kFinished: return "finished";
    case PlayState::kSpent: return "spent";
    case PlayState::kOutOfTime: return "out-of-time";
    case PlayState::kWrong: return "wrong";
  }
  return "";
}

std::string PlayedAttempt::setting_text() const {
  return fmt::format("{}", fmt::join(setting, " "));
}

const PlayedStep* Play::find_step(std::string_view id) const {
  const auto step =
      std::find_if(steps.begin(), steps.end(), [&](const PlayedStep& one) { return one.id == id; });
  return step == steps.end() ? nullptr : &*step;
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// From what the user asks for (--step, --range, --from and --to) to the windows of a timeline;
// where nothing is asked for, all but a start-up that would mislead.
#pragma once

#include <string>
#include <vector>

#include "analysis/timeline/device_time.h"
#include "analysis/timeline/intervals.h"
#include "analysis/timeline/steps.h"
#include "analysis/timeline/time_selection.h"
#include "analysis/timeline/timeline_report.h"
#include "base/result.h"
#include "model/timeline/timeline.h"

namespace proofline {

struct SelectableTime {
  const Timeline& timeline;
  const TimelineFilter& filter;
  const std::vector<TimelineStep>& steps;
  const std::vector<DeviceTime>& devices;
  Stretch whole;  // from the first event to the last
};

struct SelectedTime {
  TimeSelection time;
  std::string words;  // "" all of it
};

Result<SelectedTime> select_time(const SelectableTime& all);

}  // namespace proofline

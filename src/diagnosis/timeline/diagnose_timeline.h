// SPDX-License-Identifier: Apache-2.0
//
// A timeline judged: what the rules of timelines say of its facts, ranked by gain.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/program/program_time.h"
#include "analysis/timeline/timeline_report.h"
#include "model/diagnosis/diagnosis.h"

namespace proofline {

struct TimelineDiagnosis {
  TimelineReport report;
  Facts facts;
  std::vector<Finding> findings;  // by what they can gain, the most first
  std::vector<NotEvaluated> not_evaluated;
  std::vector<std::string> clean;      // ids of rules that looked and found nothing
  std::optional<ProgramTime> program;  // where the reader was asked for it, and a GPU did anything
};

TimelineDiagnosis diagnose_timeline(TimelineReport report);

}  // namespace proofline

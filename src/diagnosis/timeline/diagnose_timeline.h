// SPDX-License-Identifier: Apache-2.0
//
// A timeline judged: the rules find causes in its facts, causes take the place of the symptoms they
// account for, and what remains is ranked by gain. The verdict is the first finding's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/program/program_time.h"
#include "analysis/timeline/timeline_report.h"
#include "diagnosis/timeline/timeline_verdict.h"
#include "model/diagnosis/diagnosis.h"

namespace proofline {

struct TimelineDiagnosis {
  TimelineReport report;
  Facts facts;
  TimelineVerdict verdict;
  std::vector<Finding> findings;  // by what they can gain, the most first
  std::vector<NotEvaluated> not_evaluated;
  std::vector<std::string> clean;      // ids of rules that looked and found nothing
  std::optional<ProgramTime> program;  // where the reader was asked for it, and a GPU did anything
};

TimelineDiagnosis diagnose_timeline(TimelineReport report);

Record describe(const TimelineDiagnosis*);

}  // namespace proofline

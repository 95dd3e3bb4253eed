// SPDX-License-Identifier: Apache-2.0
//
// A timeline joined with a report of the same program: how much of the program's time each profiled
// kernel takes, what holds it back, and what the program would save.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "diagnosis/timeline/diagnose_timeline.h"
#include "diagnosis/timeline/program_savings.h"
#include "model/note.h"

namespace proofline {

struct ReportJoin {
  std::string timeline_path;
  std::string timeline_format;
  std::string timeline_producer;
  std::string timeline_headline;  // its verdict
  DiagnosisSource report;
  std::size_t reported = 0;  // kernels of the report, each shape once
  ProgramTime time;
  ProgramSavings savings;
  std::vector<Note> notes;  // of both, each with its file, and on what does not fit together
};

Record describe(const ReportJoin*);

// `timeline` knows its program; `profile` is what the diagnosis is of.
ReportJoin join_report(const TimelineDiagnosis& timeline, const Profile& profile,
                       const Diagnosis& diagnosis);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// A timeline joined with a report of the same program:
//
//   Fixing what the report finds would save the program 3.1-14 % of 12.30 ms
//   The report has 3 of the 17 kernels that ran; they take 84 % of the kernel time.
//
//   What the program would save
//   ...
//   Ran, but not in the report   Launches     Total  Share of time
#pragma once

#include <string>

#include "diagnosis/comparison/join_report.h"
#include "views/document.h"

namespace proofline {

std::string report_join_headline(const ReportJoin& join);
// Where they have no kernel in common: what ran and what was profiled, a few of each, for whoever
// took the wrong file. A stranger's text is escaped in it.
std::string nothing_joined_text(const ReportJoin& join);
// Kernels that only one of them has are cut to the first few, unless `all`.
Document compose_report_join(const ReportJoin& join, bool all);
Document compose_report_join_rows(const ReportJoin& join);

}  // namespace proofline

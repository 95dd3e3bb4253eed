// SPDX-License-Identifier: Apache-2.0
//
// What holds a program back, in one sentence: the first finding on its timeline.
#pragma once

#include <string>

namespace proofline {

struct TimelineDiagnosis;

struct TimelineVerdict {
  // Where the first finding's rule finds its cause: "host", "copies", "communication", "kernels",
  // "unknown" (idle that nothing explains); "nothing" where there is nothing to judge.
  std::string bound = "nothing";
  std::string headline;
  std::string next;
  // Shares of the GPU's span: each is an upper bound on what fixing it saves.
  double kernels = 0;
  double host = 0;  // idle
  double copies = 0;
  double communication = 0;
};

// From ranked findings, the report and its facts.
TimelineVerdict timeline_verdict(const TimelineDiagnosis& diagnosis);

}  // namespace proofline

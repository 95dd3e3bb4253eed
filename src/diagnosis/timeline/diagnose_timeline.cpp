// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/timeline/diagnose_timeline.h"

#include <algorithm>
#include <utility>

#include "rules/rule.h"
#include "rules/shared/gains.h"

namespace proofline {

TimelineDiagnosis diagnose_timeline(TimelineReport report) {
  TimelineDiagnosis diagnosis;
  diagnosis.facts = timeline_facts_of(report);
  diagnosis.report = std::move(report);
  for (const Rule& rule : timeline_rules()) {
    Trial trial(diagnosis.facts);
    Outcome outcome = rule.evaluate(trial);
    if (auto* finding = std::get_if<Finding>(&outcome)) {
      finding->id = rule.id;
      finding->severity = severity_of(finding->gain);
      diagnosis.findings.push_back(std::move(*finding));
    } else if (auto* unknown = std::get_if<NotEvaluated>(&outcome)) {
      unknown->id = rule.id;
      diagnosis.not_evaluated.push_back(std::move(*unknown));
    } else {
      diagnosis.clean.emplace_back(rule.id);
    }
  }
  std::stable_sort(diagnosis.findings.begin(), diagnosis.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.gain.high > b.gain.high; });
  return diagnosis;
}

}  // namespace proofline

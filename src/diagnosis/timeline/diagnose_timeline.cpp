// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/timeline/diagnose_timeline.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "analysis/timeline/timeline_facts.h"
#include "rules/rule.h"
#include "rules/shared/gains.h"

namespace proofline {
namespace {

// A cause that accounts for this part of a symptom or more takes its place.
constexpr double kPartTakenOver = 0.5;

// What the ranking is by. A cause stands where the largest of its symptoms stood.
double rank_of(const Finding& finding) {
  double rank = finding.gain.high;
  for (const Finding& symptom : finding.symptoms) rank = std::max(rank, symptom.gain.high);
  return rank;
}

bool ranks_before(const Finding& a, const Finding& b) { return rank_of(a) > rank_of(b); }

bool accounts_for(const Finding& cause, const Finding& symptom) {
  const std::vector<std::string_view>& explained = find_rule(cause.id)->explains;
  return std::find(explained.begin(), explained.end(), symptom.id) != explained.end() &&
         cause.gain.high >= kPartTakenOver * symptom.gain.high;
}

// Of ranked findings, the first that accounts for a symptom takes it over.
void take_over_symptoms(std::vector<Finding>& findings) {
  for (std::size_t i = findings.size(); i-- > 0;) {
    const auto cause = std::find_if(findings.begin(), findings.end(), [&](const Finding& finding) {
      return accounts_for(finding, findings[i]);
    });
    if (cause == findings.end()) continue;
    cause->symptoms.push_back(std::move(findings[i]));
    findings.erase(findings.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace

TimelineDiagnosis diagnose_timeline(TimelineReport report) {
  TimelineDiagnosis diagnosis;
  diagnosis.facts = timeline_facts_of(report);
  diagnosis.report = std::move(report);
  for (const Rule& rule : timeline_rules()) {
    Trial trial(diagnosis.facts);
    Outcome outcome = rule.evaluate(trial);
    if (auto* finding = std::get_if<Finding>(&outcome)) {
      finding->id = rule.id;
      if (rule.group != CauseGroup::kRoof) finding->severity = severity_of(finding->gain);
      diagnosis.findings.push_back(std::move(*finding));
    } else if (auto* unknown = std::get_if<NotEvaluated>(&outcome)) {
      unknown->id = rule.id;
      diagnosis.not_evaluated.push_back(std::move(*unknown));
    } else {
      diagnosis.clean.emplace_back(rule.id);
    }
  }
  std::stable_sort(diagnosis.findings.begin(), diagnosis.findings.end(), ranks_before);
  take_over_symptoms(diagnosis.findings);
  std::stable_sort(diagnosis.findings.begin(), diagnosis.findings.end(), ranks_before);
  diagnosis.verdict = timeline_verdict(diagnosis);
  diagnosis.facts.add(facts::kTimelineBound, diagnosis.verdict.bound);
  return diagnosis;
}

}  // namespace proofline

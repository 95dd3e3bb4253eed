// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/timeline/timeline_verdict.h"

#include <fmt/format.h>

#include <string_view>

#include "analysis/timeline/least_work.h"
#include "analysis/timeline/timeline_facts.h"
#include "base/text.h"
#include "diagnosis/timeline/diagnose_timeline.h"
#include "rules/rule.h"

namespace proofline {
namespace {

// How a headline begins, by where the first finding's rule finds its cause.
std::string_view headline_word(std::string_view bound) {
  if (bound == "kernels") return "kernel-bound";
  if (bound == "copies") return "copy-bound";
  if (bound == "communication") return "communication-bound";
  if (bound == "host") return "host-bound";
  return "idle";
}

// Why the verdict may not hold for the program; "" it does. One kernel keeps its GPU busy all of
// its own time, so little work tells little. A user who selected a part knows how small it is.
std::string doubt_of(const TimelineReport& report) {
  if (!report.ops_missing.empty()) {
    return fmt::format(" ({}: the GPU may have done more than that)", report.ops_missing);
  }
  if (!report.selected.empty()) return "";
  const DeviceRow& device = report.devices[report.worst];
  std::string doubt;
  // All shares are of the GPU's span; before and after it the program may do anything.
  if (2 * device.time.span_ns < report.wall_ns) {
    const double part =
        static_cast<double>(device.time.span_ns) / static_cast<double>(report.wall_ns);
    doubt = fmt::format("; the GPU's work spans only {} of the recorded time",
                        part < 0.01 ? "less than 1 %" : percent(part));
  }
  if (device.ops < kLeastOps) {
    doubt +=
        fmt::format(" (only {}: too few to judge a program by)", plural(device.ops, "operation"));
  } else if (device.time.span_ns < kLeastSpanNs) {
    doubt += fmt::format(" (only {} us of work: too short to judge a program by)",
                         device.time.span_ns / 1000);
  }
  return doubt;
}

std::string_view next_without_findings(const TimelineReport& report) {
  if (report.devices.empty()) {
    return report.ops_missing.empty() ? "record a program that uses a GPU, with its CUDA activity"
                                      : "see the notes for what was lost, and record again";
  }
  if (!report.selected.empty()) {
    return "select a part in which the GPU works, or the whole timeline";
  }
  if (report.devices[report.worst].time.span_ns > kMostSpanNs) {
    return "select the part that is right: a step, a range or a window of time";
  }
  return "record longer: what is shorter than the recorder's clock tells is no time";
}

}  // namespace

TimelineVerdict timeline_verdict(const TimelineDiagnosis& diagnosis) {
  const Facts& facts = diagnosis.facts;
  TimelineVerdict verdict;
  if (diagnosis.findings.empty()) {
    verdict.headline =
        fmt::format("nothing to judge: {}", facts.absence(facts::kTimelineKernelsShare).reason);
    verdict.next = next_without_findings(diagnosis.report);
    return verdict;
  }
  const auto share = [&](std::string_view fact) { return facts.number(fact).value_or(0); };
  verdict.kernels = share(facts::kTimelineKernelsShare);
  verdict.host = share(facts::kTimelineGpuIdleShare);
  verdict.copies = share(facts::kTimelineCopyExposedShare);
  verdict.communication = share(facts::kTimelineCommExposedShare);
  const Finding& first = diagnosis.findings.front();
  verdict.bound = find_rule(first.id)->at;
  verdict.headline = fmt::format("{}: {}{}", headline_word(verdict.bound), first.statement,
                                 doubt_of(diagnosis.report));
  verdict.next = first.next;
  // Anything else is cheaper to fix than a kernel.
  if (verdict.bound == "kernels" && diagnosis.findings.size() > 1) {
    verdict.next = fmt::format("{}; then {}", diagnosis.findings[1].next, first.next);
  }
  return verdict;
}

}  // namespace proofline

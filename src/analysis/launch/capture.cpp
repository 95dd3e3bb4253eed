// SPDX-License-Identifier: Apache-2.0
//
// What the capture itself is worth: how much was sampled, whether clocks held still between passes,
// and which parts it has at all.
#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/launch/capture_facts.h"
#include "vocabulary/metric_names.h"
#include "vocabulary/stall_reasons.h"

namespace proofline {
namespace {

// Kernels by which PyTorch makes a program's inputs. A report that holds nothing else was cut off
// before the kernel that its user meant.
bool is_setup(const Launch& launch) {
  if (launch.name.find("at::native") == std::string::npos) return false;
  for (const std::string_view part : {"distribution_elementwise", "FillFunctor", "random_"}) {
    if (launch.name.find(part) != std::string::npos) return true;
  }
  return false;
}

void publish_capture(const Subject& subject, Facts& facts) {
  facts.add(facts::kCaptureMetrics, static_cast<double>(subject.launch.metrics.size()));
  const auto& launches = subject.profile.launches;
  if (!launches.empty() && std::all_of(launches.begin(), launches.end(), is_setup)) {
    facts.add(facts::kCaptureOnlySetup, "yes");
  } else {
    facts.mark_absent(facts::kCaptureOnlySetup,
                      "not all kernels of the report are PyTorch's that fill memory");
  }
  double capability = 0;
  const std::string& text = subject.launch.compute_capability;
  if (std::from_chars(text.data(), text.data() + text.size(), capability).ec == std::errc()) {
    facts.add(facts::kDeviceComputeCapability, capability);
  } else {
    facts.mark_absent(facts::kDeviceComputeCapability, "the report does not say");
  }
  publish_metric(subject, facts, facts::kCaptureSamples);
  publish_metric(subject, facts, facts::kCaptureCycles);
  publish_metric(subject, facts, facts::kCaptureClock);

  // Each of these is measured in a pass of its own, on clocks of the same domain.
  double lowest = 0;
  double highest = 0;
  std::vector<std::string> sources;
  for (const char* name :
       {"gpc__cycles_elapsed.avg.per_second", "sm__cycles_elapsed.avg.per_second",
        "smsp__cycles_elapsed.avg.per_second", "l1tex__cycles_elapsed.avg.per_second"}) {
    const auto value = subject.number(name);
    if (!value || *value <= 0) continue;
    lowest = sources.empty() ? *value : std::min(lowest, *value);
    highest = std::max(highest, *value);
    sources.emplace_back(name);
  }
  if (sources.size() >= 2) {
    facts.add(facts::kCaptureClockSpreadShare, 1 - lowest / highest, Sources(std::move(sources)));
  } else {
    facts.mark_absent(facts::kCaptureClockSpreadShare, "the capture has the clock of one pass only",
                      {"sm__cycles_elapsed.avg.per_second"});
  }
  if (subject.profile.format == "recording") {
    facts.add(facts::kCaptureCounters, "none");
  } else {
    facts.mark_absent(facts::kCaptureCounters, "hardware counters were recorded");
  }
  if (subject.launch.clocks) {
    facts.add(facts::kCaptureClocksLocked, subject.launch.clocks->locked ? "yes" : "no");
  } else {
    facts.mark_absent(facts::kCaptureClocksLocked,
                      "the file does not say whether clocks were locked");
  }
}

}  // namespace

Analysis capture() { return {"capture", kCaptureFacts, publish_capture}; }

}  // namespace proofline

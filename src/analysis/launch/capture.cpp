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
#include "vocabulary/metric_names.h"
#include "vocabulary/stall_reasons.h"

namespace proofline {
namespace {

constexpr FactInfo kCaptureFacts[] = {
    {"capture.metrics", "", "Metrics that the launch has."},
    {"device.compute_capability", "", "As a number: 9.0 for an H200, 12.0 for an RTX 5090."},
    {"capture.only_setup", "",
     "yes where all kernels of the report are PyTorch's that fill memory or draw numbers; else "
     "absent."},
    {"capture.samples", "", "PC samples taken of the launch."},
    {"capture.cycles", "cycle", "Elapsed SM cycles of the launch."},
    {"capture.clock", "hz", "SM clock, from elapsed cycles and time."},
    {"capture.clock_spread.share", kShare,
     "How far the SM clocks seen in different passes are apart, of the highest."},
    {"capture.clocks_locked", "", "yes or no, where the report says."},
    {"capture.counters", "", "none where the launch was recorded without hardware counters."},
};

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
  facts.add({"capture.metrics", "", static_cast<double>(subject.launch.metrics.size()), {}});
  const auto& launches = subject.profile.launches;
  if (!launches.empty() && std::all_of(launches.begin(), launches.end(), is_setup)) {
    facts.add({"capture.only_setup", "", "yes", {}});
  } else {
    facts.add_absent(
        {"capture.only_setup", "not all kernels of the report are PyTorch's that fill memory", {}});
  }
  double capability = 0;
  const std::string& text = subject.launch.compute_capability;
  if (std::from_chars(text.data(), text.data() + text.size(), capability).ec == std::errc()) {
    facts.add({"device.compute_capability", "", capability, {}});
  } else {
    facts.add_absent({"device.compute_capability", "the report does not say", {}});
  }
  publish_metric(subject, facts, "capture.samples", "", {kSampleCount});
  publish_metric(subject, facts, "capture.cycles", "cycle",
                 {"sm__cycles_elapsed.max", "gpc__cycles_elapsed.max", "sm__cycles_elapsed.avg",
                  "sm__elapsed_cycles_max"});
  publish_metric(subject, facts, "capture.clock", "hz",
                 {"gpc__cycles_elapsed.avg.per_second", "smsp__cycles_elapsed.avg.per_second",
                  "sm__cycles_elapsed.avg.per_second", "gpc__frequency", "sm__frequency"});

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
    facts.add({"capture.clock_spread.share", std::string(kShare), 1 - lowest / highest,
               Sources(std::move(sources))});
  } else {
    facts.add_absent({"capture.clock_spread.share",
                      "the capture has the clock of one pass only",
                      {"sm__cycles_elapsed.avg.per_second"}});
  }
  if (subject.profile.format == "recording") {
    facts.add({"capture.counters", "", "none", {}});
  } else {
    facts.add_absent({"capture.counters", "hardware counters were recorded", {}});
  }
  if (subject.launch.clocks) {
    facts.add({"capture.clocks_locked", "", subject.launch.clocks->locked ? "yes" : "no", {}});
  } else {
    facts.add_absent(
        {"capture.clocks_locked", "the file does not say whether clocks were locked", {}});
  }
}

}  // namespace

Analysis capture() { return {"capture", kCaptureFacts, publish_capture}; }

}  // namespace proofline

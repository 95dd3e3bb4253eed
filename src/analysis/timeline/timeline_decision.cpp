// SPDX-License-Identifier: Apache-2.0
//
// Whether the host, copies, communication or kernels hold a program back: the largest of the four
// shares of the GPU's time. Each is a ceiling of what mending it can save.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "analysis/timeline/least_work.h"
#include "analysis/timeline/ranks.h"
#include "analysis/timeline/timeline_report.h"
#include "base/text.h"

namespace proofline {
namespace {

constexpr std::string_view kCopyRemedy =
    "keep the data on the GPU; else copy from pinned memory on a stream of its own, while kernels "
    "run";
// Most of a collective's time is waiting for the last rank to come.
std::string communication_remedy(const TimelineReport& report) {
  constexpr std::string_view kOverlap = "overlap collectives with kernels";
  if (report.ranks.empty()) {
    return fmt::format("look for a rank that comes late first (give all ranks' files); then {}",
                       kOverlap);
  }
  const RankRow* last = straggler(report.ranks);
  if (last == nullptr) return fmt::format("{}, or send less", kOverlap);
  return fmt::format("find what rank {} does longer than the others, which wait for it; then {}",
                     last->rank, kOverlap);
}

// Beside kernels that take most of the time, a part from which on something else is mended first:
// it is cheaper to mend than a kernel. The rules' thresholds are no higher.
constexpr double kWorthMending = 0.10;

// Why a GPU is idle: the class that takes most of it. Launch gaps that are too long for a launch
// are as little explained as those without one.
struct IdleReason {
  IdleClass idle = IdleClass::kUnattributed;
  std::int64_t ns = 0;
};

IdleReason idle_reason(const DeviceRow& device) {
  IdleTimes times = device.time.idle;
  const auto at = [&](IdleClass idle) -> std::int64_t& {
    return times[static_cast<std::size_t>(idle)];
  };
  const std::int64_t unexplained = std::min(device.unexplained_ns, at(IdleClass::kLaunch));
  at(IdleClass::kLaunch) -= unexplained;
  at(IdleClass::kUnattributed) += unexplained;
  const auto largest = std::max_element(times.begin(), times.end());
  return {static_cast<IdleClass>(largest - times.begin()), *largest};
}

// Not "host-bound" where nobody knows what the GPU waited for.
void say_host(const TimelineReport& report, TimelineDecision& decision) {
  const DeviceRow& device = report.devices[report.worst];
  const IdleReason reason = idle_reason(device);
  const double part = static_cast<double>(reason.ns) /
                      static_cast<double>(std::max<std::int64_t>(device.time.parts.idle_ns, 1));
  const bool is_known = reason.idle != IdleClass::kUnattributed;
  decision.headline =
      fmt::format("{}: the GPU is idle {} of {}, {} of it {}", is_known ? "host-bound" : "idle",
                  percent(decision.host), report.steps.empty() ? "its span" : "the time",
                  percent(part), idle_class_info(reason.idle).reason);
  if (!is_known) decision.bound = TimelineBound::kUnknown;
  decision.next = idle_class_info(reason.idle).remedy;
}

// What else takes much of the time, and what to do about it; "" nothing does.
std::string mended_first(const TimelineReport& report, TimelineDecision& decision) {
  const double most = std::max({decision.host, decision.copies, decision.communication});
  if (most < kWorthMending) return "";
  if (most == decision.host) {
    decision.headline += fmt::format("; it is idle {}", percent(most));
    return std::string(idle_class_info(idle_reason(report.devices[report.worst]).idle).remedy);
  }
  const bool copies = most == decision.copies;
  decision.headline += fmt::format("; {} that nothing hides take {}",
                                   copies ? "copies" : "collectives", percent(most));
  return copies ? std::string(kCopyRemedy) : communication_remedy(report);
}

void say_kernels(const TimelineReport& report, TimelineDecision& decision) {
  decision.headline = fmt::format("kernel-bound: kernels keep the GPU busy {} of the time",
                                  percent(decision.kernels));
  const auto kernel = std::find_if(report.kernels.begin(), report.kernels.end(),
                                   [](const NameRow& row) { return !row.communication; });
  if (kernel == report.kernels.end()) {
    decision.next =
        "they ran in graphs, of which only the whole was recorded: record again with what is "
        "inside "
        "(nsys profile --cuda-graph-trace=node) to see which kernels take the time";
    return;
  }
  // Launches that run side by side may add up to more than the time.
  if (kernel->share && *kernel->share <= 1) {
    decision.headline += fmt::format("; the longest takes {} of it", percent(*kernel->share));
  }
  const std::string first = mended_first(report, decision);
  decision.next = fmt::format(
      "{}profile the kernels at the top of the table: proofline profile -k NAME -- CMD (how near "
      "each is to its roof is not known from a timeline)",
      first.empty() ? "" : first + "; then ");
}

// One kernel keeps its GPU busy all of its own time, whatever the program did before and after. Who
// selected a part knows how small it is.
void add_doubt(const TimelineReport& report, TimelineDecision& decision) {
  const DeviceRow& device = report.devices[report.worst];
  if (!report.ops_missing.empty()) {
    decision.headline +=
        fmt::format(" ({}: the GPU may have done more than that)", report.ops_missing);
    return;
  }
  if (!report.selected.empty()) return;
  // All shares are of the GPU's span; before and after it the program may do what it likes.
  if (2 * device.time.span_ns < report.wall_ns) {
    const double part =
        static_cast<double>(device.time.span_ns) / static_cast<double>(report.wall_ns);
    decision.headline += fmt::format("; the GPU's work spans only {} of the recorded time",
                                     part < 0.01 ? "less than 1 %" : percent(part));
  }
  if (device.ops < kLeastOps) {
    decision.headline +=
        fmt::format(" (only {}: too few to judge a program by)", plural(device.ops, "operation"));
  } else if (device.time.span_ns < kLeastSpanNs) {
    decision.headline += fmt::format(" (only {} us of work: too short to judge a program by)",
                                     device.time.span_ns / 1000);
  }
}

void say_nothing(const TimelineReport& report, TimelineDecision& decision) {
  if (report.devices.empty() && !report.ops_missing.empty()) {
    decision.headline =
        fmt::format("nothing to judge: no GPU work could be read ({})", report.ops_missing);
    decision.next = "see the notes for what was lost, and record again";
  } else if (report.devices.empty()) {
    decision.headline = "nothing to judge: no GPU work in this timeline";
    decision.next = "record a program that uses a GPU, with its CUDA activity";
  } else if (!report.selected.empty()) {
    decision.headline = "nothing to judge: the GPU has no work in what was selected";
    decision.next = "select a part in which the GPU works, or the whole timeline";
  } else if (report.devices[report.worst].time.span_ns > kMostSpanNs) {
    decision.headline = fmt::format(
        "nothing to judge: the GPU's work spans {} days, so a time in this file is wrong",
        report.devices[report.worst].time.span_ns / (kMostSpanNs / 7));
    decision.next = "select the part that is right (--step, --range, --from and --to)";
  } else {
    decision.headline = "nothing to judge: the GPU's operations have no length";
    decision.next = "record longer: what is shorter than the recorder's clock tells is no time";
  }
}

bool can_be_judged(const TimelineReport& report) {
  if (report.devices.empty()) return false;
  const TimeShares& time = report.devices[report.worst].time;
  return time.span_ns > 0 && time.span_ns <= kMostSpanNs &&
         (time.parts.idle_ns < time.span_ns || !report.selected.empty());
}

}  // namespace

TimelineDecision decide_timeline(const TimelineReport& report) {
  TimelineDecision decision;
  if (!can_be_judged(report)) {
    say_nothing(report, decision);
    return decision;
  }
  const TimeShares& time = report.devices[report.worst].time;
  decision.host = time.share(time.parts.idle_ns);
  decision.copies = time.share(time.parts.copy_ns);
  decision.communication = time.share(time.parts.communication_ns);
  decision.kernels = time.share(time.parts.compute_ns);
  const std::array<std::pair<double, TimelineBound>, 4> all = {{
      {decision.kernels, TimelineBound::kKernels},
      {decision.host, TimelineBound::kHost},
      {decision.copies, TimelineBound::kCopies},
      {decision.communication, TimelineBound::kCommunication},
  }};
  decision.bound = std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
                     return a.first < b.first;
                   })->second;
  switch (decision.bound) {
    case TimelineBound::kHost: say_host(report, decision); break;
    case TimelineBound::kKernels: say_kernels(report, decision); break;
    case TimelineBound::kCopies:
      decision.headline = fmt::format("copy-bound: copies that no kernel hides take {} of the time",
                                      percent(decision.copies));
      decision.next = kCopyRemedy;
      break;
    case TimelineBound::kCommunication:
      decision.headline =
          fmt::format("communication-bound: collectives that no kernel hides take {} of the time",
                      percent(decision.communication));
      decision.next = communication_remedy(report);
      break;
    case TimelineBound::kUnknown:
    case TimelineBound::kNothing: break;
  }
  add_doubt(report, decision);
  return decision;
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// Whether the host, copies, communication or kernels hold a program back: the largest of the four
// shares of the GPU's time. Each is a ceiling of what mending it can save.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "analysis/timeline/least_work.h"
#include "analysis/timeline/timeline_report.h"
#include "base/text.h"

namespace proofline {
namespace {

// "33 % of it because nothing was queued"
std::string_view reason_of(IdleClass idle) {
  switch (idle) {
    case IdleClass::kUnattributed: return "for reasons that the timeline does not tell";
    case IdleClass::kLoad: return "while kernels were loaded for their first launch";
    case IdleClass::kSynchronise: return "because the host waited for the GPU before it gave more";
    case IdleClass::kBlockingCopy: return "because the host waited for copies to end";
    case IdleClass::kAllocate: return "while memory was allocated or freed";
    case IdleClass::kLoader: return "because the host waited for data";
    case IdleClass::kHost: return "because nothing was queued";
    case IdleClass::kLaunch: return "between a launch and its start";
  }
  return "";
}

std::string_view remedy_of(IdleClass idle) {
  switch (idle) {
    case IdleClass::kUnattributed:
      return "record again from the start of the program, with its CUDA calls";
    case IdleClass::kLoad: return "warm up before you record: first launches load code";
    case IdleClass::kSynchronise:
      return "remove synchronisation from the loop (.item(), .cpu(), cudaDeviceSynchronize), or "
             "do it once in many steps";
    case IdleClass::kBlockingCopy:
      return "copy from pinned memory with an asynchronous call (pin_memory, non_blocking=True)";
    case IdleClass::kAllocate:
      return "allocate once before the loop, or from a pool (cudaMallocAsync, a caching allocator)";
    case IdleClass::kLoader:
      return "load data ahead of time: more workers, prefetching, cheaper decoding";
    case IdleClass::kHost:
      return "give the GPU more at once: CUDA graphs (torch.compile mode=\"reduce-overhead\"), "
             "larger batches, fused kernels, less Python in the loop";
    case IdleClass::kLaunch: return "fewer and larger launches, or a CUDA graph";
  }
  return "";
}

constexpr std::string_view kCopyRemedy =
    "keep the data on the GPU; else copy from pinned memory on a stream of its own, while kernels "
    "run";
constexpr std::string_view kCommunicationRemedy =
    "look for a rank that comes late first (give all ranks' files); then overlap collectives with "
    "kernels";

// Beside kernels that take most of the time, a part from which on something else is mended first:
// it is cheaper to mend than a kernel. The rules' thresholds are no higher.
constexpr double kWorthMending = 0.10;

IdleClass largest_class(const TimeShares& time) {
  const auto largest = std::max_element(time.idle.begin(), time.idle.end());
  return static_cast<IdleClass>(largest - time.idle.begin());
}

void say_host(const TimelineReport& report, TimelineDecision& decision) {
  const TimeShares& time = report.devices[report.worst].time;
  const IdleClass largest = largest_class(time);
  const double part = time.parts.idle_ns > 0 ? static_cast<double>(time.of(largest)) /
                                                   static_cast<double>(time.parts.idle_ns)
                                             : 0;
  decision.headline = fmt::format(
      "host-bound: the GPU is idle {} of {}, {} of it {}", percent(decision.host),
      report.steps.empty() ? "its span" : "the time", percent(part), reason_of(largest));
  decision.next = remedy_of(largest);
}

// What else takes much of the time, and what to do about it; "" nothing does.
std::string mended_first(const TimelineReport& report, TimelineDecision& decision) {
  const double most = std::max({decision.host, decision.copies, decision.communication});
  if (most < kWorthMending) return "";
  if (most == decision.host) {
    decision.headline += fmt::format("; it is idle {}", percent(most));
    return std::string(remedy_of(largest_class(report.devices[report.worst].time)));
  }
  const bool copies = most == decision.copies;
  decision.headline += fmt::format("; {} that nothing hides take {}",
                                   copies ? "copies" : "collectives", percent(most));
  return std::string(copies ? kCopyRemedy : kCommunicationRemedy);
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
  if (kernel->share <= 1) {
    decision.headline += fmt::format("; the longest takes {} of it", percent(kernel->share));
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
  if (!report.selected.empty()) return;
  if (device.ops < kLeastOps) {
    decision.headline +=
        fmt::format(" (only {}: too few to judge a program by)", plural(device.ops, "operation"));
  } else if (device.time.span_ns < kLeastSpanNs) {
    decision.headline += fmt::format(" (only {} us of work: too short to judge a program by)",
                                     device.time.span_ns / 1000);
  }
}

void say_nothing(const TimelineReport& report, TimelineDecision& decision) {
  if (report.devices.empty()) {
    decision.headline = "nothing to judge: no work of a GPU in this timeline";
    decision.next = "record a program that uses a GPU, with its CUDA activity";
  } else if (!report.selected.empty()) {
    decision.headline = "nothing to judge: the GPU has no work in what was selected";
    decision.next = "select a part in which the GPU works, or the whole timeline";
  } else {
    decision.headline = "nothing to judge: the GPU's operations have no length";
    decision.next = "record longer: what is shorter than the recorder's clock tells is no time";
  }
}

}  // namespace

TimelineDecision decide_timeline(const TimelineReport& report) {
  TimelineDecision decision;
  if (report.devices.empty() || report.devices[report.worst].time.span_ns == 0) {
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
      decision.next = kCommunicationRemedy;
      break;
    case TimelineBound::kNothing: break;
  }
  add_doubt(report, decision);
  return decision;
}

}  // namespace proofline

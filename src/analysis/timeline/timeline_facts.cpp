// SPDX-License-Identifier: Apache-2.0
//
// What rules read of a timeline. All shares are of the span of one GPU, the one that spends least
// of it on kernels. Where a timeline is too short or too incomplete to judge, what rules decide by
// is absent and says why.
#include "analysis/timeline/timeline_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "analysis/analysis.h"
#include "analysis/timeline/least_work.h"
#include "analysis/timeline/ranks.h"
#include "analysis/timeline/timeline_report.h"
#include "base/statistics.h"
#include "base/text.h"

namespace proofline {
namespace {

// With less of its idle time explained a timeline is no measure of a program.
constexpr double kLeastAttributed = 0.8;
constexpr std::size_t kMostNamed = 10;

// Each class of idle time has a fact, from the table of classes.
constexpr auto kTimelineFacts = [] {
  std::array<FactInfo, std::size(kOtherTimelineFacts) + kIdleClasses> all{};
  auto* next =
      std::copy(std::begin(kOtherTimelineFacts), std::end(kOtherTimelineFacts), all.begin());
  for (const IdleClassInfo& one : kIdleClassTable) {
    *next++ = {one.fact, kShare, one.fact_meaning, false, one.evidence};
  }
  return all;
}();

class FactWriter {
 public:
  explicit FactWriter(const TimelineReport& report) : report_(report) {}

  Facts write() {
    if (const std::string reason = nothing_to_judge(); !reason.empty()) return absent_all(reason);
    const DeviceRow& device = report_.devices[report_.worst];
    doubt_ = doubt_of(device);
    add_parts(device);
    add_idle(device);
    add_copies();
    add_others(device);
    add_named();
    return std::move(facts_);
  }

 private:
  // Why there is no share of any time; "" there is.
  std::string nothing_to_judge() const {
    if (report_.devices.empty()) {
      return report_.ops_missing.empty()
                 ? "no GPU work in this timeline"
                 : fmt::format("no GPU work could be read ({})", report_.ops_missing);
    }
    const TimeShares& time = report_.devices[report_.worst].time;
    const bool is_whole = report_.selected.empty();
    if (time.span_ns == 0 && !is_whole) return "the GPU has no work in what was selected";
    if (time.span_ns > kMostSpanNs) {
      return fmt::format("the GPU's work spans {} days, so a time in this file is wrong",
                         time.span_ns / kDayNs);
    }
    // In a part of a timeline the GPU may be idle throughout.
    if (time.span_ns == 0 || (is_whole && time.parts.idle_ns == time.span_ns)) {
      return "the GPU's operations have no length";
    }
    return "";
  }

  // What the GPU's time goes to is known of any timeline; why it is idle takes more.
  std::string doubt_of(const DeviceRow& device) const {
    if (!report_.ops_missing.empty()) return report_.ops_missing;
    if (device.ops < kLeastOps) {
      return fmt::format("{} of the GPU; {} are needed", plural(device.ops, "operation"),
                         kLeastOps);
    }
    if (device.time.span_ns < kLeastSpanNs) return "the GPU's work spans less than a millisecond";
    const std::int64_t idle = device.time.parts.idle_ns;
    const std::int64_t unattributed = device.time.of(IdleClass::kUnattributed);
    // nsys warns of what it might have lost as a matter of course; where every gap has its call,
    // nothing that matters here was.
    if (report_.partial && unattributed > 0) {
      return "the recorder says that the timeline is incomplete, and not every gap has its call";
    }
    if (20 * report_.delays.negative > report_.delays.count) {
      return "kernels start before their calls: the clocks of host and GPU disagree";
    }
    const auto known = static_cast<double>(idle - unattributed);
    if (idle > 0 && known < kLeastAttributed * static_cast<double>(idle)) {
      return "the launches of more than a fifth of the idle time are not in the timeline";
    }
    return "";
  }

  Facts absent_all(const std::string& reason) {
    for (const FactInfo& info : kTimelineFacts) {
      const bool is_named = info.name.find('<') == info.name.npos;
      if (is_named && info.name != facts::kTimelineBound.name) mark_absent(info, reason);
    }
    return std::move(facts_);
  }

  void add(const FactRef& fact, double value) { facts_.add(fact, value); }
  // What rules decide by.
  void add_judged(const FactRef& fact, double share) {
    if (doubt_.empty()) {
      add(fact, share);
    } else {
      mark_absent(fact, doubt_);
    }
  }
  void mark_absent(const FactRef& fact, std::string reason) {
    facts_.mark_absent(fact, std::move(reason));
  }

  void add_parts(const DeviceRow& device) {
    const TimeShares& time = device.time;
    const double idle = time.share(time.parts.idle_ns);
    add(facts::kTimelineGpuBusyShare, 1 - idle);
    add(facts::kTimelineGpuIdleShare, idle);
    add(facts::kTimelineKernelsShare, time.share(time.parts.compute_ns));
    add(facts::kTimelineCopiesShare, time.share(device.copies_ns));
    add(facts::kTimelineCopyExposedShare, time.share(time.parts.copy_ns));
    add(facts::kTimelineCommExposedShare, time.share(time.parts.communication_ns));
    if (device.copies_ns > 0) {
      add(facts::kTimelineCopyOverlapShare,
          1 - static_cast<double>(time.parts.copy_ns) / static_cast<double>(device.copies_ns));
    } else {
      mark_absent(facts::kTimelineCopyOverlapShare, "there are no copies");
    }
    add_judged(facts::kTimelineAllocationShare, time.share(device.under_allocation_ns));
    add_judged(facts::kTimelineSynchronisationShare, time.share(time.of(IdleCause::kHostWaits)));
  }

  void add_idle(const DeviceRow& device) {
    const TimeShares& time = device.time;
    const std::int64_t unexplained = std::min(device.unexplained_ns, time.of(IdleClass::kLaunch));
    for (const IdleClassInfo& one : kIdleClassTable) {
      add(facts::kTimelineIdleShare[one.idle], time.share(time.of(one.idle)));
    }
    add_judged(facts::kTimelineLaunchGapsShare,
               time.share(time.of(IdleCause::kNothingQueued) - unexplained));
    add(facts::kTimelineIdleUnexplainedShare, time.share(unexplained));
    add(facts::kTimelineLaunchGapsShortShare, time.share(device.short_gaps_ns));
    add(facts::kTimelineGapCount, static_cast<double>(device.gaps));
    if (device.gaps == 0) {
      mark_absent(facts::kTimelineGapMedian, "there are no gaps");
      mark_absent(facts::kTimelineGapHostShare, "there are no gaps");
      return;
    }
    add(facts::kTimelineGapMedian, static_cast<double>(device.median_gap_ns));
    add(facts::kTimelineGapHostShare,
        static_cast<double>(time.of(IdleClass::kHost)) /
            static_cast<double>(std::max<std::int64_t>(time.parts.idle_ns, 1)));
  }

  void add_copies() {
    double bytes = 0;
    std::int64_t ns = 0;
    std::int64_t pageable = 0;
    bool known = true;
    for (const CopyTimes& copy : report_.copies) {
      const bool host = copy.direction == CopyDirection::kHostToDevice ||
                        copy.direction == CopyDirection::kDeviceToHost;
      if (!host) continue;
      known = known && copy.bytes;
      bytes += static_cast<double>(copy.bytes.value_or(0));
      ns += copy.sum_ns;
      if (copy.memory == HostMemory::kPageable) pageable += copy.sum_ns;
    }
    constexpr std::string_view kNone = "nothing was copied between host and GPU";
    const std::string reason(known ? kNone : "the timeline does not tell the bytes of all copies");
    if (ns > 0 && known) {
      add(facts::kTimelineCopyBytes, bytes);
      add(facts::kTimelineCopyRate, bytes / static_cast<double>(ns) * 1e9);
    } else {
      mark_absent(facts::kTimelineCopyBytes, reason);
      mark_absent(facts::kTimelineCopyRate, reason);
    }
    if (ns > 0) {
      add(facts::kTimelineCopyPageableShare,
          static_cast<double>(pageable) / static_cast<double>(ns));
    } else {
      mark_absent(facts::kTimelineCopyPageableShare, std::string(kNone));
    }
  }

  void add_others(const DeviceRow& device) {
    const LaunchDelays& delays = report_.delays;
    add(facts::kTimelineLaunchCount, static_cast<double>(delays.count));
    if (delays.count > 0) {
      add(facts::kTimelineLaunchDelayMedian, static_cast<double>(delays.median_ns));
    } else {
      mark_absent(facts::kTimelineLaunchDelayMedian, "no launch is in the timeline");
    }
    if (delays.count > 0 && delays.negative == 0) {
      add(facts::kTimelineLaunchLatency, static_cast<double>(delays.min_ns));
    } else {
      mark_absent(facts::kTimelineLaunchLatency,
                  delays.count == 0 ? "no launch is in the timeline"
                                    : "kernels start before their calls: clocks disagree");
    }
    add_longest_kernel();
    add_kernel_median();
    add(facts::kTimelineAllocations, static_cast<double>(report_.allocations));
    add(facts::kTimelineSynchronisations, static_cast<double>(report_.synchronisations));
    add_steps();
    if (report_.memory_peak_bytes > 0) {
      add(facts::kTimelineMemoryPeak, static_cast<double>(report_.memory_peak_bytes));
    } else {
      mark_absent(facts::kTimelineMemoryPeak, "the timeline tells of no allocation");
    }
    add(facts::kTimelineConcurrencyShare, device.time.share(device.concurrent_ns));
    add(facts::kTimelineStreams, static_cast<double>(report_.streams.size()));
    add_ranks();
  }

  void add_ranks() {
    add(facts::kTimelineRanks, static_cast<double>(std::max<std::size_t>(report_.ranks.size(), 1)));
    if (report_.ranks.empty()) return mark_absent(facts::kTimelineStraggler, "one rank was given");
    const RankRow* last = straggler(report_.ranks);
    if (last == nullptr) return mark_absent(facts::kTimelineStraggler, "no rank waits for another");
    add(facts::kTimelineStraggler, last->rank);
  }

  void add_longest_kernel() {
    constexpr const FactInfo& kLongest = facts::kTimelineKernelsLongestShare;
    const auto longest =
        std::find_if(report_.kernels.begin(), report_.kernels.end(),
                     [](const NameRow& row) { return !row.communication && row.share; });
    if (longest == report_.kernels.end()) {
      return mark_absent(kLongest, "no kernel is named: they ran in graphs, or there are none");
    }
    add(kLongest, *longest->share);
  }

  // The kernel whose launches reach the middle, by the medians of names.
  void add_kernel_median() {
    std::vector<std::pair<std::int64_t, std::uint64_t>> medians;
    std::uint64_t count = 0;
    for (const NameRow& row : report_.kernels) {
      medians.emplace_back(row.median_ns, row.count);
      count += row.count;
    }
    if (count == 0) return mark_absent(facts::kTimelineKernelsMedian, "there are no kernels");
    std::sort(medians.begin(), medians.end());
    std::uint64_t seen = 0;
    for (const auto& [median, launches] : medians) {
      seen += launches;
      if (2 * seen < count) continue;
      return add(facts::kTimelineKernelsMedian, static_cast<double>(median));
    }
  }

  void add_steps() {
    constexpr std::string_view kNone = "the timeline has no steps";
    if (report_.steps.size() < 2) {
      mark_absent(facts::kTimelineOverhead, std::string(kNone));
      mark_absent(facts::kTimelineAllocationsPerStep, std::string(kNone));
      return;
    }
    std::vector<std::int64_t> overheads;
    for (std::size_t i = 1; i < report_.steps.size(); ++i) {
      const TimeShares& time = report_.steps[i].time;
      overheads.push_back(time.span_ns - time.parts.compute_ns);
    }
    add(facts::kTimelineOverhead, static_cast<double>(lower_median(overheads)));
    add(facts::kTimelineAllocationsPerStep,
        static_cast<double>(report_.allocations) / static_cast<double>(report_.steps.size() - 1));
  }

  using Family = FactFamily<std::size_t>;
  void add_rows(const std::vector<NameRow>& rows, const Family& name, const Family& share) {
    for (std::size_t i = 0; i < rows.size() && i < kMostNamed; ++i) {
      facts_.add(name[i], rows[i].name);
      if (rows[i].share) add(share[i], *rows[i].share);
    }
  }

  void add_named() {
    add_rows(report_.kernels, facts::kTimelineTopName, facts::kTimelineTopShare);
    add_rows(report_.operators, facts::kTimelineOperatorName, facts::kTimelineOperatorShare);
    add_rows(report_.calls, facts::kTimelineApiName, facts::kTimelineApiShare);
    const TimeShares& time = report_.devices[report_.worst].time;
    for (std::size_t i = 0; i < report_.threads.size() && i < kMostNamed; ++i) {
      const ThreadRow& thread = report_.threads[i];
      facts_.add(facts::kTimelineThreadName[i],
                 thread.name.empty() ? fmt::format("thread {}", thread.id) : thread.name);
      add(facts::kTimelineThreadShare[i], time.share(thread.call_ns));
    }
  }

  const TimelineReport& report_;
  std::string doubt_;  // why rules must not blame the host; "" they may
  Facts facts_;
};

}  // namespace

Facts timeline_facts_of(const TimelineReport& report) { return FactWriter(report).write(); }

Analysis timeline_facts() {
  return {.name = "timeline", .facts = kTimelineFacts, .publish = nullptr};
}

}  // namespace proofline

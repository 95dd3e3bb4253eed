// SPDX-License-Identifier: Apache-2.0
//
// What rules read of a timeline. All shares are of the span of one GPU, the one that spends least
// of it on kernels. Where a timeline is too short or too incomplete to judge, what rules decide by
// is absent and says why.
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
constexpr std::string_view kTimelineBound = "timeline.bound";

constexpr FactInfo kOtherTimelineFacts[] = {
    {"timeline.gpu_busy.share", kShare, "Part of the GPU's span in which it does anything"},
    {"timeline.gpu_idle.share", kShare, "Part of the GPU's span in which it does nothing"},
    {"timeline.kernels.share", kShare, "Part of the span in kernels that are no communication"},
    {"timeline.copies.share", kShare, "Part of the span with a copy or a set, hidden or not"},
    {"timeline.copy.exposed.share", kShare, "Part of the span in copies that no kernel hides"},
    {"timeline.copy_overlap.share", kShare, "Part of the time of copies that kernels hide"},
    {"timeline.copy.bytes", "byte", "Bytes copied between host and GPU"},
    {"timeline.copy.rate", "byte/s", "Bytes copied between host and GPU, by the time it took"},
    {"timeline.copy.pageable.share", kShare,
     "Part of the time of those copies with pageable memory"},
    {"timeline.comm.exposed.share", kShare, "Part of the span in collectives that no kernel hides"},
    {"timeline.allocation.share", kShare,
     "Part of the span idle under calls that allocate or free"},
    {"timeline.synchronisation.share", kShare,
     "Part of the span idle after the host waited for the GPU or for a copy"},
    {"timeline.idle.unexplained.share", kShare,
     "Idle of launch in gaps above 100 us, which no launch takes: an event, another process or "
     "lost records are behind it"},
    {"timeline.launch_gaps.share", kShare,
     "Idle of host, data loading and launch together, less what is not explained"},
    {"timeline.launch_gaps.short.share", kShare,
     "The part of it in gaps below 50 us, which a CUDA graph removes"},
    {"timeline.gap.count", "", "Gaps between the operations of the GPU"},
    {"timeline.gap.median", "ns", "Their median length"},
    {"timeline.gap.host.share", kShare, "Part of idle because nothing was queued"},
    {"timeline.launch.count", "", "Kernels whose launch is known"},
    {"timeline.launch.delay.median", "ns", "Median time from a launching call to its kernel"},
    {"timeline.launch.latency", "ns", "The least such time: with nothing queued before it"},
    {"timeline.kernels.longest.share", kShare,
     "Time of the kernel that takes most, communication aside, as a part of the span"},
    {"timeline.kernels.median", "ns", "Median time of a kernel, over all launches"},
    {"timeline.overhead", "ns", "Median of a step's time less its kernels"},
    {"timeline.allocations", "", "Calls that allocate or free, after the first step"},
    {"timeline.allocations_per_step", "", "The same for each of these steps"},
    {"timeline.synchronisations", "", "Calls that wait for the GPU"},
    {"timeline.memory.peak", "byte",
     "Most GPU memory in use by the framework's allocator, or taken by allocation calls"},
    {"timeline.concurrency.share", kShare, "Part of the span with two operations or more"},
    {"timeline.streams", "", "Streams that did anything"},
    {"timeline.ranks", "", "Ranks of the job whose timelines were given"},
    {"timeline.straggler", "", "The rank that the others wait for"},
    {kTimelineBound, "",
     "Where the first finding lies: host, copies, communication or kernels; unknown: idle that "
     "nothing explains"},
    {"timeline.top[<i>].name", "", "A kernel, the longest in total first"},
    {"timeline.top[<i>].share", kShare, "Its part of the span"},
    {"timeline.operator[<i>].name", "", "An operator, by the GPU time it asked for"},
    {"timeline.operator[<i>].share", kShare, "Its part of the span"},
    {"timeline.api[<i>].name", "", "A CUDA or HIP call, the longest in total first"},
    {"timeline.api[<i>].share", kShare, "Its time as a part of the span"},
    {"timeline.thread[<i>].name", "", "A thread that makes such calls"},
    {"timeline.thread[<i>].share", kShare, "The time of its calls as a part of the span"},
};

// Each class of idle time has a fact, from the table of classes.
constexpr auto kTimelineFacts = [] {
  std::array<FactInfo, std::size(kOtherTimelineFacts) + kIdleClasses> all{};
  auto* next =
      std::copy(std::begin(kOtherTimelineFacts), std::end(kOtherTimelineFacts), all.begin());
  for (const IdleClassInfo& one : kIdleClassTable) *next++ = {one.fact, kShare, one.fact_meaning};
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
      if (is_named && info.name != kTimelineBound) mark_absent(info.name, reason);
    }
    return std::move(facts_);
  }

  void add(std::string_view name, std::string_view unit, double value) {
    facts_.add({std::string(name), std::string(unit), value, {}});
  }
  void add_text(std::string_view name, std::string_view text) {
    facts_.add({std::string(name), "", std::string(text), {}});
  }
  // What rules decide by.
  void add_judged(std::string_view name, double share) {
    if (doubt_.empty()) {
      add(name, kShare, share);
    } else {
      mark_absent(name, doubt_);
    }
  }
  void mark_absent(std::string_view name, std::string reason) {
    facts_.add_absent({std::string(name), std::move(reason), {}});
  }

  void add_parts(const DeviceRow& device) {
    const TimeShares& time = device.time;
    const double idle = time.share(time.parts.idle_ns);
    add("timeline.gpu_busy.share", kShare, 1 - idle);
    add("timeline.gpu_idle.share", kShare, idle);
    add("timeline.kernels.share", kShare, time.share(time.parts.compute_ns));
    add("timeline.copies.share", kShare, time.share(device.copies_ns));
    add("timeline.copy.exposed.share", kShare, time.share(time.parts.copy_ns));
    add("timeline.comm.exposed.share", kShare, time.share(time.parts.communication_ns));
    if (device.copies_ns > 0) {
      add("timeline.copy_overlap.share", kShare,
          1 - static_cast<double>(time.parts.copy_ns) / static_cast<double>(device.copies_ns));
    } else {
      mark_absent("timeline.copy_overlap.share", "there are no copies");
    }
    add_judged("timeline.allocation.share", time.share(device.under_allocation_ns));
    add_judged("timeline.synchronisation.share", time.share(time.of(IdleCause::kHostWaits)));
  }

  void add_idle(const DeviceRow& device) {
    const TimeShares& time = device.time;
    const std::int64_t unexplained = std::min(device.unexplained_ns, time.of(IdleClass::kLaunch));
    for (const IdleClassInfo& one : kIdleClassTable) {
      add(one.fact, kShare, time.share(time.of(one.idle)));
    }
    add_judged("timeline.launch_gaps.share",
               time.share(time.of(IdleCause::kNothingQueued) - unexplained));
    add("timeline.idle.unexplained.share", kShare, time.share(unexplained));
    add("timeline.launch_gaps.short.share", kShare, time.share(device.short_gaps_ns));
    add("timeline.gap.count", "", static_cast<double>(device.gaps));
    if (device.gaps == 0) {
      mark_absent("timeline.gap.median", "there are no gaps");
      mark_absent("timeline.gap.host.share", "there are no gaps");
      return;
    }
    add("timeline.gap.median", "ns", static_cast<double>(device.median_gap_ns));
    add("timeline.gap.host.share", kShare,
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
      add("timeline.copy.bytes", "byte", bytes);
      add("timeline.copy.rate", "byte/s", bytes / static_cast<double>(ns) * 1e9);
    } else {
      mark_absent("timeline.copy.bytes", reason);
      mark_absent("timeline.copy.rate", reason);
    }
    if (ns > 0) {
      add("timeline.copy.pageable.share", kShare,
          static_cast<double>(pageable) / static_cast<double>(ns));
    } else {
      mark_absent("timeline.copy.pageable.share", std::string(kNone));
    }
  }

  void add_others(const DeviceRow& device) {
    const LaunchDelays& delays = report_.delays;
    add("timeline.launch.count", "", static_cast<double>(delays.count));
    if (delays.count > 0) {
      add("timeline.launch.delay.median", "ns", static_cast<double>(delays.median_ns));
    } else {
      mark_absent("timeline.launch.delay.median", "no launch is in the timeline");
    }
    if (delays.count > 0 && delays.negative == 0) {
      add("timeline.launch.latency", "ns", static_cast<double>(delays.min_ns));
    } else {
      mark_absent("timeline.launch.latency",
                  delays.count == 0 ? "no launch is in the timeline"
                                    : "kernels start before their calls: clocks disagree");
    }
    add_longest_kernel();
    add_kernel_median();
    add("timeline.allocations", "", static_cast<double>(report_.allocations));
    add("timeline.synchronisations", "", static_cast<double>(report_.synchronisations));
    add_steps();
    if (report_.memory_peak_bytes > 0) {
      add("timeline.memory.peak", "byte", static_cast<double>(report_.memory_peak_bytes));
    } else {
      mark_absent("timeline.memory.peak", "the timeline tells of no allocation");
    }
    add("timeline.concurrency.share", kShare, device.time.share(device.concurrent_ns));
    add("timeline.streams", "", static_cast<double>(report_.streams.size()));
    add_ranks();
  }

  void add_ranks() {
    add("timeline.ranks", "", static_cast<double>(std::max<std::size_t>(report_.ranks.size(), 1)));
    if (report_.ranks.empty()) return mark_absent("timeline.straggler", "one rank was given");
    const RankRow* last = straggler(report_.ranks);
    if (last == nullptr) return mark_absent("timeline.straggler", "no rank waits for another");
    add("timeline.straggler", "", last->rank);
  }

  void add_longest_kernel() {
    constexpr std::string_view kLongest = "timeline.kernels.longest.share";
    const auto longest =
        std::find_if(report_.kernels.begin(), report_.kernels.end(),
                     [](const NameRow& row) { return !row.communication && row.share; });
    if (longest == report_.kernels.end()) {
      return mark_absent(kLongest, "no kernel is named: they ran in graphs, or there are none");
    }
    add(kLongest, kShare, *longest->share);
  }

  // The kernel whose launches reach the middle, by the medians of names.
  void add_kernel_median() {
    std::vector<std::pair<std::int64_t, std::uint64_t>> medians;
    std::uint64_t count = 0;
    for (const NameRow& row : report_.kernels) {
      medians.emplace_back(row.median_ns, row.count);
      count += row.count;
    }
    if (count == 0) return mark_absent("timeline.kernels.median", "there are no kernels");
    std::sort(medians.begin(), medians.end());
    std::uint64_t seen = 0;
    for (const auto& [median, launches] : medians) {
      seen += launches;
      if (2 * seen < count) continue;
      return add("timeline.kernels.median", "ns", static_cast<double>(median));
    }
  }

  void add_steps() {
    constexpr std::string_view kNone = "the timeline has no steps";
    if (report_.steps.size() < 2) {
      mark_absent("timeline.overhead", std::string(kNone));
      mark_absent("timeline.allocations_per_step", std::string(kNone));
      return;
    }
    std::vector<std::int64_t> overheads;
    for (std::size_t i = 1; i < report_.steps.size(); ++i) {
      const TimeShares& time = report_.steps[i].time;
      overheads.push_back(time.span_ns - time.parts.compute_ns);
    }
    add("timeline.overhead", "ns", static_cast<double>(lower_median(overheads)));
    add("timeline.allocations_per_step", "",
        static_cast<double>(report_.allocations) / static_cast<double>(report_.steps.size() - 1));
  }

  void add_rows(std::string_view what, const std::vector<NameRow>& rows) {
    for (std::size_t i = 0; i < rows.size() && i < kMostNamed; ++i) {
      add_text(fmt::format("timeline.{}[{}].name", what, i), rows[i].name);
      if (!rows[i].share) continue;
      add(fmt::format("timeline.{}[{}].share", what, i), kShare, *rows[i].share);
    }
  }

  void add_named() {
    add_rows("top", report_.kernels);
    add_rows("operator", report_.operators);
    add_rows("api", report_.calls);
    const TimeShares& time = report_.devices[report_.worst].time;
    for (std::size_t i = 0; i < report_.threads.size() && i < kMostNamed; ++i) {
      const ThreadRow& thread = report_.threads[i];
      add_text(fmt::format("timeline.thread[{}].name", i),
               thread.name.empty() ? fmt::format("thread {}", thread.id) : thread.name);
      add(fmt::format("timeline.thread[{}].share", i), kShare, time.share(thread.call_ns));
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

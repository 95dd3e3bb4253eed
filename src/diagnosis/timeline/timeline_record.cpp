// SPDX-License-Identifier: Apache-2.0
//
// What `timeline --format json` prints, member by member.
#include <cstddef>
#include <deque>
#include <string_view>
#include <utility>

#include "base/record_schema.h"
#include "diagnosis/timeline/diagnose_timeline.h"

namespace proofline {
namespace {

template <std::size_t kClass>
Member idle_member() {
  return derived(kIdleClassTable[kClass].name, kIdleClassTable[kClass].fact_meaning,
                 [](const TimeShares& time) { return time.idle[kClass]; })
      .at_least(0);
}

template <std::size_t... kClasses>
Record describe_time(std::index_sequence<kClasses...> /*idle_classes*/) {
  return {
      about("time", "The parts of a time, which add up to it."),
      member<&TimeShares::span_ns>("span_ns").at_least(0),
      derived("kernels_ns", "in kernels that are no communication",
              [](const TimeShares& time) { return time.parts.compute_ns; })
          .at_least(0),
      derived("communication_ns", "in communication that no kernel hides",
              [](const TimeShares& time) { return time.parts.communication_ns; })
          .at_least(0),
      derived("copies_ns", "in copies that nothing hides",
              [](const TimeShares& time) { return time.parts.copy_ns; })
          .at_least(0),
      derived("idle_ns", [](const TimeShares& time) { return time.parts.idle_ns; }).at_least(0),
      group("idle", {idle_member<kClasses>()...}, "ns by class; they add up to idle_ns"),
  };
}

}  // namespace

Record describe(const TimeShares* /*type*/) {
  return describe_time(std::make_index_sequence<kIdleClasses>());
}

Record describe(const DeviceRow* /*type*/) {
  using Row = DeviceRow;
  return {
      about("device", "Where the time of a GPU goes."),
      member<&Row::id>("id", "as the file counts"),
      member<&Row::name>("name", "\"\" unknown"),
      member<&Row::ops>("operations"),
      inlined<&Row::time>(),
      member<&Row::before_ns>("before_ns", "of the selection, before the first operation")
          .at_least(0),
      member<&Row::after_ns>("after_ns", "of the selection, after the last operation").at_least(0),
      member<&Row::communication_ns>("all_communication_ns", "hidden or not").at_least(0),
      member<&Row::copies_ns>("all_copies_ns", "hidden or not").at_least(0),
      member<&Row::concurrent_ns>("concurrent_ns", "two operations or more at once").at_least(0),
      member<&Row::most_concurrent>("most_concurrent"),
      member<&Row::gaps>("gaps"),
      member<&Row::median_gap_ns>("median_gap_ns").at_least(0),
      member<&Row::longest_gap_ns>("longest_gap_ns").at_least(0),
  };
}

Record describe(const NameRow* /*type*/) {
  return {
      about("named", "Kernels, calls or operators of one name."),
      member<&NameRow::name>("name"),
      member<&NameRow::count>("count"),
      member<&NameRow::sum_ns>("total_ns").at_least(0),
      member<&NameRow::min_ns>("min_ns").at_least(0),
      member<&NameRow::median_ns>("median_ns").at_least(0),
      member<&NameRow::max_ns>("max_ns").at_least(0),
      member<&NameRow::share>("share", "of the span of all GPUs together; null: there is none")
          .at_least(0),
      member<&NameRow::communication>("communication", "of kernels"),
  };
}

Record describe(const CopyTimes* /*type*/) {
  return {
      about("copies", "Copies that are alike."),
      member<&CopyTimes::direction>("direction"),
      derived("host_memory", "\"\" none, or not known",
              [](const CopyTimes& copies) { return to_string(copies.memory); })
          .one_of({"", "pageable", "pinned"}),
      member<&CopyTimes::size>("size", "of one copy"),
      member<&CopyTimes::count>("count"),
      member<&CopyTimes::sum_ns>("total_ns").at_least(0),
      member<&CopyTimes::bytes>("bytes", "null: not all copies tell"),
  };
}

Record describe(const CollectiveTimes* /*type*/) {
  using Times = CollectiveTimes;
  return {
      about("collective", "Collectives that are alike."),
      member<&Times::name>("name"),
      member<&Times::group>("group", "of processes; \"\" unknown"),
      member<&Times::ranks>("ranks", "in the group; 0: unknown"),
      derived("size", "of one message; \"\" unknown",
              [](const Times& times) {
                return times.bytes ? to_string(times.size) : std::string_view();
              }),
      member<&Times::count>("count"),
      member<&Times::sum_ns>("total_ns").at_least(0),
      member<&Times::bytes>("bytes", "of the messages; null: not all tell"),
      member<&Times::median_rate>("bus_median", "GB/s of the bus; null: unknown").at_least(0),
      member<&Times::best_rate>("bus_best", "GB/s of the bus; null: unknown").at_least(0),
  };
}

Record describe(const GapRow* /*type*/) {
  return {
      about("gap", "A GPU had nothing to do."),
      member<&GapRow::device>("device"),
      member<&GapRow::start_ns>("start_ns", "since the first event").at_least(0),
      member<&GapRow::length_ns>("length_ns").at_least(0),
      member<&GapRow::idle>("class"),
      member<&GapRow::ended_by>("ended_by", "the operation after the gap"),
      member<&GapRow::call>("call", "that launched it; \"\" unknown"),
      member<&GapRow::asked_by>("asked_by",
                                "the operator, or else the Python function; \"\" unknown"),
      member<&GapRow::meanwhile>("meanwhile", "what that thread did in the gap; \"\" unknown"),
  };
}

Record describe(const LaunchDelays* /*type*/) {
  using Delays = LaunchDelays;
  return {
      about("launches", "From a launching call to the start of its kernel."),
      member<&Delays::count>("count", "kernels whose call is known"),
      member<&Delays::min_ns>("min_delay_ns", "below 0 where clocks disagree"),
      member<&Delays::median_ns>("median_delay_ns"),
      member<&Delays::max_ns>("max_delay_ns"),
      member<&Delays::negative>("negative_delays"),
      member<&Delays::mean_queue>("mean_queue", "operations called and not started, over time")
          .at_least(0),
      member<&Delays::deepest_queue>("deepest_queue"),
  };
}

Record describe(const StreamRow* /*type*/) {
  return {
      about("stream"),
      member<&StreamRow::device>("device"),
      member<&StreamRow::process>("process"),
      member<&StreamRow::stream>("stream"),
      member<&StreamRow::ops>("operations"),
      member<&StreamRow::busy_ns>("busy_ns").at_least(0),
  };
}

Record describe(const ThreadRow* /*type*/) {
  return {
      about("thread", "A thread that makes CUDA or HIP calls."),
      member<&ThreadRow::id>("id"),
      member<&ThreadRow::name>("name"),
      member<&ThreadRow::calls>("calls"),
      member<&ThreadRow::call_ns>("call_ns").at_least(0),
  };
}

Record describe(const StepRow* /*type*/) {
  return {
      about("step", "The span is the step's wall time."),
      member<&StepRow::name>("name"),
      member<&StepRow::start_ns>("start_ns", "since the first event").at_least(0),
      inlined<&StepRow::time>(),
      member<&StepRow::busy_ns>("busy_ns", "of any GPU").at_least(0),
      member<&StepRow::slowest>("slowest", "of those after the first"),
      member<&StepRow::why>("why", "of the slowest: what it has more than the median step"),
  };
}

Record describe(const RankRow* /*type*/) {
  return {
      about("rank", "One rank of a job; the time is that of its GPU with the least kernels."),
      member<&RankRow::rank>("rank"),
      member<&RankRow::path>("path"),
      inlined<&RankRow::time>(),
      member<&RankRow::collectives>("collectives", "that were matched with those of the others"),
      member<&RankRow::wait_ns>("wait_ns", "for the last rank to come").at_least(0),
      member<&RankRow::came_last>("came_last", "to how many of them"),
  };
}

Record describe(const TimelineReport* /*type*/) {
  using Report = TimelineReport;
  return {
      about("report"),
      group("source",
            {
                member<&Report::path>("path"),
                member<&Report::format>("format"),
                member<&Report::producer>("producer", "\"\" unknown"),
            }),
      member<&Report::rank>("rank", "of a job; null: not one of several"),
      member<&Report::selected>("selected", "in words; \"\" all of it"),
      member<&Report::wall_ns>("wall_ns", "from the first event to the last").at_least(0),
      member<&Report::partial>("partial", "the recorder says that it lost events"),
      member<&Report::devices>("devices"),
      member<&Report::kernels>("kernels", "the longest in total first"),
      member<&Report::calls>("calls", "of CUDA or HIP, the longest in total first"),
      member<&Report::operators>("operators", "of a framework, by the GPU time they launched"),
      member<&Report::copies>("copies"),
      member<&Report::collectives>("collectives"),
      member<&Report::gaps>("gaps", "the longest first, at most 20"),
      member<&Report::delays>("launches"),
      member<&Report::streams>("streams", "the busiest first"),
      member<&Report::threads>("threads", "the one with the longest calls first"),
      member<&Report::steps>("steps"),
      member<&Report::ranks>("ranks", "empty: one file was given"),
      member<&Report::notes>("notes"),
  };
}

Record describe(const TimelineVerdict* /*type*/) {
  return {
      about("verdict",
            "The first finding. Shares are of the span of the GPU with the least kernels; each is "
            "an upper bound on what fixing it saves."),
      member<&TimelineVerdict::bound>("bound", "unknown: idle that nothing explains")
          .one_of({"nothing", "host", "copies", "communication", "kernels", "unknown"}),
      member<&TimelineVerdict::headline>("headline").not_empty(),
      member<&TimelineVerdict::next>("next", "what to do now"),
      member<&TimelineVerdict::kernels>("kernels").share(),
      member<&TimelineVerdict::host>("host", "idle").share(),
      member<&TimelineVerdict::copies>("copies", "that nothing hides").share(),
      member<&TimelineVerdict::communication>("communication", "that nothing hides").share(),
  };
}

Record describe(const TimelineDiagnosis* /*type*/) {
  using Result = TimelineDiagnosis;
  return {
      about("timeline"),
      schema_version(),
      tool(),
      constant("result", "timeline"),
      member<&Result::verdict>("verdict"),
      member<&Result::findings>("findings", "by rank"),
      member<&Result::not_evaluated>("not_evaluated"),
      member<&Result::clean>("clean", "rules that looked and found nothing")
          .pattern(kRuleIdPattern),
      inlined<&Result::report>(),
      derived(
          "facts",
          [](const Result& result) -> const std::deque<Fact>& { return result.facts.published(); }),
      derived("absent", [](const Result& result) { return result.facts.absent(); }),
  };
}

ResultSchema timeline_record() {
  return {"timeline",
          "What `proofline timeline --format json` and `proofline trace --format json` print",
          {record_of<TimelineDiagnosis>}};
}

}  // namespace proofline

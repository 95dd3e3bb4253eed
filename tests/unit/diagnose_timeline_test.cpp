// SPDX-License-Identifier: Apache-2.0
//
// Verdicts on timelines made by hand: which finding comes first, and where a verdict is doubted.
#include "diagnosis/timeline/diagnose_timeline.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/made_timeline.h"

namespace proofline::diagnose_timeline_test {
namespace {

TimelineDiagnosis judged(Timeline timeline, const TimelineFilter& filter = {}) {
  auto report = analyse_timeline(std::move(timeline), filter);
  EXPECT_TRUE(report) << report.error().message;
  return report ? diagnose_timeline(std::move(*report)) : TimelineDiagnosis{};
}

std::vector<std::string> ids(const std::vector<Finding>& findings) {
  std::vector<std::string> ids;
  for (const Finding& finding : findings) ids.push_back(finding.id);
  return ids;
}
using Ids = std::vector<std::string>;

// 200 kernels of 100 us with a gap after each, in which the host waits in `call` and then launches.
Timeline waiting_timeline(std::string_view call, std::int64_t gap) {
  Timeline timeline = regular_timeline(200, 100'000, gap, 1'000);
  timeline.names.emplace_back(call);
  for (const GpuOp& op : std::vector<GpuOp>(timeline.ops)) {
    timeline.calls.push_back({op.start_ns + 50'000, op.end_ns + gap / 2, 2, 0, 0});
  }
  return timeline;
}

// The verdict is the first finding's, whatever that is.
TEST(DiagnoseTimeline, VerdictIsTheFirstFindings) {
  const TimelineDiagnosis kernels = judged(waiting_timeline("cudaDeviceSynchronize", 50'000));
  EXPECT_EQ(ids(kernels.findings), (Ids{"kernel-bound", "host-synchronisation"}));
  EXPECT_EQ(kernels.verdict.bound, "kernels");
  EXPECT_EQ(kernels.facts.text("timeline.bound"), "kernels");
  EXPECT_EQ(kernels.verdict.headline, "kernel-bound: " + kernels.findings[0].statement);
  // What is cheaper to fix than a kernel is fixed first.
  EXPECT_EQ(kernels.verdict.next, kernels.findings[1].next + "; then " + kernels.findings[0].next);
  const TimelineDiagnosis host = judged(waiting_timeline("cudaDeviceSynchronize", 150'000));
  EXPECT_EQ(ids(host.findings), (Ids{"host-synchronisation"}));
  EXPECT_EQ(host.verdict.bound, "host");
  EXPECT_EQ(host.verdict.headline, "host-bound: " + host.findings[0].statement);
  EXPECT_EQ(host.verdict.next, host.findings[0].next);
}

TEST(DiagnoseTimeline, ACauseTakesThePlaceOfIdleTimeThatItAccountsFor) {
  const TimelineDiagnosis whole = judged(waiting_timeline("cudaDeviceSynchronize", 150'000));
  EXPECT_EQ(ids(whole.findings.at(0).symptoms), Ids{"host-bound"});
  // One gap of 20 ms in which nothing was queued, beside 3.8 ms after waits and 20 ms of kernels.
  Timeline timeline = waiting_timeline("cudaDeviceSynchronize", 19'000);
  const std::int64_t later = 22'000'000;
  for (std::size_t i = 100; i < 200; ++i) {
    timeline.ops[i].start_ns += later;
    timeline.ops[i].end_ns += later;
    for (const std::size_t call : {i, 200 + i}) {
      timeline.calls[call].start_ns += later;
      timeline.calls[call].end_ns += later;
    }
  }
  timeline.calls[299].end_ns = timeline.calls[299].start_ns;  // the host does not wait there
  const TimelineDiagnosis two = judged(std::move(timeline));
  EXPECT_EQ(ids(two.findings), (Ids{"launch-gaps", "host-synchronisation"}));
  EXPECT_EQ(ids(two.findings.at(0).symptoms), Ids{"host-bound"});
}

// What the idle time as a whole is due to is known with little work, its causes are not.
TEST(DiagnoseTimeline, FindsWhatTakesTheTimeOfShortTimelinesToo) {
  const TimelineDiagnosis idle = judged(regular_timeline(20, 100'000, 300'000, 10'000));
  EXPECT_EQ(ids(idle.findings), Ids{"host-bound"});
  EXPECT_NE(idle.verdict.headline.find("because nothing was queued (only 20 operations"),
            std::string::npos)
      << idle.verdict.headline;
  EXPECT_EQ(idle.not_evaluated.size(), 3U);
  Timeline copies = regular_timeline(20, 100'000, 0, 10'000);
  for (GpuOp& op : copies.ops) op.work = GpuWork::kCopy;
  EXPECT_EQ(ids(judged(std::move(copies)).findings), Ids{"copy-bound"});
}

TEST(DiagnoseTimeline, BlamesModuleLoadingThoughNoRuleIsOnIt) {
  Timeline timeline = regular_timeline(200, 10'000, 90'000, 80'000);
  for (std::uint32_t i = 0; i < 200; ++i) {
    timeline.names.push_back("kernel " + std::to_string(i));
    timeline.ops[i].name = 2 + i;
    timeline.calls[i].end_ns = timeline.ops[i].start_ns;
  }
  const TimelineDiagnosis cold = judged(std::move(timeline));
  EXPECT_EQ(ids(cold.findings), Ids{"host-bound"});
  EXPECT_NE(cold.verdict.next.find("warm up"), std::string::npos) << cold.verdict.next;
}

// What was asked for and is not there is no statement on the program.
TEST(DiagnoseTimeline, SaysWhyThereIsNothingToJudge) {
  const auto headline = [](Timeline timeline, const TimelineFilter& filter = {}) {
    auto report = analyse_timeline(std::move(timeline), filter);
    return report ? diagnose_timeline(std::move(*report)).verdict.headline : report.error().message;
  };
  EXPECT_EQ(headline(empty_timeline()), "nothing to judge: no GPU work in this timeline");
  Timeline timeline = empty_timeline();
  add_launch(timeline, 10, 20, 20, 1);
  EXPECT_EQ(headline(timeline), "nothing to judge: the GPU's operations have no length");
  timeline = empty_timeline();
  add_launch(timeline, 10, 5'000'000, 5'000'100, 1);
  TimelineFilter filter;
  filter.to_ns = 1000;
  EXPECT_EQ(headline(timeline, filter),
            "nothing to judge: the GPU has no work in what was selected");
  filter.from_ns = 2000;
  EXPECT_EQ(headline(timeline, filter), "to has to be later than from");
  filter = {};
  filter.from_ns = 6'000'000;
  EXPECT_EQ(headline(timeline, filter), "from: the timeline has only 5.00009 ms");
}

TEST(DiagnoseTimeline, DoubtsItsVerdictOnTooLittleWork) {
  const auto headline = [](std::uint32_t ops, std::int64_t length,
                           const TimelineFilter& filter = {}) {
    Timeline timeline = empty_timeline();
    for (std::uint32_t i = 0; i < ops; ++i) {
      add_launch(timeline, i * length, i * length + 1, (i + 1) * length, i + 1);
    }
    return judged(std::move(timeline), filter).verdict.headline;
  };
  EXPECT_NE(headline(1, 1000).find("(only 1 operation: too few"), std::string::npos);
  EXPECT_NE(headline(200, 1000).find("(only 199 us of work: too short"), std::string::npos);
  EXPECT_EQ(headline(200, 100'000).find("only"), std::string::npos);
  TimelineFilter filter;
  filter.from_ns = 100;
  EXPECT_EQ(headline(1, 1000, filter).find("only"), std::string::npos);
}

TEST(DiagnoseTimeline, DoesNotBlameTheHostForWhatNobodyKnows) {
  // Called long before: no launch takes 300 us from its call to its start.
  Timeline timeline = regular_timeline(200, 100'000, 300'000, 350'000);
  const TimelineDiagnosis waiting = judged(timeline);
  EXPECT_EQ(ids(waiting.findings), Ids{"unexplained-idle"});
  EXPECT_EQ(waiting.verdict.bound, "unknown");
  EXPECT_EQ(waiting.verdict.headline,
            "idle: the GPU is idle 75 % of the time, 100 % of it for reasons that the timeline "
            "does not tell");
  EXPECT_EQ(waiting.verdict.next.find("graph"), std::string::npos);
  EXPECT_EQ(waiting.facts.text("timeline.bound"), "unknown");
  EXPECT_EQ(waiting.facts.number("timeline.launch_gaps.share"), 0);
  EXPECT_GT(waiting.facts.number("timeline.idle.unexplained.share").value_or(0), 0.74);
  timeline.calls.clear();
  EXPECT_EQ(judged(std::move(timeline)).verdict.bound, "unknown");
  EXPECT_EQ(judged(regular_timeline(200, 100'000, 300'000, 10'000)).verdict.bound, "host");
}

TEST(DiagnoseTimeline, SaysWhereTheTimesCannotBe) {
  Timeline timeline = regular_timeline(200, 100'000, 0, 50'000);
  timeline.ops[3].end_ns += 30LL * 24 * 3600 * 1'000'000'000;
  EXPECT_EQ(judged(timeline).verdict.headline,
            "nothing to judge: the GPU's work spans 30 days, so a time in this file is wrong");
  EXPECT_EQ(judged(regular_timeline(200, 0, 10'000, 5'000)).verdict.headline,
            "nothing to judge: the GPU's operations have no length");
  const TimelineDiagnosis early = judged(regular_timeline(200, 100'000, 30'000, -2'000));
  EXPECT_NE(
      early.report.notes.at(0).what.find("200 of 200 kernels start before the call that launched "
                                         "them, by less than 3 us"),
      std::string::npos);
  EXPECT_EQ(early.facts.number("timeline.launch_gaps.share"), std::nullopt);
}

TEST(DiagnoseTimeline, DoubtsItsVerdictWhereWorkIsMissing) {
  Timeline timeline = regular_timeline(200, 100'000, 300'000, 10'000);
  timeline.ops_missing = "200 operations could not be read";
  const TimelineDiagnosis partial = judged(timeline);
  EXPECT_NE(partial.verdict.headline.find(
                "(200 operations could not be read: the GPU may have done more than that)"),
            std::string::npos);
  EXPECT_EQ(partial.facts.find_absent("timeline.launch_gaps.share")->reason,
            "200 operations could not be read");
  timeline.ops.clear();
  EXPECT_EQ(judged(timeline).verdict.headline,
            "nothing to judge: no GPU work could be read (200 operations could not be read)");
}

// A GPU that is busy for a moment of a long program is not what holds it back.
TEST(DiagnoseTimeline, SaysHowLittleOfTheProgramTheGpuHas) {
  Timeline timeline = regular_timeline(200, 100'000, 0, 50'000);
  EXPECT_EQ(judged(timeline).verdict.headline.find("recorded time"), std::string::npos);
  timeline.names.emplace_back("import");
  timeline.ranges.push_back({0, 400'000'000, 2, 0, HostWork::kAnnotation});
  const std::string headline = judged(std::move(timeline)).verdict.headline;
  EXPECT_TRUE(headline.ends_with("; the GPU's work spans only 5 % of the recorded time"))
      << headline;
}

TEST(DiagnoseTimeline, SaysHowToSeeWhatRanInGraphs) {
  Timeline timeline = empty_timeline();
  add_launch(timeline, 10, 20, 90, 1);
  timeline.ops[0].work = GpuWork::kGraph;
  const TimelineVerdict verdict = judged(std::move(timeline)).verdict;
  EXPECT_EQ(verdict.bound, "kernels");
  EXPECT_NE(verdict.next.find("--cuda-graph-trace=node"), std::string::npos);
}

TEST(DiagnoseTimeline, JudgesTheGpuThatWorks) {
  Timeline timeline = regular_timeline(200, 100'000, 0, 50'000);
  timeline.devices.emplace_back().id = 1;
  timeline.streams.emplace_back().device = 1;
  for (const std::int64_t start : {1'000'000, 9'000'000}) {
    add_launch(timeline, start - 10, start, start + 100, 1000 + static_cast<std::uint32_t>(start));
    timeline.ops.back().stream = 1;
  }
  const TimelineDiagnosis diagnosis = judged(std::move(timeline));
  const TimelineReport& report = diagnosis.report;
  EXPECT_EQ(report.devices.size(), 2U);
  EXPECT_EQ(report.devices[report.worst].id, 0U);
  EXPECT_EQ(diagnosis.verdict.bound, "kernels");
}

// Copies are there whether or not their calls are.
TEST(DiagnoseTimeline, KnowsCopiesWithoutTheirCalls) {
  Timeline timeline = regular_timeline(200, 100'000, 50'000, 10'000);
  timeline.calls.clear();
  for (GpuOp& op : timeline.ops) op.work = GpuWork::kCopy;
  const Facts facts = judged(std::move(timeline)).facts;
  EXPECT_GT(facts.number("timeline.copy.exposed.share").value_or(0), 0.6);
  EXPECT_EQ(facts.number("timeline.launch_gaps.share"), std::nullopt);
}

}  // namespace
}  // namespace proofline::diagnose_timeline_test

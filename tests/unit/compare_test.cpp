// SPDX-License-Identifier: Apache-2.0
//
// What a user relies on when comparing two profiles: the right kernels side by side, no number
// where there is none, no verdict across different GPUs, clocks or shapes, and an explanation that
// adds up.
#include "diagnosis/comparison/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "diagnosis/group.h"
#include "readers/read_profile.h"
#include "support/made_captures.h"
#include "views/json_parts.h"

namespace proofline::compare_test {
namespace {

// Two captures of one kernel.
struct Pair {
  Capture a;
  Capture b;

  explicit Pair(const Metrics& metrics_a, const Metrics& metrics_b) {
    a.set_device("NVIDIA H200");
    b.set_device("NVIDIA H200");
    a.add("k(float *)", kGrid, kBlock, metrics_a);
    b.add("k(float *)", kGrid, kBlock, metrics_b);
  }
};

const FactChange* find_fact(const KernelComparison& pair, const std::string& name) {
  for (const FactChange& fact : pair.facts) {
    if (fact.name == name) return &fact;
  }
  return nullptr;
}

const DurationFactor* find_factor(const KernelComparison& pair, const std::string& id,
                                  const std::string& name) {
  for (const Decomposition& decomposition : pair.explanation.decompositions) {
    if (decomposition.id != id) continue;
    for (const DurationFactor& factor : decomposition.factors) {
      if (factor.name == name) return &factor;
    }
  }
  return nullptr;
}

std::string all_sentences(const KernelComparison& pair) {
  std::string text;
  for (const std::string& sentence : pair.explanation.sentences) text += sentence + "\n";
  return text;
}

// --- what refuses

TEST(Comparison, RefusesAnotherGpu) {
  Pair pair(time_of(1000), time_of(500));
  pair.b.profile().processes[0].session.devices[0].name = "NVIDIA B200";
  const ProfileComparison comparison = compare(pair.a, pair.b);
  ASSERT_EQ(comparison.kernels.size(), 1U);
  EXPECT_TRUE(comparison.kernels[0].refused);
  EXPECT_FALSE(comparison.kernels[0].ratio);
  EXPECT_TRUE(comparison.kernels[0].facts.empty());
  EXPECT_NE(refusal(comparison).find("gpu NVIDIA H200 against NVIDIA B200"), std::string::npos);
}

TEST(Comparison, RefusesAnotherShapeUnlessForced) {
  Capture a;
  Capture b;
  a.add("k()", {8, 8, 1}, kBlock, time_of(1000));
  b.add("k()", {8, 16, 1}, kBlock, time_of(500));
  EXPECT_NE(refusal(compare(a, b)).find("grid 8x8x1 against 8x16x1 in \"k\""), std::string::npos);
  CompareOptions force;
  force.force = true;
  const ProfileComparison forced = compare(a, b, force);
  EXPECT_EQ(refusal(forced), "");
  EXPECT_EQ(forced.kernels[0].ratio, 0.5);
  ASSERT_EQ(forced.kernels[0].differences.size(), 1U);
  EXPECT_EQ(forced.kernels[0].differences[0].what, "grid");
  EXPECT_TRUE(forced.kernels[0].differences[0].refuses);
}

TEST(Comparison, TheSameWorkMayHaveAnotherNameAndShape) {
  CompareOptions alternatives;
  alternatives.same_work = true;
  Capture a;
  Capture b;
  a.add("naive()", {8, 8, 1}, kBlock, time_of(1000));
  b.add("tiled()", {8, 16, 1}, kBlock, time_of(500));
  const ProfileComparison comparison = compare(a, b, alternatives);
  EXPECT_EQ(refusal(comparison), "");
  // The shape is told, but not as what keeps the durations from being compared.
  ASSERT_EQ(comparison.kernels.size(), 1U);
  EXPECT_EQ(comparison.kernels[0].ratio, 0.5);
  ASSERT_EQ(comparison.kernels[0].differences.size(), 1U);
  EXPECT_EQ(comparison.kernels[0].differences[0].what, "grid");
  EXPECT_FALSE(comparison.kernels[0].differences[0].refuses);
  a.set_device("NVIDIA H200");
  b.set_device("NVIDIA B200");
  EXPECT_NE(refusal(compare(a, b, alternatives)), "");
}

Metrics with_clock(double nanoseconds, double hertz) {
  Metrics metrics = time_of(nanoseconds);
  metrics["gpc__cycles_elapsed.avg.per_second"] = hertz;
  return metrics;
}

TEST(Comparison, RefusesAnotherClockUnlessItWasHeld) {
  Pair near(with_clock(1000, 1.98e9), with_clock(990, 1.95e9));
  EXPECT_EQ(refusal(compare(near.a, near.b)), "");
  Pair far(with_clock(1000, 1.98e9), with_clock(1200, 1.50e9));
  EXPECT_NE(refusal(compare(far.a, far.b)).find("sm-clock 1.980 GHz against 1.500 GHz"),
            std::string::npos);
  far.a.profile().launches[0].clocks = ClockStatus{true, true};
  EXPECT_NE(refusal(compare(far.a, far.b)), "");
  far.b.profile().launches[0].clocks = ClockStatus{true, true};
  const ProfileComparison held = compare(far.a, far.b);
  EXPECT_EQ(refusal(held), "");
  ASSERT_EQ(held.kernels[0].differences.size(), 1U);
  EXPECT_EQ(held.kernels[0].differences[0].what, "sm-clock");
}

TEST(Comparison, WithoutAClockTheLockDecides) {
  Pair pair(time_of(1000), time_of(900));
  pair.a.profile().launches[0].clocks = ClockStatus{true, true};
  pair.b.profile().launches[0].clocks = ClockStatus{false, false};
  EXPECT_NE(refusal(compare(pair.a, pair.b)).find("clock-lock locked against not locked"),
            std::string::npos);
}

TEST(Comparison, OneRefusedKernelLeavesTheOthers) {
  Capture a;
  Capture b;
  a.add("k()", {8, 1, 1}, kBlock, time_of(1000));
  b.add("k()", {9, 1, 1}, kBlock, time_of(1000));
  a.add("other()", kGrid, kBlock, time_of(1000));
  b.add("other()", kGrid, kBlock, time_of(800));
  const ProfileComparison comparison = compare(a, b);
  EXPECT_EQ(refusal(comparison), "");
  ASSERT_EQ(comparison.kernels.size(), 2U);
  EXPECT_EQ(comparison.kernels[0].b.function, "other");
  EXPECT_TRUE(comparison.kernels[1].refused);
}

TEST(Comparison, NamesWhatTheCapturesWereToldDifferently) {
  Pair pair(time_of(1000), time_of(1000));
  pair.a.profile().producer = "Nsight Compute 2024.1";
  pair.b.profile().producer = "Nsight Compute 2025.3";
  pair.a.profile().processes[0].session.profiler_command = "ncu --set full ./a";
  pair.b.profile().processes[0].session.profiler_command = "ncu --cache-control=none ./a";
  pair.a.profile().processes[0].session.versions = {{"CUDA Version", "12.4"}};
  pair.b.profile().processes[0].session.versions = {{"CUDA Version", "13.0"}};
  std::map<std::string, std::string> found;
  for (const Difference& one : compare(pair.a, pair.b).differences) {
    EXPECT_FALSE(one.refuses) << one.what;
    found[one.what] = one.a + " " + one.b;
  }
  EXPECT_EQ(found, (std::map<std::string, std::string>{
                       {"profiler", "Nsight Compute 2024.1 Nsight Compute 2025.3"},
                       {"CUDA Version", "12.4 13.0"},
                       {"cache-control", "all none"}}));
}

// --- durations and their spread

TEST(Comparison, TellsADifferenceFromTheSpread) {
  const auto verdict = [](const std::vector<double>& in_a, const std::vector<double>& in_b) {
    Capture a;
    Capture b;
    for (const double time : in_a) a.add("k()", kGrid, kBlock, time_of(time));
    for (const double time : in_b) b.add("k()", kGrid, kBlock, time_of(time));
    return compare(a, b).kernels.at(0).spread;
  };
  EXPECT_EQ(verdict({100}, {50}), SpreadVerdict::kUnknown);
  EXPECT_EQ(verdict({100, 110, 90}, {95, 99, 104}), SpreadVerdict::kWithin);
  EXPECT_EQ(verdict({100, 110, 90}, {95}), SpreadVerdict::kWithin);
  EXPECT_EQ(verdict({100, 110, 90}, {50, 52, 51}), SpreadVerdict::kOutside);
  EXPECT_EQ(verdict({100, 110, 90}, {50}), SpreadVerdict::kOutside);
}

TEST(Comparison, TakesMediansAndSharesOfAllTime) {
  Capture a;
  Capture b;
  for (const double time : {100.0, 300.0, 200.0}) a.add("k()", kGrid, kBlock, time_of(time));
  a.add("rest()", kGrid, kBlock, time_of(400));
  for (const double time : {150.0, 150.0}) b.add("k()", kGrid, kBlock, time_of(time));
  b.add("rest()", kGrid, kBlock, time_of(300));  // as much in all, but once
  const KernelComparison pair = compare(a, b).kernels.at(0);
  ASSERT_EQ(pair.a.function, "k");
  EXPECT_EQ(pair.a.spread.count, 3U);
  EXPECT_EQ(pair.change_ns, -50);
  EXPECT_EQ(pair.ratio, 0.75);
  EXPECT_EQ(pair.a.time_share, 0.6);
  EXPECT_EQ(pair.b.time_share, 0.5);
}

TEST(Comparison, WithoutADurationThereIsNoRatio) {
  Pair pair({{"launch__registers_per_thread", 32}}, time_of(1000));
  const KernelComparison compared = compare(pair.a, pair.b).kernels.at(0);
  EXPECT_FALSE(compared.ratio);
  EXPECT_FALSE(compared.change_ns);
  ASSERT_FALSE(compared.facts.empty());
  EXPECT_EQ(compared.facts[0].name, "duration");
  EXPECT_FALSE(compared.facts[0].a);
  EXPECT_NE(all_sentences(compared).find("absent"), std::string::npos);
}

TEST(Comparison, AbsurdValuesStillRank) {
  Metrics a = time_of(1e-300);
  Metrics b = time_of(1e300);
  a["dram__bytes.sum.per_second"] = -1e308;
  b["dram__bytes.sum.per_second"] = 1e308;
  a["launch__waves_per_multiprocessor"] = 1e308;
  b["launch__waves_per_multiprocessor"] = -1e308;
  Pair pair(a, b);
  CompareOptions options;
  options.metrics = true;
  const ProfileComparison compared = compare(pair.a, pair.b, options);
  for (const FactChange& fact : compared.kernels.at(0).facts) {
    EXPECT_GE(fact.effect, 0) << fact.name;
    EXPECT_LE(fact.effect, 1) << fact.name;
  }
}

TEST(Comparison, AZeroDurationHasNoRatio) {
  Pair pair(time_of(0), time_of(1000));
  const KernelComparison compared = compare(pair.a, pair.b).kernels.at(0);
  EXPECT_FALSE(compared.ratio);
  EXPECT_EQ(compared.change_ns, 1000);
}

// --- facts

TEST(Comparison, AbsentIsNotZero) {
  Metrics a = time_of(1000);
  a["dram__bytes_read.sum"] = 5;
  Pair pair(a, time_of(900));
  CompareOptions options;
  options.metrics = true;
  const KernelComparison compared = compare(pair.a, pair.b, options).kernels.at(0);
  const FactChange* fact = find_fact(compared, "dram__bytes_read.sum");
  ASSERT_NE(fact, nullptr);
  EXPECT_TRUE(fact->a);
  EXPECT_FALSE(fact->b);
  EXPECT_FALSE(fact->change);
  EXPECT_EQ(fact->effect, 0);
  EXPECT_NE(fact->absence.find("dram__bytes_read.sum"), std::string::npos);
}

TEST(Comparison, NeverComparesAcrossUnits) {
  Pair pair(time_of(1000), time_of(900));
  for (Capture* capture : {&pair.a, &pair.b}) {
    Metric metric;
    metric.id =
        capture->profile().metric_names.intern("made.up", capture == &pair.a ? "%" : "byte/s");
    metric.value = 50.0;
    capture->profile().launches[0].metrics.push_back(std::move(metric));
  }
  CompareOptions options;
  options.metrics = true;
  const KernelComparison compared = compare(pair.a, pair.b, options).kernels.at(0);
  const FactChange* fact = find_fact(compared, "made.up");
  ASSERT_NE(fact, nullptr);
  EXPECT_FALSE(fact->change);
  EXPECT_FALSE(fact->a && fact->b);
}

TEST(Comparison, ListsOnRequestWhatDidNotChange) {
  Metrics metrics = time_of(1000);
  metrics["dram__bytes_read.sum"] = 4096;
  Pair pair(metrics, metrics);
  EXPECT_EQ(find_fact(compare(pair.a, pair.b).kernels.at(0), "dram__bytes_read.sum"), nullptr);
  CompareOptions options;
  options.listed = [](std::string_view name) { return name.starts_with("dram__"); };
  const KernelComparison compared = compare(pair.a, pair.b, options).kernels.at(0);
  const FactChange* fact = find_fact(compared, "dram__bytes_read.sum");
  ASSERT_NE(fact, nullptr);
  EXPECT_EQ(fact->change, 0);
}

// A barrier gone: its share falls from 50 % to 0, so every other share doubles though nothing else
// changed. Only the barrier may rank high.
TEST(Comparison, RanksStallsByCyclesNotByShare) {
  const auto metrics = [](double barrier) {
    Metrics result = time_of(1000 * (4 + barrier));
    result["smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"] = barrier;
    result["smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"] = 3;
    result["smsp__average_warps_issue_stalled_selected_per_issue_active.ratio"] = 1;
    result["smsp__average_warp_latency_per_inst_issued.ratio"] = 4 + barrier;
    return result;
  };
  Pair pair(metrics(4), metrics(0));
  const KernelComparison compared = compare(pair.a, pair.b).kernels.at(0);
  const FactChange* barrier = find_fact(compared, "stall.barrier.share");
  const FactChange* wait = find_fact(compared, "stall.wait.share");
  ASSERT_NE(barrier, nullptr);
  ASSERT_NE(wait, nullptr);
  EXPECT_NEAR(barrier->effect, 0.5, 1e-6);
  EXPECT_NEAR(wait->effect, 0, 1e-6);
  ASSERT_FALSE(compared.explanation.stalls.empty());
  EXPECT_EQ(compared.explanation.stalls[0].reason, "barrier");
  EXPECT_NEAR(compared.explanation.stalls[0].a, 4, 1e-6);
  EXPECT_NEAR(compared.explanation.stalls[0].b, 0, 1e-6);
  EXPECT_NE(all_sentences(compared).find("barrier 4 to 0"), std::string::npos)
      << all_sentences(compared);
}

// --- what explains the duration

Metrics issue_metrics(double nanoseconds, double instructions, double active, double clock) {
  Metrics metrics = with_clock(nanoseconds, clock);
  metrics["smsp__inst_issued.avg"] = instructions;
  metrics["smsp__cycles_active.avg"] = active;
  return metrics;
}

TEST(Explanation, FactorsMultiplyToTheRatio) {
  Pair pair(issue_metrics(1000, 100, 1500, 1.98e9), issue_metrics(700, 130, 900, 1.94e9));
  const KernelComparison compared = compare(pair.a, pair.b).kernels.at(0);
  ASSERT_FALSE(compared.explanation.decompositions.empty());
  double product = 1;
  double shares = 0;
  for (const DurationFactor& factor : compared.explanation.decompositions[0].factors) {
    product *= factor.ratio;
    shares += *factor.share;
  }
  EXPECT_NEAR(product, 0.7, 1e-9);
  EXPECT_NEAR(shares, 1, 1e-9);
  const auto* instructions = find_factor(compared, "issue", "instructions for each scheduler");
  ASSERT_NE(instructions, nullptr);
  EXPECT_NEAR(instructions->ratio, 1.3, 1e-9);
}

TEST(Explanation, KeepsTheClockApart) {
  Pair pair(issue_metrics(1000, 100, 1800, 1.80e9), issue_metrics(952.38, 100, 1800, 1.89e9));
  const KernelComparison compared = compare(pair.a, pair.b).kernels.at(0);
  const auto* clock = find_factor(compared, "issue", "SM clock");
  ASSERT_NE(clock, nullptr);
  EXPECT_NEAR(*clock->share, 1, 1e-2);
  EXPECT_NE(all_sentences(compared).find("1.00 of the change is SM clock"), std::string::npos)
      << all_sentences(compared);
}

Metrics dram_metrics(double nanoseconds, double bytes, double percent) {
  Metrics metrics = time_of(nanoseconds);
  metrics["dram__bytes_read.sum"] = bytes;
  metrics["dram__bytes_write.sum"] = 0;
  metrics["dram__bytes_read.sum.per_second"] = bytes / nanoseconds * 1e9;
  metrics["dram__bytes_write.sum.per_second"] = 0;
  metrics["dram__bytes.sum.per_second"] = bytes / nanoseconds * 1e9;
  metrics["gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"] = percent;
  return metrics;
}

TEST(Explanation, FewerBytesAtTheSameRate) {
  Pair pair(dram_metrics(1000, 4e6, 85), dram_metrics(600, 2.4e6, 85));
  const KernelComparison compared = compare(pair.a, pair.b).kernels.at(0);
  const auto* bytes = find_factor(compared, "dram", "DRAM bytes");
  ASSERT_NE(bytes, nullptr);
  EXPECT_NEAR(*bytes->share, 1, 1e-6);
  EXPECT_NE(all_sentences(compared).find("40 % fewer DRAM bytes at the same rate"),
            std::string::npos)
      << all_sentences(compared);
}

TEST(Explanation, BytesExplainNothingFarFromThePeak) {
  Pair pair(dram_metrics(1000, 4e5, 8), dram_metrics(600, 2.4e5, 8));
  const KernelComparison compared = compare(pair.a, pair.b).kernels.at(0);
  EXPECT_EQ(find_factor(compared, "dram", "DRAM bytes"), nullptr);
}

TEST(Explanation, SaysThatASingleLaunchHasNoSpread) {
  Pair pair(time_of(1000), time_of(500));
  const std::string text = all_sentences(compare(pair.a, pair.b).kernels.at(0));
  EXPECT_NE(text.find("50.0 % less time, 2.00 times as fast"), std::string::npos) << text;
  EXPECT_NE(text.find("spread is unknown"), std::string::npos) << text;
  EXPECT_NE(text.find("replay"), std::string::npos) << text;
}

// --- causes

// A diagnosis made by hand: the rules themselves are tested elsewhere.
struct Judged {
  Capture capture;
  Judged() { capture.add("k()", kGrid, kBlock, time_of(1000)); }
  ComparedSide side() {
    const ComparedSide result = capture.side();
    KernelDiagnosis& kernel = capture.diagnosis.kernels[0];
    kernel.findings = findings;
    kernel.not_evaluated = not_evaluated;
    return result;
  }
  std::vector<Finding> findings;
  std::vector<NotEvaluated> not_evaluated;
};

Finding finding(const std::string& id, double high, std::vector<std::string> explains = {}) {
  Finding result;
  result.id = id;
  result.gain.high = high;
  for (std::string& symptom : explains) result.symptoms.emplace_back().id = std::move(symptom);
  return result;
}

TEST(Findings, WentCameAndStayed) {
  Judged a;
  Judged b;
  a.findings = {finding("barrier-stalls", 0.4), finding("tail-effect", 0.1),
                finding("memory-latency", 0.3), finding("narrow-access", 0.2)};
  b.findings = {finding("low-occupancy", 0.2, {"memory-latency"}), finding("tail-effect", 0.2)};
  b.not_evaluated = {{"narrow-access", {"memory.x"}, "the capture lacks x", ""}};
  std::map<std::string, const FindingChange*> by_id;
  const ProfileComparison comparison = compare_profiles(a.side(), b.side());
  for (const FindingChange& change : comparison.kernels.at(0).findings) by_id[change.id] = &change;
  ASSERT_EQ(by_id.size(), 5U);
  EXPECT_EQ(by_id["barrier-stalls"]->status, FindingStatus::kGone);
  EXPECT_EQ(by_id["low-occupancy"]->status, FindingStatus::kNew);
  EXPECT_EQ(by_id["tail-effect"]->status, FindingStatus::kStayed);
  EXPECT_EQ(by_id["tail-effect"]->a->high, 0.1);
  EXPECT_EQ(by_id["tail-effect"]->b->high, 0.2);
  // A symptom that another cause now accounts for has not gone.
  EXPECT_EQ(by_id["memory-latency"]->status, FindingStatus::kStayed);
  EXPECT_EQ(by_id["memory-latency"]->remark, "explained by low-occupancy in B");
  // What nobody could look for has not gone either.
  EXPECT_EQ(by_id["narrow-access"]->status, FindingStatus::kUnknown);
}

// --- real captures

Capture read(const std::string& path) {
  ReadOptions options;
  options.instances = true;
  auto profile = read_profile(std::string(PROOFLINE_SOURCE_DIR) + "/" + path, options);
  EXPECT_TRUE(profile) << path;
  Capture capture;
  if (profile) capture.profiles[0] = std::move(*profile);
  return capture;
}

TEST(Comparison, AReportAgainstItselfHasNoChange) {
  Capture a = read("examples/h200-kernels.ncu-rep.gz");
  Capture b = read("examples/h200-kernels.ncu-rep.gz");
  CompareOptions options;
  options.metrics = true;
  const ProfileComparison comparison = compare(a, b, options);
  EXPECT_TRUE(comparison.differences.empty());
  EXPECT_TRUE(comparison.only_in_a.empty());
  EXPECT_TRUE(comparison.only_in_b.empty());
  EXPECT_EQ(comparison.kernels.size(), group_launches(a.profile()).size());
  for (const KernelComparison& pair : comparison.kernels) {
    EXPECT_EQ(pair.match, MatchKind::kExact);
    EXPECT_EQ(pair.ratio, 1.0);
    EXPECT_EQ(pair.facts.size(), 1U) << pair.facts.back().name;
    EXPECT_GT(pair.unchanged_facts, 1000U);
    for (const FindingChange& change : pair.findings) {
      EXPECT_EQ(change.status, FindingStatus::kStayed) << change.id;
    }
  }
}

TEST(Comparison, NotesSayWhichInputTheyAreAbout) {
  Capture a = read("examples/h200-kernels.ncu-rep.gz");
  Capture b = read("examples/h200-kernels.ncu-rep.gz");
  a.profile().notes = {{NoteKind::kLoss, "", "cut"}};
  b.profile().notes = {{NoteKind::kInfo, "line 7", "odd"}};
  const ProfileComparison comparison = compare(a, b);
  ASSERT_EQ(comparison.notes.size(), 2U);
  EXPECT_EQ(comparison.notes[0].side, NoteSide::kA);
  EXPECT_EQ(comparison.notes[0].place, "");
  EXPECT_EQ(place_text(comparison.notes[0]), "A");
  EXPECT_EQ(comparison.notes[1].side, NoteSide::kB);
  EXPECT_EQ(place_text(comparison.notes[1]), "B, line 7");
}

// The same program, recorded with two sets of metrics in two runs: kernels match, what the smaller
// set lacks is absent.
TEST(Comparison, TwoRunsWithTwoSets) {
  Capture a = read("tests/fixtures/ncu_rep/h200-memory.ncu-rep.gz");
  Capture b = read("tests/fixtures/ncu_rep/h200-detailed.ncu-rep.gz");
  const ProfileComparison comparison = compare(a, b);
  EXPECT_EQ(refusal(comparison), "");
  ASSERT_EQ(comparison.kernels.size(), 2U);
  for (const KernelComparison& pair : comparison.kernels) {
    EXPECT_EQ(pair.a.function, "sum_blocks");
    EXPECT_EQ(pair.match, MatchKind::kExact);
    const FactChange* latency = find_fact(pair, "warps.latency");
    ASSERT_NE(latency, nullptr);
    EXPECT_TRUE(latency->a);
    EXPECT_FALSE(latency->b);
  }
}

}  // namespace
}  // namespace proofline::compare_test

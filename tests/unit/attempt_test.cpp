// SPDX-License-Identifier: Apache-2.0
//
// What the entries of a journal tell of attempts: in any order, from several chains, with hostile
// bodies; and how well expectations were met.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "analysis/journal/calibration.h"
#include "store/entries/attempts.h"
#include "support/journal_builder.h"

namespace proofline::attempt_test {
namespace {

TEST(Attempts, TheProtocolInOrderMakesAKeptAttempt) {
  JournalBuilder journal;
  Intent opened;
  opened.hypothesis = "mbarriers instead of __syncthreads";
  opened.kind = "synchronisation";
  opened.expected = GainRange{0.1, 0.2};
  opened.risk = "deadlock";
  opened.commit = "abc";
  opened.diff_stat = "1 file changed";
  opened.commands = {"./bench --token=secret"};
  journal.add("a", "a", opened);
  journal.add("b", "a", CorrectnessEntry{{{"correctness", GateState::kPassed, ""}}, "runs/0"});
  journal.add("c", "a", benchmark_entry({}, "runs/1"));
  journal.add("d", "a", ProfileEntry{{"12 registers more"}, "runs/2"});
  journal.decide("a", DecisionVerdict::kKeep, 0.75);
  journal.add("e", "a", CloseEntry{AttemptState::kKept, ""});

  const auto attempts = attempts_of(journal.entries);
  ASSERT_EQ(attempts.size(), 1U);
  const Attempt& attempt = attempts[0];
  EXPECT_EQ(attempt.id, "a");
  EXPECT_EQ(attempt.hypothesis, opened.hypothesis);
  EXPECT_EQ(attempt.kind, opened.kind);
  ASSERT_TRUE(attempt.expected);
  EXPECT_EQ(attempt.expected->high, 0.2);
  EXPECT_EQ(attempt.risk, "deadlock");
  EXPECT_EQ(attempt.commit, "abc");
  EXPECT_EQ(attempt.diff_stat, "1 file changed");
  ASSERT_EQ(attempt.commands.size(), 1U);
  EXPECT_EQ(attempt.commands[0].find("secret"), std::string::npos);
  EXPECT_EQ(attempt.state, AttemptState::kKept);
  EXPECT_EQ(attempt.reason, "measured");
  EXPECT_DOUBLE_EQ(attempt.realised_gain.value(), 0.25);
  EXPECT_DOUBLE_EQ(attempt.realised.value().low, 0.24);
  EXPECT_DOUBLE_EQ(attempt.realised->high, 0.26);
  EXPECT_EQ(attempt.explanation, std::vector<std::string>{"barrier share 41 % to 3 %"});
  EXPECT_EQ(attempt.runs, (std::vector<std::string>{"runs/0", "runs/1", "runs/2"}));
  EXPECT_EQ(attempt.opened, journal.entries.front().written);
  EXPECT_EQ(attempt.closed, journal.entries.back().written);
  EXPECT_EQ(attempt.entries.size(), journal.entries.size());
}

TEST(Attempts, TheStateIsWhatTheEntriesSaySoFar) {
  JournalBuilder journal;
  const auto state = [&] { return attempts_of(journal.entries).at(0).state; };
  journal.open("a", "x");
  EXPECT_EQ(state(), AttemptState::kOpen);
  journal.add("b", "a", CorrectnessEntry{{{"sanitizer", GateState::kFailed, "2 races"}}, ""});
  EXPECT_EQ(state(), AttemptState::kFailed);
  EXPECT_EQ(attempts_of(journal.entries)[0].reason, "sanitizer: 2 races");
  journal.add("c", "a", CorrectnessEntry{{{"sanitizer", GateState::kPassed, ""}}, ""});
  EXPECT_EQ(state(), AttemptState::kOpen);
  journal.decide("a", DecisionVerdict::kInconclusive, 0.99);
  EXPECT_EQ(state(), AttemptState::kInconclusive);
  EXPECT_EQ(attempts_of(journal.entries)[0].closed, "");
  journal.decide("a", DecisionVerdict::kRevert, 1.1);
  EXPECT_EQ(state(), AttemptState::kReverted);
  journal.add("e", "a", CloseEntry{AttemptState::kAbandoned, "no time"});
  journal.decide("a", DecisionVerdict::kKeep, 0.5);
  EXPECT_EQ(state(), AttemptState::kAbandoned) << "what is closed stays so";
  EXPECT_EQ(attempts_of(journal.entries)[0].reason, "no time");
}

TEST(Attempts, AnInvalidMeasurementHasNoGain) {
  JournalBuilder journal;
  journal.open("a", "x");
  journal.decide("a", DecisionVerdict::kInvalid, 0.1);
  const Attempt attempt = attempts_of(journal.entries).at(0);
  EXPECT_EQ(attempt.state, AttemptState::kInvalid);
  EXPECT_FALSE(attempt.realised_gain);
  EXPECT_FALSE(attempt.realised);
}

TEST(Attempts, ChainsAreMergedByTimeAndAClockSetBackChangesNothing) {
  JournalBuilder mine("m");
  mine.open("a", "first");
  mine.open("b", "second");
  mine.add("n", "a", CloseEntry{AttemptState::kKept, ""}).written = "2020-01-01T00:00:00.000Z";
  JournalBuilder team("c");
  team.add("t", "a", CloseEntry{AttemptState::kReverted, "regressed"}).written =
      "2026-11-15T23:00:00.000Z";
  std::vector<JournalEntry> entries = team.entries;
  entries.insert(entries.end(), mine.entries.begin(), mine.entries.end());
  std::reverse(entries.begin(), entries.end());

  const auto attempts = attempts_of(entries);
  ASSERT_EQ(attempts.size(), 2U);
  EXPECT_EQ(attempts[0].hypothesis, "first");
  EXPECT_EQ(attempts[1].hypothesis, "second");
  EXPECT_EQ(attempts[0].state, AttemptState::kReverted) << "the later word counts";
  ASSERT_EQ(attempts[0].entries.size(), 3U);
  EXPECT_EQ(attempts[0].entries[0].kind, "open");
}

TEST(Attempts, EntriesWithoutTheirOpeningAreKept) {
  JournalBuilder journal;
  journal.decide("lost", DecisionVerdict::kKeep, 0.9);
  journal.add("n", "", NoteEntry{"of no attempt"});
  const auto attempts = attempts_of(journal.entries);
  ASSERT_EQ(attempts.size(), 1U);
  EXPECT_EQ(attempts[0].id, "lost");
  EXPECT_EQ(attempts[0].opened, "");
  EXPECT_EQ(attempts[0].state, AttemptState::kKept);
}

TEST(Attempts, NobodyOpensAnAttemptASecondTime) {
  JournalBuilder journal;
  journal.open("a", "mine");
  Intent other;
  other.hypothesis = "another's";
  journal.add("z", "a", other);
  EXPECT_EQ(attempts_of(journal.entries).at(0).hypothesis, "mine");
}

TEST(Attempts, HostileBodiesDoNoHarm) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  for (const std::string& body :
       {std::string(), std::string("null"), std::string("[]"), std::string("{"),
        std::string("{\"hypothesis\":1}"), std::string("\0{}", 3), "{\"x\":" + deep + "}",
        std::string("{\"gates\":[1,[],{\"state\":7}],\"overall\":[],\"verdict\":\"KEEP\"}"),
        std::string("{\"verdict\":\"EVIL\",\"state\":\"evil\"}"),
        std::string("{\"overall\":{\"ratio\":1e999}}"), std::string("{\"hypothesis\":\"\xff\"}")}) {
    JournalBuilder journal;
    for (const char* kind : {"open", "correctness", "benchmark", "profile", "decision", "close",
                             "baseline", "future"}) {
      journal.add(kind, "open", kind, body);
    }
    const auto attempts = attempts_of(journal.entries);
    ASSERT_EQ(attempts.size(), 1U);
    EXPECT_EQ(attempts[0].entries.size(), journal.entries.size());
    EXPECT_FALSE(attempts[0].realised_gain);
    EXPECT_FALSE(attempts[0].expected);
    EXPECT_EQ(attempts[0].closed, "");
    EXPECT_TRUE(baselines_of(journal.entries).empty());
  }
}

TEST(Attempts, AReasonIsOneLine) {
  JournalBuilder journal;
  journal.open("a", "x");
  journal.add("b", "a", CloseEntry{AttemptState::kFailed, "exited with 1\n  kept in x"});
  const Attempt attempt = attempts_of(journal.entries).at(0);
  EXPECT_EQ(attempt.reason, "exited with 1");
  EXPECT_NE(attempt.entries.back().body.find("kept in x"), std::string::npos);
}

TEST(Calibration, CountsWhatLiesBelowWithinAndAbove) {
  JournalBuilder journal;
  const auto attempt = [&](std::string kind, GainRange expected, double gain) {
    const std::string id = fmt::format("a{}", journal.entries.size());
    journal.open(id, "x", std::move(kind), expected);
    journal.decide(id, DecisionVerdict::kKeep, 1 - gain);
  };
  attempt("loads", {0.1, 0.2}, 0.15);
  attempt("loads", {0.1, 0.2}, 0.05);
  attempt("loads", {0.1, 0.2}, 0.25);
  attempt("barriers", {0.4, 0.4}, 0.403);  // rounds to what was said
  attempt("", {0.4, 0.4}, -0.1);
  journal.open("unmeasured", "x", "loads", GainRange{0.1, 0.2});
  journal.open("unexpected", "x", "loads");
  journal.decide("unexpected", DecisionVerdict::kKeep, 0.5);
  journal.open("unclear", "x", "loads", GainRange{0.1, 0.2});
  journal.decide("unclear", DecisionVerdict::kInconclusive, 0.5);

  const auto calibrations = calibrations_of(attempts_of(journal.entries));
  ASSERT_EQ(calibrations.size(), 3U);
  const Calibration& all = calibrations[0];
  EXPECT_EQ(all.kind, "");
  EXPECT_EQ(all.small_kinds, 1U) << "barriers";
  EXPECT_EQ(all.attempts, 5U);
  EXPECT_EQ(all.below, 2U);
  EXPECT_EQ(all.within, 2U);
  EXPECT_EQ(all.above, 1U);
  EXPECT_NEAR(all.expected_mean, (3 * 0.15 + 2 * 0.4) / 5, 1e-12);
  EXPECT_NEAR(all.realised_mean, (0.15 + 0.05 + 0.25 + 0.403 - 0.1) / 5, 1e-12);
  EXPECT_EQ(calibrations[1].kind, "loads");
  EXPECT_EQ(calibrations[1].attempts, 3U);
  EXPECT_EQ(calibrations[2].kind, "other") << "too few of a kind for a row of its own";
  EXPECT_EQ(calibrations[2].attempts, 2U);
}

TEST(Calibration, NothingIsSaidWithoutAttemptsOrTwice) {
  EXPECT_TRUE(calibrations_of({}).empty());
  JournalBuilder journal;
  journal.open("a", "x", "loads", GainRange{0.1, 0.2});
  journal.decide("a", DecisionVerdict::kKeep, 0.85);
  EXPECT_EQ(calibrations_of(attempts_of(journal.entries)).size(), 1U);
}

BaselineEntry named(std::string name, std::string path, const BenchmarkSeries& series = {}) {
  BaselineEntry baseline;
  baseline.name = std::move(name);
  baseline.path = std::move(path);
  baseline.sides = recorded_sides(series);
  return baseline;
}

TEST(Baselines, KnowTheirSideAndTheFileThatTheyWereSetTo) {
  BaselineEntry set = named("v1", "/bench.json");
  set.side = "b";
  set.sha256 = "5e884898da28047151d0e56f8dc62927";
  JournalBuilder journal;
  journal.add("a", "", set);
  journal.add("b", "", "baseline", R"({"name":"v2","path":"/old.json"})");
  const auto baselines = baselines_of(journal.entries);
  ASSERT_EQ(baselines.size(), 2U);
  EXPECT_EQ(baselines[0].side, set.side);
  EXPECT_EQ(baselines[0].sha256, set.sha256);
  EXPECT_EQ(baselines[1].side, "") << "of a version that did not write these";
  EXPECT_EQ(baselines[1].sha256, "");
}

TEST(Baselines, TheLastOfANameCounts) {
  BenchmarkSeries series;
  Benchmark& benchmark = series.sides.emplace_back().benchmark;
  benchmark.machine.gpu = "NVIDIA H200";
  Measurement& measurement = benchmark.measurements.emplace_back();
  measurement.benchmark = "transpose";
  for (const double ns : {90.0, 100.0, 100.0, 9000.0})
    measurement.samples.push_back({ns, {}, false, 0, {}});
  measurement.samples.back().throttled = true;
  JournalBuilder journal;
  journal.add("a", "", named("v1", "/old.json"));
  journal.add("b", "", named("v1", "/new.json", series));
  journal.add("c", "", named("v0", "/first.json", series));

  const auto baselines = baselines_of(journal.entries);
  ASSERT_EQ(baselines.size(), 2U);
  EXPECT_EQ(baselines[0].name, "v0");
  EXPECT_EQ(baselines[1].path, "/new.json");
  EXPECT_EQ(baselines[1].gpu, "NVIDIA H200");
  ASSERT_EQ(baselines[1].measurements.size(), 1U);
  const RecordedMeasurement& one = baselines[1].measurements[0];
  EXPECT_EQ(one.configuration, "transpose");
  EXPECT_EQ(one.median_ns, 100.0);
  EXPECT_FALSE(one.low_ns) << "four samples bound nothing";
  EXPECT_EQ(one.samples, 4U);
  EXPECT_EQ(one.throttled, 1U);
  EXPECT_FALSE(one.throttled_only);
}

TEST(Baselines, AClockThatWasSetBackDoesNotBringBackTheOldOne) {
  JournalBuilder journal;
  journal.add("a", "", named("v1", "/old.json"));
  journal.add("b", "", named("v1", "/new.json"));
  journal.entries.back().written = "1999-01-01T00:00:00.000Z";
  EXPECT_EQ(baselines_of(journal.entries).at(0).path, "/new.json");
}

TEST(Baselines, WhereTheGpuWasHeldBackThroughoutItIsSaid) {
  BenchmarkSeries series;
  Measurement& measurement = series.sides.emplace_back().benchmark.measurements.emplace_back();
  measurement.samples.push_back({100.0, {}, true, 0, {}});
  JournalBuilder journal;
  journal.add("a", "", named("v1", "/old.json", series));
  const auto baselines = baselines_of(journal.entries);
  ASSERT_EQ(baselines.size(), 1U);
  EXPECT_EQ(baselines[0].measurements.at(0).median_ns, 100.0);
  EXPECT_TRUE(baselines[0].measurements.at(0).throttled_only);
}

}  // namespace
}  // namespace proofline::attempt_test

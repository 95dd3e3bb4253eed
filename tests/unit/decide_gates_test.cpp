// SPDX-License-Identifier: Apache-2.0
//
// What is before any duration: results, sanitizer, times that can be, and two sides that differ
// in nothing but the code.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "diagnosis/decision/decide.h"
#include "support/benchmark_sides.h"

namespace proofline::decide_gates_test {
namespace {

TEST(DecideGates, AWrongResultOfBReverts) {
  TwoSides sides({0.5, 0.5});
  Measurement& wrong = sides.b.measurements.at(1);
  wrong.correctness.state = CheckState::kFailed;
  wrong.correctness.wrong = 3;
  wrong.correctness.checked = 1000;
  wrong.correctness.reference = "fp64";
  const Decision decision = sides.decided();
  EXPECT_EQ(decision.verdict, DecisionVerdict::kRevert);
  EXPECT_EQ(gate(decision, "correctness"), GateState::kFailed);
  EXPECT_EQ(decision.configurations.size(), 1U);  // a wrong result has no time
  EXPECT_TRUE(says(decision.reason, "wrong at n=2048: 3 of 1,000 elements are wrong against"));
}

TEST(DecideGates, AWrongResultOfAIsInvalid) {
  TwoSides sides({0.5});
  sides.a.measurements.at(0).correctness.state = CheckState::kFailed;
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kInvalid);
  EXPECT_TRUE(sides.decided().configurations.empty());
  sides.b.measurements.at(0).correctness.state = CheckState::kFailed;
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kInvalid);
}

TEST(DecideGates, AnUncheckedResultIsNoFailure) {
  TwoSides sides({0.5});
  sides.each_b([](Measurement& one) { one.correctness = {}; });
  const Decision decision = sides.decided();
  EXPECT_EQ(decision.verdict, DecisionVerdict::kKeep);
  EXPECT_EQ(gate(decision, "correctness"), GateState::kNotRun);
  EXPECT_TRUE(says(all_next(decision), "check B's results"));
}

TEST(DecideGates, ACrashOfBReverts) {
  TwoSides sides({0.5, 0.5});
  sides.b.measurements.at(0).state = MeasurementState::kFailed;
  sides.b.measurements.at(0).reason = "out of memory";
  const Decision decision = sides.decided();
  EXPECT_EQ(decision.verdict, DecisionVerdict::kRevert);
  EXPECT_TRUE(says(decision.reason, "B fails at n=1024: out of memory"));
}

TEST(DecideGates, StartsThatFailInBAloneRevert) {
  TwoSides sides({0.5});
  sides.b.failed_starts = 3;
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kRevert);
  EXPECT_TRUE(says(sides.decided().reason, "B fails in 3 runs, A in none"));
  sides.a.failed_starts = 1;
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kKeep);
}

TEST(DecideGates, TimesThatNothingTakesAreInvalid) {
  for (const double factor : {1e-300, 1e20}) {
    TwoSides sides({0.5});
    sides.each_b([&](Measurement& one) {
      for (Sample& sample : one.samples) sample.ns *= factor;
    });
    EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kInvalid) << factor;
  }
  TwoSides above({0.5});
  above.b.measurements.at(0).roof_share = 1.6;
  EXPECT_EQ(above.decided().verdict, DecisionVerdict::kInvalid);
  above.b.measurements.at(0).roof_at_least = true;  // no roof, but what was measured at least
  EXPECT_EQ(above.decided().verdict, DecisionVerdict::kKeep);
}

TEST(DecideGates, ATimeAboveTheRoofIsInvalid) {
  TwoSides sides({0.5});
  sides.b.measurements.at(0).state = MeasurementState::kInvalid;
  sides.b.measurements.at(0).reason = "9.1 TB/s is above the roof";
  const Decision decision = sides.decided();
  EXPECT_EQ(decision.verdict, DecisionVerdict::kInvalid);
  EXPECT_EQ(gate(decision, "valid-times"), GateState::kFailed);
  EXPECT_TRUE(says(decision.reason, "9.1 TB/s is above the roof"));
}

TEST(DecideGates, NothingMeasuredIsInvalid) {
  TwoSides sides({0.5});
  sides.a.measurements.at(0).state = MeasurementState::kSkipped;
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kInvalid);
  EXPECT_TRUE(holds(sides.decided().unmatched, "A: transpose n=1024 (skipped)"));
  EXPECT_EQ(decide({}, {}, true, {}, {}).verdict, DecisionVerdict::kInvalid);
}

TEST(DecideGates, AProgramCanCheckTheResults) {
  TwoSides sides({0.5});
  sides.each_b([](Measurement& one) { one.correctness = {}; });
  Gate check{"check", GateState::kPassed, "./verify returned 0"};
  sides.evidence.check = &check;
  const Decision passed = sides.decided();
  EXPECT_EQ(passed.verdict, DecisionVerdict::kKeep);
  EXPECT_EQ(gate(passed, "check"), GateState::kPassed);
  EXPECT_EQ(all_next(passed).find("check B's results"), std::string::npos);
  check = {"check", GateState::kFailed, "./verify did not return 0"};
  const Decision failed = sides.decided();
  EXPECT_EQ(failed.verdict, DecisionVerdict::kRevert);
  EXPECT_EQ(gate(failed, "check"), GateState::kFailed);
  EXPECT_TRUE(says(failed.reason, "./verify did not return 0"));
}

TEST(DecideGates, TheSanitizerMustBeClean) {
  TwoSides sides({0.5});
  SanitizerRun run;
  SanitizerToolResult& tool = run.tools.emplace_back();
  sides.evidence.sanitizer = &run;
  tool.outcome = SanitizerOutcome::kClean;
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kKeep);
  EXPECT_EQ(gate(sides.decided(), "sanitizer"), GateState::kPassed);
  tool.outcome = SanitizerOutcome::kFailed;
  EXPECT_EQ(gate(sides.decided(), "sanitizer"), GateState::kNotRun);
  tool.outcome = SanitizerOutcome::kFindings;
  tool.log.findings.emplace_back().kind = SanitizerKind::kOutOfBounds;
  tool.log.findings.back().at.function = "tile";
  const Decision decision = sides.decided();
  EXPECT_EQ(decision.verdict, DecisionVerdict::kRevert);
  EXPECT_EQ(gate(decision, "sanitizer"), GateState::kFailed);
  EXPECT_TRUE(says(decision.reason, "out-of-bounds in tile"));
}

TEST(DecideGates, ALeakGatesOnlyWhereAsked) {
  TwoSides sides({0.5});
  SanitizerRun run;
  SanitizerToolResult& tool = run.tools.emplace_back();
  sides.evidence.sanitizer = &run;
  tool.outcome = SanitizerOutcome::kFindings;
  tool.log.findings.emplace_back().kind = SanitizerKind::kLeak;
  tool.log.summary.emplace().errors = 1;
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kKeep);
  EXPECT_EQ(gate(sides.decided(), "sanitizer"), GateState::kPassed);
  sides.options.gate_leaks = true;
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kRevert);
  // With an error that was counted and not listed there may be more than leaks.
  sides.options.gate_leaks = false;
  tool.log.summary->errors = 2;
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kRevert);
}

// --- refusals

struct MachineCase {
  const char* what;
  std::function<void(BenchmarkMachine&)> change;
};

TEST(DecideRefusal, OtherMachinesAreRefusedUnlessForced) {
  const std::vector<MachineCase> cases = {
      {"gpu", [](auto& m) { m.gpu = "NVIDIA H100"; }},
      {"compute-capability", [](auto& m) { m.compute_capability = "10.0"; }},
      {"driver", [](auto& m) { m.driver = "570.1"; }},
      {"cuda", [](auto& m) { m.cuda = "12.8"; }},
      {"clock-lock", [](auto& m) { m.clocks_locked = false; }},
      {"locked-clock", [](auto& m) { m.locked_sm_mhz = 1980; }},
      {"ecc", [](auto& m) { m.ecc = false; }},
      {"mig", [](auto& m) { m.mig = true; }},
  };
  for (const MachineCase& one : cases) {
    SCOPED_TRACE(one.what);
    TwoSides sides({0.5});
    one.change(sides.b.machine);
    const Decision refused = sides.decided();
    EXPECT_EQ(refused.verdict, DecisionVerdict::kInvalid);
    EXPECT_EQ(gate(refused, "same-machine"), GateState::kFailed);
    EXPECT_TRUE(refused.configurations.empty());
    ASSERT_EQ(refused.differences.size(), 1U);
    EXPECT_EQ(refused.differences[0].what, one.what);
    sides.options.force = true;
    const Decision forced = sides.decided();
    EXPECT_EQ(forced.verdict, DecisionVerdict::kKeep);
    EXPECT_EQ(forced.differences.size(), 1U);
    EXPECT_EQ(gate(forced, "same-machine"), GateState::kNotRun);
  }
}

TEST(DecideRefusal, AnotherCardOfTheSameModelIsOnlyTold) {
  TwoSides sides({0.5});
  sides.b.machine.uuid = "GPU-2";
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kKeep);
  ASSERT_EQ(sides.decided().differences.size(), 1U);
  EXPECT_FALSE(sides.decided().differences[0].refuses);
  sides.b.machine = {};  // what a side does not say is no difference
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kKeep);
  EXPECT_EQ(gate(sides.decided(), "same-machine"), GateState::kPassed);  // measured in turn
  sides.interleaved = false;
  EXPECT_EQ(gate(sides.decided(), "same-machine"), GateState::kNotRun);
}

TEST(DecideRefusal, OtherWaysOfMeasuringAreRefused) {
  TwoSides sides({0.5, 0.5});
  for (Measurement& one : sides.a.measurements) one.timed_by = TimedBy::kCudaEvents;
  sides.each_b([](Measurement& one) { one.timed_by = TimedBy::kCudaGraph; });
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kInvalid);
  EXPECT_EQ(sides.decided().differences.size(), 1U);  // once, not for each configuration
  sides.each_b([](Measurement& one) { one.timed_by = TimedBy::kUnknown; });
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kKeep);
  for (Measurement& one : sides.a.measurements) one.cache = CacheState::kHot;
  sides.each_b([](Measurement& one) { one.cache = CacheState::kCold; });
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kInvalid);
}

TEST(DecideRefusal, OtherInputsAreRefusedUnlessForced) {
  TwoSides sides({0.5});
  sides.b.measurements.at(0).axes = {{"n", "4096"}};
  const Decision refused = sides.decided();
  EXPECT_EQ(refused.verdict, DecisionVerdict::kInvalid);
  EXPECT_EQ(gate(refused, "same-inputs"), GateState::kFailed);
  EXPECT_EQ(gate(refused, "correctness"), GateState::kNotRun);
  EXPECT_TRUE(says(refused.reason, "A has transpose n=1024, B has transpose n=4096"));
  EXPECT_EQ(refused.unmatched.size(), 2U);
  sides.options.force = true;
  const Decision forced = sides.decided();
  EXPECT_EQ(forced.verdict, DecisionVerdict::kKeep);
  ASSERT_EQ(forced.differences.size(), 1U);
  EXPECT_EQ(forced.differences[0].what, "axes");
}

TEST(DecideRefusal, AWrongResultRevertsOnAnyMachine) {
  TwoSides sides({0.5});
  sides.b.machine.gpu = "NVIDIA B200";
  sides.b.measurements.at(0).state = MeasurementState::kWrong;
  EXPECT_EQ(sides.decided().verdict, DecisionVerdict::kRevert);
  EXPECT_TRUE(sides.decided().configurations.empty());
}

}  // namespace
}  // namespace proofline::decide_gates_test

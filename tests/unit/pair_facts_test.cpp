// SPDX-License-Identifier: Apache-2.0
//
// What is known of a change by the evidence of both sides.
#include "workflow/check/pair_facts.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "support/benchmark_sides.h"

namespace proofline {
namespace pair_facts_test {

Benchmark took(double ns, const std::string& command) {
  static SideNoise noise;  // other noise on each side
  Benchmark benchmark;
  benchmark.command = command;
  benchmark.measurements.push_back(measured(noise, "8192", ns));
  return benchmark;
}

std::string told(const Facts& facts, std::string_view name) {
  if (const auto fact = facts.find(name)) return std::get<std::string>(fact->value);
  const auto absent = facts.find_absent(name);
  return absent ? "absent: " + absent->reason : "silent";
}

const EvidenceSide kBefore{EvidenceSide::Kind::kBefore, ""};

LockedSide locked(const EvidenceOfSide& evidence, const KernelDiagnosis* kernel = nullptr) {
  return {&evidence, kernel, 0, {}, {}};
}

// What is published of the whole side and of its kernel.
Facts decided(std::optional<EvidenceOfSide> before, EvidenceOfSide after) {
  Sides<EvidenceOfSide> sides(std::move(after));
  if (before) sides.add(kBefore, std::move(*before));
  publish_decision(sides, {});
  Sides<LockedSide> kernels(locked(sides.after()));
  if (sides.before() != nullptr) kernels.add(kBefore, locked(*sides.before()));
  publish_arguments(kernels);
  const Facts& of_kernel = kernels.after().facts;
  for (const Fact& fact : of_kernel.published()) sides.after().facts.add(fact);
  for (const AbsentFact& absent : of_kernel.absent()) sides.after().facts.add_absent(absent);
  return std::move(sides.after().facts);
}

Facts decided(double before_ns, double after_ns, const std::string& before_command = "./a --n 64",
              const std::string& after_command = "./b --n 64") {
  EvidenceOfSide before;
  EvidenceOfSide after;
  before.benchmarks.push_back(took(before_ns, before_command));
  after.benchmarks.push_back(took(after_ns, after_command));
  return decided(std::move(before), std::move(after));
}

TEST(PairFacts, SayWhatDecideSays) {
  const Facts faster = decided(1000, 800);
  EXPECT_EQ(told(faster, "change.verdict"), "KEEP");
  EXPECT_NEAR(faster.number("change.gain").value_or(0), 0.2, 0.01);
  EXPECT_LT(*faster.number("change.gain.low"), *faster.number("change.gain"));
  EXPECT_GT(*faster.number("change.gain.high"), *faster.number("change.gain"));
  EXPECT_EQ(told(decided(1000, 1200), "change.verdict"), "REVERT");
}

TEST(PairFacts, OfOneFileTheSecondSideIsAfter) {
  EvidenceOfSide after;
  after.pair.emplace();
  after.pair->interleaved = true;
  after.pair->sides = {{"a", took(1000, "./a")}, {"b", took(800, "./b")}};
  const Facts facts = decided(std::nullopt, std::move(after));
  EXPECT_EQ(told(facts, "change.verdict"), "KEEP");
  EXPECT_EQ(told(facts, "change.arguments"), "same");
}

TEST(PairFacts, NeedBothSides) {
  const auto one = [] {
    EvidenceOfSide side;
    side.benchmarks.push_back(took(1000, "./a"));
    return side;
  };
  const Facts facts = decided(std::nullopt, one());
  for (const char* name :
       {"change.verdict", "change.gain", "change.gain.low", "change.gain.high"}) {
    EXPECT_EQ(told(facts, name), "absent: there are no benchmarks of both sides") << name;
  }
  EXPECT_EQ(told(facts, "change.arguments"),
            "absent: no evidence tells the arguments of both sides");
  EvidenceOfSide two;
  two.benchmarks.push_back(took(1000, "./a"));
  two.benchmarks.push_back(took(900, "./a"));
  EXPECT_EQ(told(decided(one(), std::move(two)), "change.verdict"),
            "absent: a side has several benchmarks");
}

TEST(PairFacts, ArgumentsAreWordsBehindTheProgram) {
  EXPECT_EQ(told(decided(1, 1, "./a --n 64", "./b  --n '64'"), "change.arguments"), "same");
  EXPECT_EQ(told(decided(1, 1, "./a --n 64", "./a --n 65"), "change.arguments"), "different");
  EXPECT_EQ(told(decided(1, 1, "", "./a"), "change.arguments"),
            "absent: no evidence tells the arguments of both sides");
}

// A report with one kernel, which ran in a program with these arguments.
struct Profiled {
  EvidenceOfSide side;
  KernelDiagnosis kernel;

  explicit Profiled(const std::string& executable, const std::string& arguments) {
    Profile profile;
    profile.launches.emplace_back();
    profile.processes.emplace_back().session.executable = executable;
    profile.processes.back().session.arguments = arguments;
    side.profiles.push_back(std::move(profile));
  }
};

std::string profiled(const Profiled& before, const Profiled& after) {
  Sides<LockedSide> sides(locked(after.side, &after.kernel));
  sides.add(kBefore, locked(before.side, &before.kernel));
  publish_arguments(sides);
  return told(sides.after().facts, "change.arguments");
}

TEST(PairFacts, ArgumentsAreInReportsToo) {
  EXPECT_EQ(profiled(Profiled("a", "--n 64"), Profiled("b", "--n 64")), "same");
  EXPECT_EQ(profiled(Profiled("a", "--n 64"), Profiled("b", "")), "different");
  EXPECT_EQ(profiled(Profiled("", ""), Profiled("b", "")),
            "absent: no evidence tells the arguments of both sides");
}

}  // namespace pair_facts_test
}  // namespace proofline

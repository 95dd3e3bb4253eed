// SPDX-License-Identifier: Apache-2.0
//
// What the measurement library takes for a right result.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "bench/comparison.h"

namespace proofline::bench::bench_comparison_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void add(Comparison& comparison, double actual, double expected) {
  comparison.add(actual, expected, std::abs(actual - expected));
}

TEST(BenchComparison, ExactResultPassesWithoutTolerance) {
  Comparison comparison(0, 0, "fp64");
  for (const double value : {0.0, -1.5, 3e300}) add(comparison, value, value);
  EXPECT_EQ(comparison.result().state, CheckState::kPassed);
  EXPECT_EQ(comparison.result().checked, 3U);
  EXPECT_EQ(comparison.result().max_abs_error, 0.0);
  EXPECT_EQ(comparison.complaint(), "");
}

TEST(BenchComparison, SmallestErrorFailsWithoutTolerance) {
  Comparison comparison(0, 0, "fp64");
  add(comparison, 1 + 1e-15, 1);
  EXPECT_EQ(comparison.result().state, CheckState::kFailed);
}

TEST(BenchComparison, OneToleranceIsEnough) {
  Comparison relative(0, 1e-3, "fp64");
  add(relative, 1000.5, 1000);
  EXPECT_EQ(relative.result().state, CheckState::kPassed);
  EXPECT_EQ(relative.result().max_abs_error, 0.5);
  EXPECT_EQ(relative.result().max_rel_error, 0.5e-3);
  Comparison absolute(1e-3, 0, "fp64");
  add(absolute, 0.0005, 0);
  EXPECT_EQ(absolute.result().state, CheckState::kPassed);
  EXPECT_FALSE(absolute.result().max_rel_error);
  add(absolute, 1000.5, 1000);
  EXPECT_EQ(absolute.result().wrong, 1U);
}

TEST(BenchComparison, NanAndInfinityAreCountedUnlessExpected) {
  Comparison comparison(1e30, 1e30, "fp64");
  add(comparison, kNaN, 1);
  add(comparison, kInfinity, 1);
  add(comparison, -kInfinity, kInfinity);
  add(comparison, 1, kNaN);
  add(comparison, kNaN, kNaN);
  add(comparison, kInfinity, kInfinity);
  const Correctness& result = comparison.result();
  EXPECT_EQ(result.wrong, 4U);
  EXPECT_EQ(result.nans, 1U);
  EXPECT_EQ(result.infinities, 2U);
  EXPECT_FALSE(result.max_abs_error);
}

TEST(BenchComparison, ComplaintNamesTheFirstWrongElement) {
  Comparison comparison(0.25, 0, "fp64");
  add(comparison, 1, 1);
  add(comparison, 2.5, 2);
  add(comparison, kNaN, 3);
  EXPECT_EQ(comparison.complaint(),
            "2 of 3 elements are wrong, 1 of them NaN; element 1 is 2.5, expected 2");
}

TEST(BenchComparison, ErrorThatDoublesDoNotShowCounts) {
  Comparison comparison(0, 0, "exact");
  comparison.add(0x1p60, 0x1p60, 1);
  EXPECT_EQ(comparison.result().max_abs_error, 1.0);
  EXPECT_NE(comparison.complaint().find("(off by 1)"), std::string::npos);
}

TEST(BenchComparison, SeveralOutputsAreOneResult) {
  Comparison good(0, 1e-3, "fp64");
  add(good, 1, 1);
  Comparison bad(0.1, 0, "fp64");
  add(bad, 3, 1);
  Correctness all;
  merge(all, good.result());
  EXPECT_EQ(all.state, CheckState::kPassed);
  merge(all, bad.result());
  EXPECT_EQ(all.state, CheckState::kFailed);
  EXPECT_EQ(all.checked, 2U);
  EXPECT_EQ(all.wrong, 1U);
  EXPECT_EQ(all.max_abs_error, 2.0);
  EXPECT_EQ(all.abs_tolerance, 0.1);
  EXPECT_EQ(all.rel_tolerance, 1e-3);
}

}  // namespace
}  // namespace proofline::bench::bench_comparison_test

// SPDX-License-Identifier: Apache-2.0
//
// What the measurement library takes for a right result.
#include <gtest/gtest.h>

#include <limits>

#include "bench/comparison.h"

namespace proofline::bench {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(BenchComparison, ExactResultPassesWithoutTolerance) {
  Comparison comparison(0, 0, "fp64");
  for (const double value : {0.0, -1.5, 3e300}) comparison.add(value, value);
  EXPECT_EQ(comparison.result().state, CheckState::kPassed);
  EXPECT_EQ(comparison.result().checked, 3U);
  EXPECT_EQ(comparison.result().max_abs_error, 0.0);
  EXPECT_EQ(comparison.complaint(), "");
}

TEST(BenchComparison, SmallestErrorFailsWithoutTolerance) {
  Comparison comparison(0, 0, "fp64");
  comparison.add(1 + 1e-15, 1);
  EXPECT_EQ(comparison.result().state, CheckState::kFailed);
}

TEST(BenchComparison, OneToleranceIsEnough) {
  Comparison relative(0, 1e-3, "fp64");
  relative.add(1000.5, 1000);
  EXPECT_EQ(relative.result().state, CheckState::kPassed);
  EXPECT_EQ(relative.result().max_abs_error, 0.5);
  EXPECT_EQ(relative.result().max_rel_error, 0.5e-3);
  Comparison absolute(1e-3, 0, "fp64");
  absolute.add(0.0005, 0);
  EXPECT_EQ(absolute.result().state, CheckState::kPassed);
  EXPECT_FALSE(absolute.result().max_rel_error);
  absolute.add(1000.5, 1000);
  EXPECT_EQ(absolute.result().wrong, 1U);
}

TEST(BenchComparison, NanAndInfinityAreCountedUnlessExpected) {
  Comparison comparison(1e30, 1e30, "fp64");
  comparison.add(kNaN, 1);
  comparison.add(kInfinity, 1);
  comparison.add(-kInfinity, kInfinity);
  comparison.add(1, kNaN);
  comparison.add(kNaN, kNaN);
  comparison.add(kInfinity, kInfinity);
  const Correctness& result = comparison.result();
  EXPECT_EQ(result.wrong, 4U);
  EXPECT_EQ(result.nans, 1U);
  EXPECT_EQ(result.infinities, 2U);
  EXPECT_FALSE(result.max_abs_error);
}

TEST(BenchComparison, ComplaintNamesTheFirstWrongElement) {
  Comparison comparison(0.25, 0, "fp64");
  comparison.add(1, 1);
  comparison.add(2.5, 2);
  comparison.add(kNaN, 3);
  EXPECT_EQ(comparison.complaint(),
            "2 of 3 elements are wrong, 1 of them NaN; element 1 is 2.5, expected 2");
}

TEST(BenchComparison, SeveralOutputsAreOneResult) {
  Comparison good(0, 1e-3, "fp64");
  good.add(1, 1);
  Comparison bad(0.1, 0, "fp64");
  bad.add(3, 1);
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
}  // namespace proofline::bench

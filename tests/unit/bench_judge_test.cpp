// SPDX-License-Identifier: Apache-2.0
//
// How near to the roof the measurement library sees its results, and which it does not believe.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "bench/judge.h"

namespace proofline::bench::bench_judge_test {
namespace {

Measurement measured(double ns, CacheState cache = CacheState::kCold) {
  Measurement measurement;
  measurement.cache = cache;
  measurement.samples.resize(3);
  for (Sample& each : measurement.samples) each.ns = ns;
  return measurement;
}

const Roofs kRoofs = {4.8e12, 67e12, 50e6, {}};

TEST(BenchJudge, ResultBelowTheRoofsStands) {
  Measurement measurement = measured(1e6);
  measurement.bytes = 4.5e9;
  measurement.flops = 60e9;
  judge(measurement, kRoofs);
  EXPECT_EQ(measurement.state, MeasurementState::kMeasured);
}

TEST(BenchJudge, MoreThanMemoryCanDoIsInvalid) {
  Measurement measurement = measured(1e6);
  measurement.bytes = 5e9;
  judge(measurement, kRoofs);
  EXPECT_EQ(measurement.state, MeasurementState::kInvalid);
  EXPECT_NE(measurement.reason.find("4950 GB/s is above the 4800 GB/s"), std::string::npos)
      << measurement.reason;
}

TEST(BenchJudge, WhatLiesInTheCacheIsNotMemorysBusiness) {
  Measurement hot = measured(1e6, CacheState::kHot);
  hot.bytes = 9e9;
  judge(hot, kRoofs);
  EXPECT_EQ(hot.state, MeasurementState::kMeasured);
  // Twice what memory can do in this time, but all of it can still are in L2.
  Measurement small = measured(4e3);
  small.bytes = 38.4e6;
  judge(small, kRoofs);
  EXPECT_EQ(small.state, MeasurementState::kMeasured);
}

TEST(BenchJudge, MoreArithmeticThanTheRoofIsInvalid) {
  Measurement measurement = measured(1e6, CacheState::kHot);
  measurement.flops = 70e9;
  judge(measurement, kRoofs);
  EXPECT_EQ(measurement.state, MeasurementState::kInvalid);
  measurement.state = MeasurementState::kMeasured;
  judge(measurement, {});
  EXPECT_EQ(measurement.state, MeasurementState::kMeasured);
}

TEST(BenchJudge, NoDurationIsInvalid) {
  for (const double ns : {0.0, -12.0}) {
    Measurement measurement = measured(ns);
    judge(measurement, {});
    EXPECT_EQ(measurement.state, MeasurementState::kInvalid);
  }
}

Ceiling ceiling(const char* name, bool bytes, double per_second) {
  Ceiling result;
  result.name = name;
  result.bytes = bytes;
  result.per_second = per_second;
  return result;
}

Roofs with_ceilings() {
  Roofs roofs;
  roofs.l2_bytes = 50e6;
  roofs.measured.ceilings = {ceiling("dram", true, 4e12), ceiling("l2", true, 8e12),
                             ceiling("fp32", false, 60e12)};
  return roofs;
}

// In a microsecond for each of these, so that a thousand of them are 1e12 a second.
Measurement of_bytes(double thousands, CacheState cache = CacheState::kCold) {
  Measurement measurement = measured(1e6, cache);
  measurement.bytes = thousands * 1e6;
  return measurement;
}

TEST(BenchJudge, ShareIsOfTheNearestCeiling) {
  Measurement measurement = of_bytes(2000);
  measurement.flops = 54e9;
  measurement.flop_kind = "fp32";
  judge(measurement, with_ceilings());
  EXPECT_EQ(measurement.state, MeasurementState::kMeasured);
  EXPECT_EQ(measurement.roof, "fp32");
  EXPECT_DOUBLE_EQ(measurement.roof_share.value_or(0), 0.9);
  measurement = of_bytes(2000);
  measurement.flops = 6e9;
  measurement.flop_kind = "fp32";
  judge(measurement, with_ceilings());
  EXPECT_EQ(measurement.roof, "dram");
  EXPECT_DOUBLE_EQ(measurement.roof_share.value_or(0), 0.5);
}

TEST(BenchJudge, WithoutACeilingThereIsNoShare) {
  Measurement measurement = measured(1e6);
  measurement.flops = 1e9;
  for (const char* kind : {"", "tensor-f16", "dram"}) {
    measurement.flop_kind = kind;
    judge(measurement, with_ceilings());
    EXPECT_FALSE(measurement.roof_share) << kind;
  }
  measurement = of_bytes(2000);
  judge(measurement, kRoofs);
  EXPECT_FALSE(measurement.roof_share);
}

TEST(BenchJudge, WhatFitsIntoL2AndIsHotIsHeldAgainstL2) {
  for (const auto& [cache, name] :
       {std::pair(CacheState::kHot, "l2"), std::pair(CacheState::kCold, "dram"),
        std::pair(CacheState::kRotating, "dram")}) {
    Measurement measurement = measured(20e3, cache);
    measurement.bytes = 40e6;
    judge(measurement, with_ceilings());
    EXPECT_EQ(measurement.roof, name);
    EXPECT_DOUBLE_EQ(measurement.roof_share.value_or(0), cache == CacheState::kHot ? 0.25 : 0.5);
  }
  Measurement large = of_bytes(2000, CacheState::kHot);
  judge(large, with_ceilings());
  EXPECT_EQ(large.roof, "dram");
}

TEST(BenchJudge, AboveAMeasuredCeilingByMoreThanItsNoiseIsInvalid) {
  Measurement at = of_bytes(4160);
  judge(at, with_ceilings());
  EXPECT_EQ(at.state, MeasurementState::kMeasured);
  EXPECT_DOUBLE_EQ(at.roof_share.value_or(0), 1.04);
  Measurement above = of_bytes(4400);
  judge(above, with_ceilings());
  EXPECT_EQ(above.state, MeasurementState::kInvalid);
  EXPECT_NE(above.reason.find("4350.0 GB/s is above the 4000.0 GB/s"), std::string::npos)
      << above.reason;
  EXPECT_NE(above.reason.find("\"dram\""), std::string::npos) << above.reason;
  Measurement arithmetic = measured(1e6);
  arithmetic.flops = 64e9;
  arithmetic.flop_kind = "fp32";
  judge(arithmetic, with_ceilings());
  EXPECT_EQ(arithmetic.state, MeasurementState::kInvalid);
  EXPECT_NE(arithmetic.reason.find("\"fp32\""), std::string::npos) << arithmetic.reason;
}

TEST(BenchJudge, WhatL2MayHaveServedIsNotAboveMemorysCeiling) {
  // 1.5 times what memory does, but half of it need never have come from there.
  Measurement measurement = measured(16e3);
  measurement.bytes = 96e6;
  judge(measurement, with_ceilings());
  EXPECT_EQ(measurement.state, MeasurementState::kMeasured) << measurement.reason;
  EXPECT_EQ(measurement.roof, "l2");
  EXPECT_DOUBLE_EQ(measurement.roof_share.value_or(0), 0.75);
}

TEST(BenchJudge, CeilingThatTheGpuMayExceedMakesNothingInvalid) {
  Roofs roofs = with_ceilings();
  for (Ceiling& each : roofs.measured.ceilings) each.at_least = true;
  Measurement measurement = of_bytes(6000);
  judge(measurement, roofs);
  EXPECT_EQ(measurement.state, MeasurementState::kMeasured);
  EXPECT_GT(measurement.roof_share.value_or(0), 1.05);
  // The other one still does.
  roofs.measured.ceilings[2].at_least = false;
  measurement = of_bytes(9000);
  measurement.flops = 66e9;
  measurement.flop_kind = "fp32";
  judge(measurement, roofs);
  EXPECT_EQ(measurement.state, MeasurementState::kInvalid);
  EXPECT_EQ(measurement.roof, "dram");
}

TEST(BenchJudge, CeilingOfArithmeticGoesWithTheClock) {
  Roofs roofs = with_ceilings();
  roofs.measured.ceilings[2].sm_mhz = 1500;  // calibrated while power held it back
  Measurement measurement = measured(1e6);
  measurement.flops = 76e9;
  measurement.flop_kind = "fp32";
  for (Sample& each : measurement.samples) each.sm_mhz = 1950;
  judge(measurement, roofs);
  EXPECT_EQ(measurement.state, MeasurementState::kMeasured) << measurement.reason;
  EXPECT_NEAR(measurement.roof_share.value_or(0), 76.0 / 78, 1e-9);
}

TEST(BenchJudge, ThrottledSamplesCountLikeAnyOther) {
  Measurement measurement = of_bytes(4400);
  for (Sample& sample : measurement.samples) sample.throttled = true;
  judge(measurement, with_ceilings());
  EXPECT_EQ(measurement.state, MeasurementState::kInvalid);
}

}  // namespace
}  // namespace proofline::bench::bench_judge_test

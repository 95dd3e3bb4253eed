// SPDX-License-Identifier: Apache-2.0
//
// When the measurement library stops to take samples, with a timer and a clock that are simulated.
#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include "base/statistics.h"
#include "bench/sampler.h"
#include "support/noise.h"

namespace proofline::bench::bench_sampler_test {
namespace {

// Gives what the function says for the number of the sample; each execution takes that long.
class SimulatedTimer : public Timer {
 public:
  explicit SimulatedTimer(std::function<double(std::size_t)> ns, std::size_t at_once = 1)
      : ns_(std::move(ns)), at_once_(at_once) {}

  void take(std::vector<double>& ns) override {
    for (std::size_t i = 0; i < at_once_; ++i) {
      ns.push_back(ns_(taken_++));
      seconds_ += ns.back() / 1e9;
    }
  }
  double seconds() const { return seconds_; }
  std::size_t taken() const { return taken_; }

 private:
  std::function<double(std::size_t)> ns_;
  std::size_t at_once_;
  std::size_t taken_ = 0;
  double seconds_ = 0;
};

Sampling sample(
    SimulatedTimer& timer, const SamplingLimits& limits,
    const std::function<ClockReading()>& clock = [] { return ClockReading{}; }) {
  return take_samples(timer, limits, clock, [&] { return timer.seconds(); });
}

std::vector<double> times_of(const Sampling& sampling) {
  std::vector<double> ns;
  for (const Sample& each : sampling.samples) ns.push_back(each.ns);
  return ns;
}

TEST(BenchSampler, QuietKernelStopsAtTheFewestSamples) {
  SimulatedTimer timer([](std::size_t) { return 1000.0; });
  const Sampling sampling = sample(timer, {});
  EXPECT_EQ(sampling.stopped, StopReason::kTight);
  EXPECT_EQ(sampling.samples.size(), 20U);
}

TEST(BenchSampler, NoisyKernelIsMeasuredUntilItsMedianIsKnown) {
  NoiseSource source(7);
  SimulatedTimer timer([&](std::size_t) { return 1e6 * (1 + 0.02 * source.normal()); });
  SamplingLimits limits;
  limits.max_seconds = 100;
  const Sampling sampling = sample(timer, limits);
  EXPECT_EQ(sampling.stopped, StopReason::kTight);
  EXPECT_GT(sampling.samples.size(), 100U);
  const Interval interval = median_interval(times_of(sampling), limits.confidence);
  EXPECT_LE(interval.high - interval.low, 0.005 * 1.01e6);
  EXPECT_NEAR(median(times_of(sampling)), 1e6, 0.005 * 1e6);
}

TEST(BenchSampler, OutliersNeitherStopItNorKeepItGoing) {
  SimulatedTimer timer([](std::size_t i) { return i % 10 == 3 ? 9000.0 : 1000.0; });
  const Sampling sampling = sample(timer, {});
  EXPECT_EQ(sampling.stopped, StopReason::kTight);
  EXPECT_LE(sampling.samples.size(), 30U);
}

TEST(BenchSampler, TwoSpeedsRunIntoALimitAndSayWhich) {
  // The share of the slow ones is a half, so that the median is at neither for long.
  const auto two_speeds = [](std::size_t i) { return i % 2 == 0 ? 1e6 : 2e6; };
  SamplingLimits limits;
  SimulatedTimer by_time(two_speeds);
  EXPECT_EQ(sample(by_time, limits).stopped, StopReason::kTimeLimit);
  EXPECT_NEAR(by_time.seconds(), limits.max_seconds, 0.01);
  limits.max_samples = 100;
  SimulatedTimer by_count(two_speeds);
  const Sampling sampling = sample(by_count, limits);
  EXPECT_EQ(sampling.stopped, StopReason::kSampleLimit);
  EXPECT_EQ(sampling.samples.size(), 100U);
}

TEST(BenchSampler, LongKernelGetsAtLeastOneSample) {
  SimulatedTimer timer([](std::size_t) { return 60e9; });
  const Sampling sampling = sample(timer, {});
  EXPECT_EQ(sampling.stopped, StopReason::kTimeLimit);
  EXPECT_EQ(sampling.samples.size(), 1U);
}

TEST(BenchSampler, LimitHoldsForTimersThatTakeSeveralAtOnce) {
  SamplingLimits limits;
  limits.max_samples = 50;
  SimulatedTimer timer([](std::size_t i) { return i % 2 == 0 ? 1e6 : 2e6; }, 16);
  EXPECT_EQ(sample(timer, limits).samples.size(), 50U);
}

TEST(BenchSampler, ThrottledSamplesAreMarkedAndCount) {
  SimulatedTimer timer([](std::size_t) { return 2000.0; });
  const Sampling sampling = sample(timer, {}, [&] {
    const bool held = timer.taken() <= 10;
    return ClockReading{held ? 1300.0 : 1980.0, held, held ? 700.0 : 412.0};
  });
  EXPECT_EQ(sampling.stopped, StopReason::kTight);
  ASSERT_EQ(sampling.samples.size(), 20U);
  for (std::size_t i = 0; i < sampling.samples.size(); ++i) {
    EXPECT_EQ(sampling.samples[i].throttled, i < 10);
    EXPECT_EQ(sampling.samples[i].sm_mhz, i < 10 ? 1300.0 : 1980.0);
    EXPECT_EQ(sampling.samples[i].watts, i < 10 ? 700.0 : 412.0);
  }
}

// As every large GEMM on tensor cores is.
TEST(BenchSampler, AGpuThatIsAlwaysThrottledIsMeasuredAsWell) {
  SimulatedTimer timer([](std::size_t) { return 1e6; });
  const Sampling sampling = sample(timer, {}, [] { return ClockReading{1000.0, true, {}}; });
  EXPECT_EQ(sampling.stopped, StopReason::kTight);
}

// Its samples are narrow for a while, at a time that is not the next while's.
TEST(BenchSampler, AKernelThatWandersIsNotTight) {
  NoiseSource source(11);
  double level = 1e6;
  SimulatedTimer timer([&](std::size_t) { return level *= 1 + 0.0005 * source.normal(); });
  SamplingLimits limits;
  limits.max_samples = 400;
  limits.max_seconds = 100;
  EXPECT_EQ(sample(timer, limits).stopped, StopReason::kSampleLimit);
}

}  // namespace
}  // namespace proofline::bench::bench_sampler_test

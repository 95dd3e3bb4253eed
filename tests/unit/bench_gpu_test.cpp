// SPDX-License-Identifier: Apache-2.0
//
// What the measurement library asks NVML and CUPTI, with libraries that stand in for them.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX, not in <cstdlib>

#include <cstdint>
#include <vector>

#include "bench/clock_watch.h"
#include "bench/cupti_kernels.h"

namespace proofline::bench::bench_gpu_test {
namespace {

TEST(BenchClockWatch, ReadsClockAndPowerOfAGpuThatIsNotHeldBack) {
  ClockWatch watch(0, PROOFLINE_FAKE_NVML);
  const ClockReading reading = watch.read();
  EXPECT_EQ(reading.sm_mhz, 345.0);
  EXPECT_EQ(reading.watts, 80.99);
  EXPECT_FALSE(reading.throttled) << "an idle GPU is not throttled";
  EXPECT_FALSE(watch.locked_mhz());
}

TEST(BenchClockWatch, WithoutNvmlOrTheGpuNothingIsKnown) {
  EXPECT_FALSE(ClockWatch(0, "libno-such-library.so.1").read().sm_mhz);
  EXPECT_FALSE(ClockWatch(7, PROOFLINE_FAKE_NVML).read().sm_mhz);
  EXPECT_FALSE(ClockWatch(7, PROOFLINE_FAKE_NVML).read().watts);
}

TEST(BenchExecutionTimes, OneKernelEach) {
  const auto times = execution_times({{100, 150}, {200, 260}}, 2);
  ASSERT_TRUE(times);
  EXPECT_EQ(*times, (std::vector<double>{50, 60}));
}

TEST(BenchExecutionTimes, SeveralKernelsAreOneSpan) {
  // The second kernel of an execution ends before the first one, as on another stream.
  const auto times = execution_times({{100, 190}, {110, 150}, {300, 310}, {320, 400}}, 2);
  ASSERT_TRUE(times);
  EXPECT_EQ(*times, (std::vector<double>{90, 100}));
}

TEST(BenchExecutionTimes, UnequalGroupsAreRefused) {
  EXPECT_FALSE(execution_times({{1, 2}, {3, 4}, {5, 6}}, 2));
  EXPECT_FALSE(execution_times({}, 4));
  EXPECT_FALSE(execution_times({{1, 2}}, 0));
}

// Everything about CUPTI in one test, since a process has only one.
TEST(BenchCuptiKernels, AreNotedFromTheStartAndHandedOutOnce) {
  ::setenv("PROOFLINE_CUPTI", PROOFLINE_FAKE_CUPTI, 1);
  const auto started = start_noting_kernels();
  ::unsetenv("PROOFLINE_CUPTI");
  ASSERT_TRUE(started) << started.error().message;
  void* library = ::dlopen(PROOFLINE_FAKE_CUPTI, RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr);
  const auto launch =
      reinterpret_cast<void (*)(const char*, std::uint32_t, std::uint32_t, std::uint64_t)>(
          ::dlsym(library, "fake_cupti_launch"));
  ASSERT_NE(launch, nullptr);
  // More than fit into one of CUPTI's buffers.
  constexpr std::size_t kLaunches = 10'000;
  for (std::size_t i = 0; i < kLaunches; ++i) launch("kernel", 1, 32, 1000 + i);
  const auto kernels = take_kernels();
  ASSERT_TRUE(kernels) << kernels.error().message;
  const auto times = execution_times(*kernels, kLaunches);
  ASSERT_TRUE(times);
  EXPECT_EQ(times->front(), 1000);
  EXPECT_EQ(times->back(), 1000 + kLaunches - 1);
  EXPECT_EQ(take_kernels()->size(), 0U);
  stop_noting_kernels();
  ::dlclose(library);
}

}  // namespace
}  // namespace proofline::bench::bench_gpu_test

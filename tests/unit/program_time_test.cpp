// SPDX-License-Identifier: Apache-2.0
//
// What a kernel's gain is worth to its program: shares of the GPU's time, and sums that never
// exceed what kernels take.
#include "analysis/program/program_time.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

namespace proofline::program_time_test {
namespace {

void add_op(Timeline& timeline, std::uint32_t stream, GpuWork work, std::int64_t start,
            std::int64_t end) {
  GpuOp op;
  op.start_ns = start;
  op.end_ns = end;
  op.stream = stream;
  op.work = work;
  timeline.ops.push_back(op);
}

// One GPU: kernels for 600 of 1000 ns, a copy for 100 beside nothing, idle for the rest.
Timeline program() {
  Timeline timeline;
  timeline.names = {"k"};
  timeline.devices.resize(1);
  timeline.processes.resize(1);
  timeline.streams.resize(2);
  add_op(timeline, 0, GpuWork::kKernel, 1000, 1400);
  add_op(timeline, 1, GpuWork::kCopy, 1300, 1500);
  add_op(timeline, 0, GpuWork::kKernel, 1800, 2000);
  return timeline;
}

KernelTotals totals(std::uint64_t a_ns, std::uint64_t b_ns) {
  KernelTotals totals;
  totals.kernels.resize(2);
  totals.kernels[0].mangled = "a";
  totals.kernels[0].total_ns = a_ns;
  totals.kernels[1].mangled = "b";
  totals.kernels[1].total_ns = b_ns;
  return totals;
}

void add_kernel(const std::string& name, Gain gain, Profile& profile, Diagnosis& diagnosis) {
  Launch launch;
  launch.mangled = name;
  KernelDiagnosis kernel;
  kernel.launch = profile.launches.size();
  kernel.name = name;
  profile.launches.push_back(std::move(launch));
  if (gain.high > 0) {
    Finding finding;
    finding.id = "cause-of-" + name;
    finding.gain = gain;
    kernel.findings.push_back(finding);
  }
  diagnosis.kernels.push_back(std::move(kernel));
}

TEST(ProgramTime, IsOfTheGpuThatKernelsTakeMostTimeOn) {
  Timeline timeline = program();
  timeline.devices.resize(2);
  timeline.streams.resize(3);
  timeline.streams[2].device = 1;
  add_op(timeline, 2, GpuWork::kKernel, 0, 10);
  const auto time = program_time(timeline);
  ASSERT_TRUE(time);
  EXPECT_EQ(time->devices, 2U);
  EXPECT_EQ(time->span_ns, 1000);
  EXPECT_EQ(time->parts.compute_ns, 600);
  EXPECT_EQ(time->parts.copy_ns, 100);
  EXPECT_EQ(time->parts.idle_ns, 300);
  EXPECT_DOUBLE_EQ(time->share(time->parts.idle_ns), 0.3);
}

TEST(ProgramTime, IsNoneWithoutWork) { EXPECT_FALSE(program_time(Timeline{})); }

TEST(ProgramSavings, AreSharesOfTheProgram) {
  Profile profile;
  Diagnosis diagnosis;
  add_kernel("a", {0.1, 0.2}, profile, diagnosis);
  add_kernel("b", {0.5, 0.9}, profile, diagnosis);
  add_kernel("b", {0.9, 0.9}, profile, diagnosis);  // another shape of it
  add_kernel("unknown", {0.5, 0.9}, profile, diagnosis);
  const auto savings =
      program_savings(*program_time(program()), totals(400, 200), profile, diagnosis);
  ASSERT_EQ(savings.kernels.size(), 2U);
  EXPECT_EQ(savings.kernels[0].name, "b");
  EXPECT_DOUBLE_EQ(savings.kernels[0].share, 0.2);
  EXPECT_EQ(savings.kernels[0].cause, "cause-of-b");
  EXPECT_DOUBLE_EQ(savings.kernels[0].low, 0.1);
  EXPECT_DOUBLE_EQ(savings.kernels[0].high, 0.18);
  EXPECT_DOUBLE_EQ(savings.kernels[1].high, 0.08);
  EXPECT_DOUBLE_EQ(savings.high, 0.26);
}

TEST(ProgramSavings, NeverExceedWhatKernelsTake) {
  Profile profile;
  Diagnosis diagnosis;
  add_kernel("a", {0.8, 1.0}, profile, diagnosis);
  add_kernel("b", {0.8, 1.0}, profile, diagnosis);
  // Side by side, each took longer than the GPU was busy with kernels.
  const auto savings =
      program_savings(*program_time(program()), totals(900, 800), profile, diagnosis);
  EXPECT_DOUBLE_EQ(savings.kernels.at(0).share, 0.6);
  EXPECT_DOUBLE_EQ(savings.high, 0.6);
  EXPECT_DOUBLE_EQ(savings.low, 0.6);
}

TEST(ProgramSavings, KernelsWithoutACauseSaveNothing) {
  Profile profile;
  Diagnosis diagnosis;
  add_kernel("a", {}, profile, diagnosis);
  const auto savings =
      program_savings(*program_time(program()), totals(400, 200), profile, diagnosis);
  ASSERT_EQ(savings.kernels.size(), 1U);
  EXPECT_EQ(savings.kernels[0].cause, "");
  EXPECT_DOUBLE_EQ(savings.high, 0);
}

}  // namespace
}  // namespace proofline::program_time_test

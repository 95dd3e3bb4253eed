// SPDX-License-Identifier: Apache-2.0
//
// The time of a program's GPU, and which kernels take it.
#include "analysis/program/program_time.h"

#include <gtest/gtest.h>

#include <cstdint>

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

TEST(ProgramTime, HasItsKernelsByNameAndShape) {
  Timeline timeline = program();
  timeline.names.emplace_back("ncclDevKernel_AllReduce");
  LaunchShape small{{4, 1, 1}, {32, 1, 1}, 32, 0};
  LaunchShape large{{8, 1, 1}, {32, 1, 1}, 32, 0};
  timeline.shapes = {small, large, large};
  timeline.shapes[2].registers = 40;  // the same grid
  timeline.ops[0].shape = 0;
  timeline.ops[2].shape = 1;
  add_op(timeline, 0, GpuWork::kKernel, 2000, 2500);
  timeline.ops.back().shape = 2;
  add_op(timeline, 1, GpuWork::kKernel, 2000, 2100);
  timeline.ops.back().name = 1;
  add_op(timeline, 1, GpuWork::kGraph, 2100, 2150);
  const auto time = program_time(timeline);
  ASSERT_TRUE(time);
  ASSERT_EQ(time->kernels.size(), 2U);
  const RanKernel& kernel = time->kernels[0];
  EXPECT_EQ(kernel.name, "k");
  EXPECT_EQ(kernel.count, 3U);
  EXPECT_EQ(kernel.total_ns, 1100);
  ASSERT_EQ(kernel.shapes.size(), 2U);
  EXPECT_EQ(kernel.shapes[0].grid, (Dim3{8, 1, 1}));
  EXPECT_EQ(kernel.shapes[0].count, 2U);
  EXPECT_EQ(kernel.shapes[0].total_ns, 700);
  EXPECT_TRUE(time->kernels[1].communication);
  EXPECT_FALSE(time->kernels[1].shapes.at(0).grid);
  EXPECT_EQ(time->graphs, 1U);
  EXPECT_EQ(time->graphs_ns, 50);
}

// As `timeline` does, so that both say the same of one recording.
TEST(ProgramTime, LeavesOutTheStartUp) {
  Timeline timeline = program();
  timeline.ops.clear();
  timeline.from_program_start = true;
  for (std::int64_t i = 0; i < 400; ++i) {
    const std::int64_t start = i < 20 ? i * 1'000'000 : 20'000'000 + i * 1000;
    add_op(timeline, 0, GpuWork::kKernel, start, start + 900);
  }
  const auto time = program_time(timeline);
  ASSERT_TRUE(time);
  EXPECT_EQ(time->span_ns, 380 * 1000 - 100);
  EXPECT_EQ(time->kernels.at(0).count, 380U);
}

}  // namespace
}  // namespace proofline::program_time_test

// SPDX-License-Identifier: Apache-2.0
//
// That a program's time is added up by kernel, that the kernel and the launch which a person would
// take are chosen, and that a diagnosis without counters finds what it needs.
#include "analysis/program/kernel_totals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "support/captures.h"

namespace proofline::kernel_totals_test {
namespace {

// Launches one after the other, each after the one before.
class FakeProgram {
 public:
  FakeProgram() { next_process(); }

  void next_process() {
    RecordedProcess process;
    process.pid = 100 + static_cast<std::uint32_t>(recording_.processes.size());
    process.executable = "/opt/train";
    process.devices = {{0, "NVIDIA H200", 9, 0, {{"multiprocessor_count", 132}}}};
    recording_.processes.push_back(process);
  }

  void launch(const std::string& name, std::uint64_t ns, std::uint64_t grid = 264) {
    RecordedProcess& process = recording_.processes.back();
    auto known = std::find(process.names.begin(), process.names.end(), name);
    const auto id = static_cast<std::uint32_t>(known - process.names.begin());
    if (known == process.names.end()) process.names.push_back(name);
    RecordedLaunch launch;
    launch.name = id;
    launch.start_ns = now_;
    launch.end_ns = now_ + ns;
    launch.invocation = 1;
    for (const auto& other : process.launches) launch.invocation += other.name == id ? 1 : 0;
    launch.grid = {grid, 1, 1};
    launch.block = {256, 1, 1};
    launch.registers = 16;
    launch.shared_config = 32768;
    process.launches.push_back(launch);
    now_ += ns + 10;
  }
  void launches(const std::string& name, const std::vector<std::uint64_t>& durations) {
    for (const std::uint64_t ns : durations) launch(name, ns);
  }
  void rewind(std::uint64_t ns) { now_ -= ns; }

  const Recording& recording() const { return recording_; }
  KernelTotals totals() const { return total_kernels(recording_); }
  std::vector<ChosenKernel> chosen(std::size_t most = kMostChosenKernels) const {
    return choose_kernels(recording_, totals(), most);
  }
  std::uint32_t invocation() const { return chosen().at(0).invocation; }

 private:
  Recording recording_;
  std::uint64_t now_ = 1000;
};

TEST(KernelTotals, AddUpByName) {
  FakeProgram program;
  program.launches("_Z5scalePff", {30, 10, 20, 40});
  program.launches("_Z5shiftPff", {300});
  const KernelTotals totals = program.totals();
  EXPECT_EQ(totals.launches, 5U);
  EXPECT_EQ(totals.total_ns, 400U);
  ASSERT_EQ(totals.kernels.size(), 2U);
  EXPECT_EQ(totals.kernels[0].name, "shift(float*, float)");
  EXPECT_EQ(totals.kernels[0].function, "shift");
  EXPECT_EQ(totals.kernels[0].mangled, "_Z5shiftPff");
  EXPECT_DOUBLE_EQ(totals.kernels[0].share, 0.75);
  const KernelTotal& scale = totals.kernels[1];
  EXPECT_EQ(scale.count, 4U);
  EXPECT_EQ(scale.total_ns, 100U);
  EXPECT_EQ(scale.min_ns, 10U);
  EXPECT_EQ(scale.median_ns, 20U);
  EXPECT_EQ(scale.max_ns, 40U);
}

TEST(KernelTotals, BusyTimeCountsOverlapOnce) {
  FakeProgram program;
  program.launch("a", 100);  // 1000 to 1100
  program.rewind(60);
  program.launch("b", 100);  // 1050 to 1150
  program.rewind(140);
  program.launch("c", 20);   // 1020 to 1040, within a
  program.launch("d", 160);  // 1050 to 1210
  const KernelTotals totals = program.totals();
  EXPECT_EQ(totals.total_ns, 380U);
  EXPECT_EQ(totals.busy_ns, 210U);
  EXPECT_EQ(totals.span_ns, 210U);
}

TEST(KernelTotals, GapsAreNotBusy) {
  FakeProgram program;
  program.launches("a", {100, 100});  // with 10 between them
  EXPECT_EQ(program.totals().busy_ns, 200U);
  EXPECT_EQ(program.totals().span_ns, 210U);
}

TEST(KernelTotals, ShapesAreListedByTime) {
  FakeProgram program;
  for (int i = 0; i < 5; ++i) program.launch("a", 10, 1);
  program.launch("a", 400, 1000);
  const KernelTotals totals = program.totals();
  ASSERT_EQ(totals.kernels[0].shapes.size(), 2U);
  EXPECT_EQ(totals.kernels[0].shapes[0].grid, (Dim3{1000, 1, 1}));
  EXPECT_EQ(totals.kernels[0].shapes[1].count, 5U);
  EXPECT_EQ(totals.kernels[0].shapes[1].total_ns, 50U);
}

TEST(KernelTotals, OfNothingIsNothing) {
  const Recording none;
  const KernelTotals totals = total_kernels(none);
  EXPECT_TRUE(totals.kernels.empty());
  EXPECT_EQ(totals.span_ns, 0U);
  EXPECT_TRUE(choose_kernels(none, totals).empty());
  FakeProgram no_time;
  no_time.launch("a", 0);
  EXPECT_EQ(no_time.totals().kernels[0].share, 0);
}

TEST(ChooseKernels, TakesTheSecondOnlyWhereItMatters) {
  FakeProgram one;
  one.launch("a", 810);
  one.launch("b", 190);
  EXPECT_EQ(one.chosen().size(), 1U);
  FakeProgram two;
  two.launch("a", 500);
  two.launch("b", 300);
  two.launch("c", 200);
  const auto chosen = two.chosen();
  ASSERT_EQ(chosen.size(), 2U);
  EXPECT_EQ(two.totals().kernels[chosen[1].kernel].mangled, "b");
}

TEST(ChooseKernels, TakesKernelsUntilFourFifthsAreCovered) {
  FakeProgram even;  // a training step: nothing stands out
  for (const char* name : {"a", "b", "c", "d", "e"}) even.launch(name, 200);
  EXPECT_EQ(even.chosen().size(), 4U);
  FakeProgram many;
  for (char name = 'a'; name <= 'z'; ++name) many.launch(std::string(1, name), 100);
  EXPECT_EQ(many.chosen().size(), kMostChosenKernels);
  EXPECT_EQ(many.chosen(3).size(), 3U);
  FakeProgram dust;
  dust.launch("a", 500);
  for (int i = 0; i < 100; ++i) dust.launch("k" + std::to_string(i), 5);
  EXPECT_EQ(dust.chosen().size(), 1U);
}

TEST(ChooseKernels, OneKernelOfManyRanksIsChosenOnce) {
  FakeProgram program;
  program.launches("a", {100, 100, 100});
  program.launch("b", 250);
  program.next_process();
  program.launches("a", {100, 100, 100});
  const auto chosen = program.chosen();
  ASSERT_EQ(chosen.size(), 2U);
  EXPECT_EQ(program.totals().kernels[chosen[0].kernel].mangled, "a");
  EXPECT_EQ(program.totals().kernels[chosen[1].kernel].mangled, "b");
}

TEST(ChooseLaunch, PassesOverTheWarmUp) {
  FakeProgram slow_at_first;
  slow_at_first.launches("a", {900, 300, 120, 100, 101, 99, 100});
  EXPECT_EQ(slow_at_first.invocation(), 4U);
  FakeProgram even;
  even.launches("a", {100, 100, 100});
  EXPECT_EQ(even.invocation(), 2U);
  FakeProgram twice;
  twice.launches("a", {100, 100});
  EXPECT_EQ(twice.invocation(), 1U);
  FakeProgram once;
  once.launch("a", 100);
  EXPECT_EQ(once.invocation(), 1U);
}

TEST(ChooseLaunch, TakesATypicalOneOfTheShapeThatCounts) {
  FakeProgram program;
  program.launch("a", 5, 1);
  for (int i = 0; i < 3; ++i) program.launch("a", 1000, 4096);
  program.launch("a", 5, 1);
  EXPECT_EQ(program.invocation(), 3U);
  FakeProgram empty_runs;  // launches that find nothing to do
  empty_runs.launches("a", {100, 1, 1, 100, 100, 100});
  EXPECT_EQ(empty_runs.invocation(), 4U);
  FakeProgram scattered;
  scattered.launches("a", {10, 1000, 400, 500, 900});
  EXPECT_EQ(scattered.invocation(), 4U);
}

std::optional<double> metric(const Profile& profile, std::string_view name) {
  const auto id = profile.metric_names.find(name);
  const Metric* found = id ? profile.launches.at(0).find(*id) : nullptr;
  return found != nullptr ? as_number(found->value) : std::nullopt;
}

TEST(RecordedProfile, HasTheLaunchUnderNcusNames) {
  FakeProgram program;
  program.launches("_Z5scalePff", {2912, 2912, 2912});
  const Profile profile = recorded_profile(program.recording(), program.totals(), program.chosen());
  ASSERT_EQ(profile.launches.size(), 1U);
  const Launch& launch = profile.launches[0];
  EXPECT_EQ(launch.name, "scale(float*, float)");
  EXPECT_EQ(launch.function, "scale");
  EXPECT_EQ(launch.compute_capability, "9.0");
  EXPECT_EQ(device_name(profile, launch), "NVIDIA H200");
  EXPECT_EQ(metric(profile, "gpu__time_duration.sum"), 2912);
  EXPECT_EQ(profile.metric_names[*profile.metric_names.find("gpu__time_duration.sum")].unit, "ns");
  EXPECT_EQ(metric(profile, "launch__thread_count"), 67584);
  EXPECT_EQ(metric(profile, "launch__registers_per_thread"), 16);
  EXPECT_EQ(metric(profile, "launch__sm_count"), 132);
  EXPECT_EQ(metric(profile, "device__attribute_multiprocessor_count"), 132);
  // As ncu says of this very launch.
  EXPECT_EQ(metric(profile, "launch__waves_per_multiprocessor"), 0.25);
  EXPECT_EQ(metric(profile, "dram__bytes.sum"), std::nullopt);
}

TEST(RecordedProfile, IsEnoughForOccupancy) {
  FakeProgram program;
  program.launch("_Z5scalePff", 2912);
  const Profile profile = recorded_profile(program.recording(), program.totals(), program.chosen());
  const Facts facts = gather_facts(profile, profile.launches[0], {});
  EXPECT_EQ(facts.number("occupancy.theoretical"), 1.0);
  EXPECT_EQ(facts.number("launch.blocks_per_sm"), 2.0);
  EXPECT_EQ(facts.number("occupancy.achieved"), std::nullopt);
}

// Where our recorder cannot be had, a report of ncu takes its place.
TEST(KernelTotals, CountALaunchOfAReportAsNcuDoes) {
  const Profile report = read_capture("tests/fixtures/ncu_rep/h200-memory.ncu-rep.gz");
  const Recording recording = recording_of(report);
  const KernelTotals totals = total_kernels(recording);
  EXPECT_EQ(totals.launches, report.launches.size());
  for (std::size_t i = 0; i < totals.kernels.size(); ++i) {
    const ChosenKernel chosen = choose_launch(recording, totals, i);
    EXPECT_GE(chosen.invocation, 1U) << totals.kernels[i].name;
    EXPECT_LE(chosen.invocation, totals.kernels[i].count) << totals.kernels[i].name;
    EXPECT_GT(totals.kernels[i].total_ns, 0U) << totals.kernels[i].name;
  }
}

}  // namespace
}  // namespace proofline::kernel_totals_test

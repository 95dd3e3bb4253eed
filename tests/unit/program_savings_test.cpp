// SPDX-License-Identifier: Apache-2.0
//
// What a kernel's gain is worth to its program: kernels of a report found in a timeline, shares of
// the GPU's time, and sums that never exceed what kernels take.
#include "diagnosis/timeline/program_savings.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "diagnosis/comparison/join_report.h"
#include "diagnosis/timeline/ran_names.h"

namespace proofline::program_savings_test {
namespace {

constexpr Dim3 kSmall{4, 1, 1};
constexpr Dim3 kLarge{8, 1, 1};
constexpr Dim3 kBlock{32, 1, 1};

void add_ran(const std::string& name, std::vector<RanShape> shapes, ProgramTime& time) {
  RanKernel kernel;
  kernel.name = name;
  for (const RanShape& shape : shapes) {
    kernel.count += shape.count;
    kernel.total_ns += shape.total_ns;
  }
  kernel.shapes = std::move(shapes);
  time.kernels.push_back(std::move(kernel));
}

RanShape ran_shape(Dim3 grid, std::int64_t total_ns) {
  return {grid, kBlock, 2, total_ns, total_ns / 2};
}

// 600 of 1000 ns are kernels.
ProgramTime program(std::int64_t a_ns, std::int64_t b_ns) {
  ProgramTime time;
  time.span_ns = 1000;
  time.parts.compute_ns = 600;
  time.parts.idle_ns = 400;
  add_ran("a", {ran_shape(kSmall, a_ns)}, time);
  add_ran("b", {ran_shape(kSmall, b_ns)}, time);
  return time;
}

struct Report {
  Profile profile;
  Diagnosis diagnosis;

  void add(const std::string& mangled, Gain gain, Dim3 grid = kSmall, double duration_ns = 100) {
    Launch launch;
    launch.mangled = mangled;
    KernelDiagnosis kernel;
    kernel.launch = profile.launches.size();
    kernel.name = mangled;
    kernel.display_name = mangled;
    kernel.function = mangled;
    kernel.grid = grid;
    kernel.block = kBlock;
    kernel.duration_ns = duration_ns;
    profile.launches.push_back(std::move(launch));
    if (gain.high > 0) {
      Finding finding;
      finding.id = "cause-of-" + mangled;
      finding.gain = gain;
      kernel.findings.push_back(finding);
    }
    diagnosis.kernels.push_back(std::move(kernel));
  }

  ProgramSavings savings(const ProgramTime& time) const {
    return program_savings(time, profile, diagnosis);
  }
};

TEST(ProgramSavings, AreSharesOfTheProgram) {
  Report report;
  report.add("a", {0.1, 0.2});
  report.add("b", {0.5, 0.9});
  report.add("unknown", {0.5, 0.9});
  const auto savings = report.savings(program(400, 200));
  ASSERT_EQ(savings.kernels.size(), 2U);
  EXPECT_EQ(savings.kernels[0].name, "b");
  EXPECT_EQ(savings.kernels[0].launches, 2U);
  EXPECT_DOUBLE_EQ(savings.kernels[0].share, 0.2);
  EXPECT_EQ(savings.kernels[0].cause, "cause-of-b");
  EXPECT_DOUBLE_EQ(savings.kernels[0].low, 0.1);
  EXPECT_DOUBLE_EQ(savings.kernels[0].high, 0.18);
  EXPECT_DOUBLE_EQ(savings.kernels[1].high, 0.08);
  EXPECT_DOUBLE_EQ(savings.high, 0.26);
  EXPECT_DOUBLE_EQ(savings.covered, 1);
  EXPECT_TRUE(savings.unprofiled.empty());
  ASSERT_EQ(savings.not_run.size(), 1U);
  EXPECT_EQ(savings.not_run[0].name, "unknown");
}

// Side by side, the two took longer than the GPU was busy with kernels: halving both halves that.
TEST(ProgramSavings, NeverExceedWhatKernelsTake) {
  Report report;
  report.add("a", {0.5, 1.0});
  report.add("b", {0.5, 1.0});
  const auto savings = report.savings(program(900, 800));
  EXPECT_DOUBLE_EQ(savings.kernels.at(0).share, 0.6);
  EXPECT_DOUBLE_EQ(savings.high, 0.6);
  EXPECT_DOUBLE_EQ(savings.low, 0.3);
}

TEST(ProgramSavings, KernelsWithoutACauseSaveNothing) {
  Report report;
  report.add("a", {});
  const auto savings = report.savings(program(400, 200));
  ASSERT_EQ(savings.kernels.size(), 1U);
  EXPECT_EQ(savings.kernels[0].cause, "");
  EXPECT_DOUBLE_EQ(savings.high, 0);
  EXPECT_NEAR(savings.covered, 2.0 / 3, 1e-9);
  ASSERT_EQ(savings.unprofiled.size(), 1U);
  EXPECT_EQ(savings.unprofiled[0].name, "b");
}

// One profiled launch means all launches of its kernel, and it is told how many are other.
TEST(ProgramSavings, OneShapeStandsForAll) {
  ProgramTime time = program(100, 0);
  time.kernels[0].shapes.push_back(ran_shape(kLarge, 300));
  time.kernels[0].count += 2;
  time.kernels[0].total_ns += 300;
  Report report;
  report.add("a", {0.5, 0.5});
  const auto savings = report.savings(time);
  ASSERT_EQ(savings.kernels.size(), 1U);
  EXPECT_FALSE(savings.kernels[0].is_one_of_several);
  EXPECT_EQ(savings.kernels[0].launches, 4U);
  EXPECT_EQ(savings.kernels[0].other_launches, 2U);
  EXPECT_EQ(savings.kernels[0].median_ns, 50);
  EXPECT_DOUBLE_EQ(savings.kernels[0].high, 0.2);
}

TEST(ProgramSavings, SeveralShapesAreToldApartByGridAndBlock) {
  ProgramTime time = program(100, 200);
  time.kernels[0].shapes.push_back(ran_shape(kLarge, 300));
  time.kernels[0].shapes.push_back(ran_shape({16, 1, 1}, 50));
  time.kernels[0].count = 6;
  Report report;
  report.add("a", {0.1, 0.1}, kLarge);
  report.add("a", {0.5, 0.5}, kSmall);
  report.add("a", {0.9, 0.9}, kSmall);      // on another device
  report.add("a", {0.9, 0.9}, {32, 1, 1});  // did not run
  const auto savings = report.savings(time);
  ASSERT_EQ(savings.kernels.size(), 2U);
  EXPECT_EQ(savings.kernels[0].grid, kSmall);
  EXPECT_DOUBLE_EQ(savings.kernels[0].high, 0.05);
  EXPECT_EQ(savings.kernels[1].grid, kLarge);
  EXPECT_DOUBLE_EQ(savings.kernels[1].high, 0.03);
  ASSERT_EQ(savings.unprofiled.size(), 2U);
  EXPECT_EQ(savings.unprofiled[1].name, "a");
  EXPECT_EQ(savings.unprofiled[1].total_ns, 50);
  ASSERT_EQ(savings.not_run.size(), 1U);
  EXPECT_EQ(savings.not_run[0].grid, (Dim3{32, 1, 1}));
}

TEST(ReportJoin, SaysWhereDurationsAndMachinesDiffer) {
  TimelineDiagnosis timeline;
  timeline.program = program(400, 200);  // medians of 200 and 100 ns
  timeline.program->device_name = "NVIDIA H100";
  timeline.report.notes.push_back({NoteKind::kLoss, "offset 7", "cut off"});
  Report report;
  report.add("a", {0.1, 0.2}, kSmall, 310);
  report.add("b", {0.1, 0.2}, kSmall, 110);
  report.diagnosis.kernels[0].device_name = "NVIDIA H200";
  const ReportJoin join = join_report(timeline, report.profile, report.diagnosis);
  ASSERT_EQ(join.notes.size(), 3U);
  EXPECT_EQ(join.notes[0].place, "timeline, offset 7");
  EXPECT_EQ(join.notes[0].kind, NoteKind::kLoss);
  EXPECT_NE(join.notes[1].what.find("H100"), std::string::npos);
  EXPECT_NE(join.notes[2].what.find("\"a\": 0.3 us in the report, 0.2 us"), std::string::npos)
      << join.notes[2].what;
  EXPECT_EQ(join.notes[2].what.find("\"b\""), std::string::npos);
}

struct NamePair {
  ReportedName reported;
  std::string ran;
};

class RanNames : public testing::TestWithParam<NamePair> {};

TEST_P(RanNames, AreFound) {
  const auto [reported, ran] = GetParam();
  const auto found = match_ran_names({{"other()", "other", ""}, reported}, {"f<2>(int)", ran});
  EXPECT_FALSE(found.at(0));
  EXPECT_EQ(found.at(1), 1U);
}

INSTANTIATE_TEST_SUITE_P(
    AsRecordersWriteThem, RanNames,
    testing::Values(
        NamePair{{"void scale<(int)4, float>(T2 *, int)", "scale", "_Z5scaleILi4EfEvPT0_i"},
                 "void scale<4, float>(float*, int)"},
        NamePair{{"void scale<(int)4, float>(T2 *, int)", "scale", "_Z5scaleILi4EfEvPT0_i"},
                 "_Z5scaleILi4EfEvPT0_i"},
        NamePair{{"void scale<(int)4, float>(T2 *, int)", "scale", ""},
                 "void scale<(int)4, float>(T2 *, int)"},
        NamePair{{"void at::f<(unsigned long)3, (bool)1, at::A<char *>>(T3)", "f", ""},
                 "void at::f<3ul, true, at::A<char*> >(char*)"},
        NamePair{{"<unnamed>::g(int)", "g", ""}, "(anonymous namespace)::g(int)"},
        NamePair{{"triton_poi_fused_add_0d1d2de", "triton_poi_fused_add_0d1d2de", ""},
                 "triton_poi_fused_add_0d1d2d"},
        NamePair{{"scale", "scale", ""}, "void ns::scale<4, float>(float*, int)"},
        NamePair{{"void ns::scale<(int)4>(int)", "scale", ""}, "scale"}));

TEST(RanNames, AreNotGuessed) {
  // Other template arguments are another kernel, and a bare name that fits two is neither.
  EXPECT_FALSE(match_ran_names({{"void f<(int)4>(int)", "f", ""}}, {"void f<8>(int)"}).at(0));
  EXPECT_FALSE(match_ran_names({{"f", "f", ""}}, {"void f<8>(int)", "void f<4>(int)"}).at(0));
}

}  // namespace
}  // namespace proofline::program_savings_test

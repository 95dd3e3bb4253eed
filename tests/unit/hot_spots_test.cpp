// SPDX-License-Identifier: Apache-2.0
//
// The hottest instructions and lines: that samples are counted where they belong, that real
// captures name the lines that their sources show, and that what a capture lacks is absent with its
// reason.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "diagnosis/diagnose.h"
#include "readers/read_profile.h"

namespace proofline {
Analysis hot_spots();
}  // namespace proofline

namespace proofline::hot_spots_test {
namespace {

constexpr std::uint64_t kStart = 0x7f0000001000;
constexpr std::uint64_t kOther = 0x7f0000002000;

Facts facts_of(const Profile& profile, std::size_t launch = 0) {
  static const Declared kNothing;
  Facts facts(profile, profile.launches.at(launch));
  hot_spots().publish(Subject{profile, profile.launches[launch], kNothing}, facts);
  return facts;
}

std::string text(const Facts& facts, std::string_view name) {
  const auto fact = facts.text(name);
  return fact ? *fact : "absent: " + facts.absence(name).reason;
}

using Counts = std::vector<std::pair<std::uint64_t, double>>;

void add(Profile& profile, const std::string& name, const Counts& counts) {
  Metric& metric = profile.launches.at(0).metrics.emplace_back();
  metric.id = profile.metric_names.intern(name, "");
  metric.has_instances = true;
  metric.instances = std::make_unique<Instances>();
  std::vector<std::uint64_t> addresses;
  std::vector<double> values;
  for (const auto& [address, count] : counts) {
    addresses.push_back(address);
    values.push_back(count);
  }
  metric.instances->correlation = std::move(addresses);
  metric.instances->values = std::move(values);
}

void sample(Profile& profile, const std::string& state, const Counts& counts) {
  add(profile, "smsp__pcsamp_warps_issue_stalled_" + state, counts);
}

// One launch of a kernel at kStart of 0x100 bytes. Line 10 up to 0x40, then 0x40 bytes of a
// function in the toolkit that line 11 calls, then line 21 of a function that line 12 calls.
Profile small_profile() {
  Profile profile;
  profile.launches.emplace_back().modules = {0};
  Module& module = profile.modules.emplace_back();
  module.functions = {{"kernel", kStart}, {"elsewhere", kOther}};
  LineTable lines;
  lines.folders = {"/home/me", "/usr/local/cuda/bin/../targets/x86_64-linux/include/crt"};
  lines.files = {{0, "kernel.cu"}, {1, "mma.hpp"}};
  lines.rows = {{0x00, 0, 10},    {0x40, 0, 11}, {0x40, 1, 900, 1}, {0x80, 0, 12},
                {0x80, 0, 21, 3}, {0xc0, 0, 0},  {0x100, 0, 0}};
  lines.functions = {{"kernel", 0x100, {{0, 7}}}};
  module.lines = std::make_shared<const LineTable>(lines);
  return profile;
}

TEST(HotSpots, RanksInstructionsByTheirStalledWarps) {
  Profile profile = small_profile();
  sample(profile, "long_scoreboard", {{kStart, 0}, {kStart + 0x10, 30}, {kStart + 0x80, 5}});
  sample(profile, "barrier", {{kStart, 0}, {kStart + 0x10, 1}, {kStart + 0x80, 10}});
  sample(profile, "warpgroup_arrive", {{kStart + 0x40, 4}});
  // These two are no stalls, but samples.
  sample(profile, "selected", {{kStart, 20}, {kStart + 0x10, 10}});
  sample(profile, "not_selected", {{kStart, 20}});
  // A subset of the others.
  sample(profile, "barrier_not_issued", {{kStart + 0x80, 9}});
  add(profile, "inst_executed", {{kStart, 64}, {kStart + 0x10, 128}});
  const Facts facts = facts_of(profile);
  EXPECT_EQ(facts.number("hot.samples"), 100);
  EXPECT_EQ(text(facts, "hot[0].address"), "0x10");
  EXPECT_EQ(text(facts, "hot[0].function"), "kernel");
  EXPECT_EQ(facts.number("hot[0].share"), 0.31);
  EXPECT_EQ(text(facts, "hot[0].reason"), "long_scoreboard");
  EXPECT_EQ(facts.number("hot[0].inst_executed"), 128);
  EXPECT_EQ(text(facts, "hot[1].address"), "0x80");
  EXPECT_EQ(facts.number("hot[1].share"), 0.15);
  EXPECT_EQ(text(facts, "hot[1].reason"), "barrier");
  EXPECT_EQ(text(facts, "hot[1].inst_executed"),
            "absent: executions of this instruction were not counted");
  EXPECT_EQ(text(facts, "hot[2].address"), "0x40");
  EXPECT_EQ(text(facts, "hot[2].reason"), "gmma") << "spelled as the counters spell it";
  EXPECT_FALSE(facts.find("hot[3].address")) << "nobody stalls there";
}

TEST(HotSpots, NamesTheLineOneWouldEdit) {
  Profile profile = small_profile();
  sample(profile, "wait", {{kStart, 50}, {kStart + 0x40, 30}, {kStart + 0x80, 20}});
  const Facts facts = facts_of(profile);
  EXPECT_EQ(text(facts, "hot.lines.available"), "yes");
  EXPECT_EQ(text(facts, "hot[0].line"), "kernel.cu:10");
  EXPECT_EQ(text(facts, "hot[0].inlined_at"), "absent: the line is the kernel's own");
  EXPECT_EQ(text(facts, "hot[1].line"), "kernel.cu:11") << "not the toolkit's header";
  EXPECT_EQ(text(facts, "hot[2].line"), "kernel.cu:21");
  EXPECT_EQ(text(facts, "hot[2].inlined_at"), "kernel.cu:12");
}

TEST(HotSpots, AddsUpTheInstructionsOfALine) {
  Profile profile = small_profile();
  sample(profile, "wait", {{kStart, 10}, {kStart + 0x10, 10}, {kStart + 0x80, 25}});
  sample(profile, "barrier", {{kStart + 0x20, 15}, {kStart + 0xc0, 40}});
  const Facts facts = facts_of(profile);
  EXPECT_EQ(text(facts, "hot.line[0].place"), "kernel.cu:10");
  EXPECT_EQ(facts.number("hot.line[0].share"), 0.35);
  EXPECT_EQ(text(facts, "hot.line[0].reason"), "wait");
  EXPECT_EQ(text(facts, "hot.line[1].place"), "kernel.cu:21");
  EXPECT_EQ(facts.number("hot.line[1].share"), 0.25);
  EXPECT_FALSE(facts.find("hot.line[2].place"));
  EXPECT_EQ(text(facts, "hot[0].address"), "0xc0");
  EXPECT_EQ(text(facts, "hot[0].line"), "absent: the line table has no line for this instruction");
}

TEST(HotSpots, TenAtMostAndTiesInTheOrderOfAddresses) {
  Profile profile = small_profile();
  Counts counts;
  for (std::uint64_t i = 0; i < 16; ++i) counts.emplace_back(kStart + (15 - i) * 0x10, 7);
  sample(profile, "wait", counts);
  const Facts facts = facts_of(profile);
  EXPECT_EQ(text(facts, "hot[0].address"), "0x0");
  EXPECT_EQ(text(facts, "hot[9].address"), "0x90");
  EXPECT_FALSE(facts.find("hot[10].address"));
}

TEST(HotSpots, ForeignCodeIsNotTakenForTheFunctionBeforeIt) {
  Profile profile = small_profile();
  sample(profile, "wait", {{kStart + 0x100, 3}, {kOther + 0x20, 2}, {0x10, 1}});
  const Facts facts = facts_of(profile);
  EXPECT_EQ(text(facts, "hot[0].address"), "0x7f0000001100");
  EXPECT_EQ(text(facts, "hot[0].function"), "absent: of code that the file does not hold");
  EXPECT_EQ(text(facts, "hot[1].function"), "elsewhere");
  EXPECT_EQ(text(facts, "hot[1].address"), "0x20");
  EXPECT_EQ(text(facts, "hot[2].address"), "0x10");
}

TEST(HotSpots, SaysWhyThereIsNothing) {
  Profile nothing = small_profile();
  EXPECT_EQ(text(facts_of(nothing), "hot[0].address"), "absent: the capture has no PC samples");
  EXPECT_EQ(facts_of(nothing).absence("hot.samples").metrics,
            std::vector<std::string>{"smsp__pcsamp_sample_count"});

  Profile too_short = small_profile();
  sample(too_short, "wait", {});
  add(too_short, "smsp__pcsamp_sample_count", {});
  too_short.launches[0].metrics.back().value = std::uint64_t{0};
  EXPECT_EQ(facts_of(too_short).number("hot.samples"), 0);
  EXPECT_EQ(text(facts_of(too_short), "hot[0].reason"),
            "absent: no PC sample fell into this launch: it is too short for the interval");

  Profile in_total = small_profile();
  sample(in_total, "wait", {});
  in_total.launches[0].metrics.back().instances = nullptr;
  EXPECT_EQ(text(facts_of(in_total), "hot[0].line"),
            "absent: this file has PC samples only in total, not by instruction");

  Profile by_name = small_profile();
  sample(by_name, "wait", {{kStart, 1}});
  by_name.launches[0].metrics.back().instances->correlation = std::vector<std::string>{"x"};
  EXPECT_EQ(text(facts_of(by_name), "hot[0].address"),
            "absent: this file does not say which instructions its PC samples belong to");
}

TEST(HotSpots, SaysWhyThereAreNoLines) {
  const auto available = [](Profile& profile) {
    sample(profile, "wait", {{kStart, 1}});
    const Facts facts = facts_of(profile);
    EXPECT_EQ(text(facts, "hot[0].line"), "absent: " + text(facts, "hot.lines.available"));
    EXPECT_EQ(text(facts, "hot.line[0].place"), text(facts, "hot[0].line"));
    return text(facts, "hot.lines.available");
  };
  Profile no_module = small_profile();
  no_module.launches[0].modules.clear();
  EXPECT_EQ(available(no_module), "the file does not hold the code that ran");
  Profile no_cubin = small_profile();
  no_cubin.modules[0].lines = nullptr;
  EXPECT_EQ(available(no_cubin), "the file does not hold the code that ran");
  Profile no_table = small_profile();
  LineTable table;
  table.missing = "the kernel was compiled without -lineinfo";
  no_table.modules[0].lines = std::make_shared<const LineTable>(table);
  EXPECT_EQ(available(no_table), "the kernel was compiled without -lineinfo");
}

TEST(HotSpots, AbsurdValuesAreNoSamples) {
  Profile profile = small_profile();
  const double infinity = std::numeric_limits<double>::infinity();
  sample(profile, "wait", {{kStart, std::nan("")}, {kStart + 0x10, -5}, {kStart + 0x20, infinity}});
  EXPECT_EQ(text(facts_of(profile), "hot[0].share"),
            "absent: no PC sample fell into this launch: it is too short for the interval");
  sample(profile, "barrier", {{~std::uint64_t{0}, 1}, {kStart, 1e300}, {kStart + 0x10, 3}});
  EXPECT_EQ(facts_of(profile).number("hot[0].share"), 0.75);
}

// --- real captures

ReadOptions for_facts() {
  ReadOptions options = diagnosis_read_options();
  options.code = true;
  return options;
}

std::string fixture(const std::string& name) {
  return PROOFLINE_SOURCE_DIR "/tests/fixtures/ncu_rep/" + name + ".ncu-rep.gz";
}

// The text of "file.cu:17" in the report's own copy of that file.
std::string source_line(const Profile& profile, const std::string& place) {
  const std::size_t colon = place.rfind(':');
  for (const Module& module : profile.modules) {
    for (const SourceFile& file : module.files) {
      if (!file.name.ends_with("/" + place.substr(0, colon))) continue;
      std::istringstream lines(file.content);
      std::string line;
      for (int i = std::stoi(place.substr(colon + 1)); i > 0; --i) std::getline(lines, line);
      return line;
    }
  }
  return "no such file: " + place;
}

struct Expectation {
  std::string kernel;
  std::string reason;
  std::string source;  // part of the hottest line's text
};

// What each of these kernels waits for, and where, is plain from its source.
TEST(HotSpots, OfRealKernelsStandOnTheRightLines) {
  const auto profile =
      read_profile(PROOFLINE_SOURCE_DIR "/examples/h200-kernels.ncu-rep.gz", for_facts());
  ASSERT_TRUE(profile) << profile.error().message;
  const std::vector<Expectation> expectations = {
      {"transpose_naive", "long_scoreboard", "output[std::size_t{column} * rows + row] = input["},
      // Shared memory with every thread of a warp in one bank.
      {"transpose_tiled<(unsigned int)0>", "short_scoreboard", "= tile[threadIdx.x][j];"},
      {"transpose_tiled<(unsigned int)1>", "long_scoreboard", "tile[j][threadIdx.x] = input["},
      {"histogram_global", "long_scoreboard", "atomicAdd("},
      {"softmax_block_per_row", "long_scoreboard", "largest = fmaxf(largest, input[first + i]);"},
  };
  for (const Expectation& expected : expectations) {
    std::size_t launch = 0;
    while (launch < profile->launches.size() &&
           profile->launches[launch].name.find(expected.kernel) == std::string::npos) {
      ++launch;
    }
    ASSERT_LT(launch, profile->launches.size()) << expected.kernel;
    const Facts facts = facts_of(*profile, launch);
    EXPECT_EQ(text(facts, "hot.line[0].reason"), expected.reason) << expected.kernel;
    const std::string place = text(facts, "hot.line[0].place");
    EXPECT_NE(source_line(*profile, place).find(expected.source), std::string::npos)
        << expected.kernel << ' ' << place << ": " << source_line(*profile, place);
  }
}

TEST(HotSpots, OfARealBarrierIsTheBarrier) {
  const auto profile = read_profile(fixture("h200-memory"), for_facts());
  ASSERT_TRUE(profile) << profile.error().message;
  const Facts facts = facts_of(*profile);
  ASSERT_EQ(profile->launches[0].function, "sum_in_fixed_clusters");
  EXPECT_EQ(text(facts, "hot[0].reason"), "barrier");
  // It is in a function that two kernels share; the kernel's own line calls that.
  EXPECT_NE(source_line(*profile, text(facts, "hot[0].line")).find("sync()"), std::string::npos);
  EXPECT_NE(source_line(*profile, text(facts, "hot[0].inlined_at")).find("sum_cluster("),
            std::string::npos);
}

TEST(HotSpots, WithoutACubinThereAreAddressesStill) {
  const auto profile = read_profile(fixture("h200-pytorch"), for_facts());
  ASSERT_TRUE(profile) << profile.error().message;
  const Facts facts = facts_of(*profile);
  EXPECT_EQ(text(facts, "hot[0].address"), "0x68f0");
  EXPECT_EQ(text(facts, "hot[0].reason"), "barrier");
  EXPECT_EQ(text(facts, "hot[0].function"), profile->launches[0].mangled);
  EXPECT_EQ(text(facts, "hot[0].line"), "absent: the file does not hold the code that ran");
}

// The samples by instruction are those that ncu itself counted, in every capture that has them.
TEST(HotSpots, AddUpToNcusOwnCount) {
  int compared = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(PROOFLINE_SOURCE_DIR "/tests/fixtures/ncu_rep")) {
    if (!entry.path().string().ends_with(".ncu-rep.gz")) continue;
    const auto profile = read_profile(entry.path().string(), for_facts());
    ASSERT_TRUE(profile) << profile.error().message;
    for (std::size_t i = 0; i < profile->launches.size(); ++i) {
      const Facts facts = facts_of(*profile, i);
      const auto count = facts.number("smsp__pcsamp_sample_count");
      if (!count) continue;
      EXPECT_EQ(facts.number("hot.samples"), count) << entry.path() << " launch " << i;
      double shares = 0;
      for (int spot = 0; spot < 10; ++spot) {
        shares += facts.number("hot[" + std::to_string(spot) + "].share").value_or(0);
      }
      EXPECT_LE(shares, 1 + 1e-9);
      ++compared;
    }
  }
  EXPECT_GT(compared, 50);
}

}  // namespace
}  // namespace proofline::hot_spots_test

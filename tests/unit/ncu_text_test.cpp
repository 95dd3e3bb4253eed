// SPDX-License-Identifier: Apache-2.0
//
// What ncu prints, whole and in pieces: all pages, older layouts, damage at every offset.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/input.h"
#include "readers/format.h"
#include "readers/read_profile.h"
#include "support/reader_outcome.h"

namespace proofline {
Format ncu_csv();
Format ncu_text();
}  // namespace proofline

namespace proofline::ncu_text_test {
namespace {

constexpr std::string_view kDetails =
    R"(==PROF== Connected to process 525 (/home/me/p)
==PROF== Profiling "copy4" - 0: 0%....50%....100% - 38 passes
row sums correct!
==PROF== Disconnected from process 525
[525] p@127.0.0.1
  copy4(const float4 *, float4 *, unsigned long) (1320, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0
    Section: GPU Speed Of Light Throughput
    ----------------------- ----------- ------------
    Metric Name             Metric Unit Metric Value
    ----------------------- ----------- ------------
    SM Frequency                    Ghz         1.97
    Elapsed Cycles                cycle      274,592
    Memory Throughput                 %        77.35
    Duration                         us       139.07
    ----------------------- ----------- ------------

    OPT   Est. Speedup: 22.65%
          Memory is more heavily utilized than Compute: look at the
          DRAM bottleneck.
    ----- --------------------------------------------------------
    INF   Check the tables.

    Section: Memory Workload Analysis
    ----------------- ----------- ------------
    Metric Name       Metric Unit Metric Value
    ----------------- ----------- ------------
    Memory Throughput     Tbyte/s         3.72
    Mem Busy                    %      (!) nan
    ----------------- ----------- ------------

  void ns::scale<float>(const T1 *, int) (16, 2, 1)x(32, 1, 1), Context 1, Stream 13, Device 0, CC 9.0
    Section: Launch Statistics
    ---------------------------- --------------- ---------------
    Metric Name                      Metric Unit    Metric Value
    ---------------------------- --------------- ---------------
    Block Size                                                32
    Function Cache Configuration                 CachePreferNone
    Registers Per Thread         register/thread              16
    ---------------------------- --------------- ---------------

)";

// As ncu printed until 2022.1: no title, columns of fixed width, other units, another kernel line.
constexpr std::string_view kOld =
    R"([14142] a.out@127.0.0.1
  add(int, float*, float*), 2020-Oct-28 10:36:31, Context 1, Stream 7
    Section: GPU Speed Of Light
    ---------------------------------------------------------------------- --------------- ------------------------------
    DRAM Frequency                                                           cycle/nsecond                           1.11
    Duration                                                                       usecond                          13.89
    SOL L2 Cache                                                                         %                          60.91
    ---------------------------------------------------------------------- --------------- ------------------------------
    WRN   This kernel exhibits low compute throughput.

    Section: Launch Statistics
    ---------------------------------------------------------------------- --------------- ------------------------------
    Block Size                                                                                                        256
    Function Cache Configuration                                                                  cudaFuncCachePreferNone
    ---------------------------------------------------------------------- --------------- ------------------------------

)";

constexpr std::string_view kRaw =
    R"([525] p@127.0.0.1
  hist(int *) (264, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0
  Metric Name                                  Metric Unit         Metric Value
  ---------------------------------------- --------------- --------------------
  device__attribute_display_name                                    NVIDIA H200
  dram__bytes.sum                                    Mbyte               517.45
  inst_executed                                       inst  1,056 (32; 32; 992)
  launch__kernel_name                                                          
  ops__peak_sustained_elapsed.per_second                    130,253,202,694,222.
                                                                              48
  smsp__long_name_that_fills_its_column_so               %                12.50
  _that_it_goes_on.avg                                                         

  next(int *) (1, 1, 1)x(2, 1, 1), Context 1, Stream 7, Device 0, CC 9.0
  Metric Name                                  Metric Unit         Metric Value
  ---------------------------------------- --------------- --------------------
  inst_executed                                       inst                    7

)";

using test_support::losses;
using test_support::Outcome;
using test_support::unit;
using test_support::value;

Outcome read(std::string_view text, const ReadOptions& options = {}) {
  return test_support::read_with(ncu_text(), "test.log", text, options);
}

Profile good(std::string_view text, const ReadOptions& options = {}) {
  EXPECT_TRUE(ncu_text().sniff(text));
  EXPECT_FALSE(ncu_csv().sniff(text));
  Outcome outcome = read(text, options);
  EXPECT_FALSE(outcome.error.has_value()) << outcome.error->message;
  return std::move(outcome.profile);
}

TEST(NcuText, DetailsPage) {
  const Profile profile = good(kDetails);
  ASSERT_EQ(profile.launches.size(), 2U);
  EXPECT_EQ(value(profile, 0, "gpc__cycles_elapsed.avg.per_second"), Value(1.97e9));
  EXPECT_EQ(value(profile, 0, "gpc__cycles_elapsed.max"), Value(std::uint64_t{274592}));
  EXPECT_EQ(value(profile, 0, "gpu__time_duration.sum"), Value(139070.0));
  EXPECT_EQ(value(profile, 0, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"),
            Value(77.35));
  EXPECT_EQ(value(profile, 0, "dram__bytes.sum.per_second"), Value(3.72e12));
  EXPECT_EQ(unit(profile, "dram__bytes.sum.per_second"), "byte/s");
  EXPECT_EQ(value(profile, 1, "launch__block_size"), Value(std::uint64_t{32}));
  EXPECT_EQ(value(profile, 1, "launch__func_cache_config"), Value("CachePreferNone"));
  EXPECT_EQ(losses(profile), 0U);
}

TEST(NcuText, Identity) {
  const Profile profile = good(kDetails);
  ASSERT_EQ(profile.processes.size(), 1U);
  EXPECT_EQ(profile.processes[0].pid, 525U);
  EXPECT_EQ(profile.processes[0].name, "p");
  EXPECT_EQ(profile.processes[0].host, "127.0.0.1");
  const Launch& launch = profile.launches.at(1);
  EXPECT_EQ(launch.name, "void ns::scale<float>(const T1 *, int)");
  EXPECT_EQ(launch.function, "scale");
  EXPECT_EQ(launch.grid, Dim3({16, 2, 1}));
  EXPECT_EQ(launch.block, Dim3({32, 1, 1}));
  EXPECT_EQ(launch.context, 1U);
  EXPECT_EQ(launch.stream, 13U);
  EXPECT_EQ(launch.device, 0U);
  EXPECT_EQ(launch.compute_capability, "9.0");
}

TEST(NcuText, WhatCouldNotBeCollectedIsAbsent) {
  const Profile profile = good(kDetails);
  EXPECT_EQ(
      value(profile, 0, "gpu__compute_memory_access_throughput.avg.pct_of_peak_sustained_elapsed"),
      Value());
  ASSERT_EQ(profile.notes.size(), 1U);
  EXPECT_NE(profile.notes[0].what.find("not finite"), std::string::npos);
}

TEST(NcuText, RulesOnlyWhenAskedFor) {
  EXPECT_TRUE(good(kDetails).launches[0].nvidia_rules.empty());
  ReadOptions options;
  options.nvidia_rules = true;
  const Profile profile = good(kDetails, options);
  ASSERT_EQ(profile.launches[0].nvidia_rules.size(), 2U);
  const NvidiaRule& rule = profile.launches[0].nvidia_rules[0];
  EXPECT_EQ(rule.section, "GPU Speed Of Light Throughput");
  EXPECT_EQ(rule.messages.at(0).kind, RuleMessageKind::kOptimization);
  EXPECT_EQ(rule.messages.at(0).text,
            "Memory is more heavily utilized than Compute: look at the DRAM bottleneck.");
  ASSERT_TRUE(rule.speedup.has_value());
  EXPECT_EQ(rule.speedup->percent, 22.65);
  EXPECT_EQ(profile.launches[0].nvidia_rules[1].messages.at(0).text, "Check the tables.");
  EXPECT_GT(profile.bytes.used, good(kDetails).bytes.used);
}

TEST(NcuText, LayoutOfOlderVersions) {
  const Profile profile = good(kOld);
  ASSERT_EQ(profile.launches.size(), 1U);
  EXPECT_EQ(profile.launches[0].name, "add(int, float*, float*)");
  EXPECT_FALSE(profile.launches[0].grid.has_value());
  EXPECT_EQ(value(profile, 0, "dram__cycles_elapsed.avg.per_second"), Value(1.11e9));
  EXPECT_EQ(unit(profile, "dram__cycles_elapsed.avg.per_second"), "hz");
  EXPECT_EQ(value(profile, 0, "gpu__time_duration.sum"), Value(13890.0));
  EXPECT_EQ(value(profile, 0, "lts__throughput.avg.pct_of_peak_sustained_elapsed"), Value(60.91));
  EXPECT_EQ(value(profile, 0, "launch__func_cache_config"), Value("cudaFuncCachePreferNone"));
  EXPECT_TRUE(profile.notes.empty());
}

TEST(NcuText, RawPage) {
  ReadOptions options;
  options.instances = true;
  const Profile profile = good(kRaw, options);
  ASSERT_EQ(profile.launches.size(), 2U);
  EXPECT_EQ(value(profile, 0, "device__attribute_display_name"), Value("NVIDIA H200"));
  EXPECT_EQ(value(profile, 0, "dram__bytes.sum"), Value(517.45e6));
  EXPECT_EQ(value(profile, 0, "launch__kernel_name"), Value());
  EXPECT_EQ(value(profile, 0, "ops__peak_sustained_elapsed.per_second"), Value(130253202694222.48));
  EXPECT_EQ(value(profile, 0, "smsp__long_name_that_fills_its_column_so_that_it_goes_on.avg"),
            Value(12.5));
  EXPECT_EQ(value(profile, 0, "inst_executed"), Value(std::uint64_t{1056}));
  const Metric* executed = profile.launches[0].find(*profile.metric_names.find("inst_executed"));
  ASSERT_NE(executed->instances, nullptr);
  EXPECT_EQ(executed->instances->values, Column(std::vector<std::uint64_t>{32, 32, 992}));
  EXPECT_EQ(value(profile, 1, "inst_executed"), Value(std::uint64_t{7}));
  EXPECT_TRUE(profile.notes.empty());
  EXPECT_EQ(profile.bytes.skipped, 0U);
}

TEST(NcuText, AllDetails) {
  const std::string_view text =
      R"(    Section: GPU Speed Of Light Roofline Chart
    GPU Throughput Rooflines
    Table Name : Floating Point Operations Roofline
    Single Precision Roofline
    Peak Work
    ------------ ----------- ------------
    Metric Name  Metric Unit Metric Value
    ------------ ----------- ------------
    SM Frequency         Ghz         1.99
    ------------ ----------- ------------

    Single Precision Achieved Value
    Achieved Work
    ------------ ----------- ------------
    Metric Name  Metric Unit Metric Value
    ------------ ----------- ------------
    SM Frequency         Ghz         1.98
    ------------ ----------- ------------

    Section: NUMA Affinity
    Table Name : NUMA Affinity
    ------ ----------- ----------------------- ------------ --------------------------
    GPU ID GPU Name    NUMA ID by CPU Affinity CPU Affinity NUMA ID by Memory Affinity
    ------ ----------- ----------------------- ------------ --------------------------
         0 NVIDIA H200                       0         0-15                          0
    ------ ----------- ----------------------- ------------ --------------------------

)";
  const Profile profile = good(text);
  ASSERT_EQ(profile.launches.size(), 1U);
  EXPECT_EQ(value(profile, 0, "sm__cycles_elapsed.avg.per_second"), Value(1.99e9));
  EXPECT_EQ(value(profile, 0, "smsp__cycles_elapsed.avg.per_second"), Value(1.98e9));
  EXPECT_EQ(profile.launches[0].metrics.size(), 2U);
  EXPECT_TRUE(profile.notes.empty());
}

TEST(NcuText, SummaryOverLaunches) {
  const std::string_view text =
      R"([9] a.out@127.0.0.1
  Device 0, CC 8.6
    multi(int) (32, 32, 1)x(32, 1, 1), Invocations 10
      Section: GPU Speed Of Light Throughput
      -------------- ------------- ------------ ------------ ------------
      Metric Name      Metric Unit      Minimum      Maximum      Average
      -------------- ------------- ------------ ------------ ------------
      DRAM Frequency cycle/nsecond         6.24         6.25         6.24
      Elapsed Cycles         cycle 3,796,248.00 3,798,246.00 3,797,418.40
      -------------- ------------- ------------ ------------ ------------

)";
  ReadOptions options;
  options.instances = true;
  const Profile profile = good(text, options);
  ASSERT_EQ(profile.launches.size(), 1U);
  EXPECT_EQ(profile.launches[0].name, "multi(int)");
  EXPECT_EQ(profile.launches[0].compute_capability, "8.6");
  EXPECT_EQ(value(profile, 0, "gpc__cycles_elapsed.max"), Value(3797418.4));
  const Metric* cycles =
      profile.launches[0].find(*profile.metric_names.find("gpc__cycles_elapsed.max"));
  EXPECT_EQ(cycles->instances->values, Column(std::vector<double>{3796248, 3798246}));
  ASSERT_EQ(profile.notes.size(), 1U);
  EXPECT_EQ(profile.notes[0].kind, NoteKind::kInfo);
}

TEST(NcuText, APieceWithoutProcessAndKernel) {
  const std::string_view text =
      R"(Section: Occupancy
------------------ ----------- ------------
Metric Name        Metric Unit Metric Value
------------------ ----------- ------------
Block Limit SM           block           32
Achieved Occupancy           %        92.48  <-- here
------------------ ----------- ------------
)";
  const Profile profile = good(text);
  ASSERT_EQ(profile.launches.size(), 1U);
  EXPECT_EQ(profile.launches[0].name, "");
  EXPECT_EQ(profile.processes.size(), 1U);
  EXPECT_EQ(value(profile, 0, "sm__warps_active.avg.pct_of_peak_sustained_active"), Value(92.48));
  // The same section again is of another kernel.
  EXPECT_EQ(good(std::string(text) + "\n" + std::string(text)).launches.size(), 2U);
}

TEST(NcuText, LinesThatLostTheirColumns) {
  const std::string_view text =
      R"(    Section: Command line profiler metrics
    ---------------------------- ----------- ------------
    Metric Name                  Metric Unit Metric Value
    ---------------------------- ----------- ------------
l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio sector 2.06
  dram__bytes.sum Mbyte 5.5
  gpu__cycles.max                              1,000
    ---------------------------- ----------- ------------
)";
  const Profile profile = good(text);
  EXPECT_EQ(
      value(profile, 0, "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"),
      Value(2.06));
  EXPECT_EQ(value(profile, 0, "dram__bytes.sum"), Value(5.5e6));
  EXPECT_EQ(value(profile, 0, "gpu__cycles.max"), Value(std::uint64_t{1000}));
}

TEST(NcuText, PastedIntoAComment) {
  std::string text;
  for (std::size_t at = 0; at < kOld.size();) {
    const std::size_t end = kOld.find('\n', at);
    text.append("// ").append(kOld.substr(at, end - at)).append("\n");
    at = end + 1;
  }
  const Profile profile = good("int main() {}\n" + text);
  ASSERT_EQ(profile.launches.size(), 1U);
  EXPECT_EQ(profile.launches[0].metrics.size(), good(kOld).launches[0].metrics.size());
}

TEST(NcuText, CarriageReturnsAndByteOrderMark) {
  std::string text = "\xef\xbb\xbf";
  for (const char c : kDetails) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const Profile profile = good(text);
  ASSERT_EQ(profile.launches.size(), 2U);
  EXPECT_EQ(profile.launches[1].compute_capability, "9.0");
  EXPECT_EQ(value(profile, 0, "gpu__time_duration.sum"), Value(139070.0));
  EXPECT_EQ(losses(profile), 0U);
}

TEST(NcuText, DecimalComma) {
  const std::string_view text =
      R"(  addMatrix(int*), 2021-Mar-29 21:11:57, Context 1, Stream 7
    Section: Command line profiler metrics
    ---------------------------------------------------------------------- --------------- ------------------------------
    smsp__warp_issue_stalled_drain_per_warp_active.pct                                   %                           2,75
    smsp__inst_executed.sum                                                           inst                          1.234
    ---------------------------------------------------------------------- --------------- ------------------------------
)";
  const Profile profile = good(text);
  EXPECT_EQ(value(profile, 0, "smsp__warp_issue_stalled_drain_per_warp_active.pct"), Value(2.75));
  EXPECT_EQ(value(profile, 0, "smsp__inst_executed.sum"), Value(std::uint64_t{1234}));
}

TEST(NcuText, ProgramOutputWithinATable) {
  std::string text(kDetails);
  text.insert(text.find("    Duration"), "==PROF== Profiling \"x\" - 1: 0%\n");
  const Profile profile = good(text);
  EXPECT_EQ(value(profile, 0, "gpu__time_duration.sum"), Value(139070.0));
  EXPECT_EQ(losses(profile), 0U);
}

TEST(NcuText, HostileNamesAreKept) {
  using namespace std::string_view_literals;
  for (const std::string_view name :
       {"</script>(int)"sv, "\x1b[2J\x07(int)"sv, "a\0b(int)"sv, "\xff\xfe(int)"sv, "[1] x@y"sv,
        "k, Context 9"sv, "f(int)x(2, 3, 4)"sv, "-- --"sv}) {
    std::string text(kDetails);
    const std::string_view old_name = "copy4(const float4 *, float4 *, unsigned long)";
    text.replace(text.find(old_name), old_name.size(), name);
    const Profile profile = good(text);
    EXPECT_EQ(profile.launches.size(), 2U) << name;
    EXPECT_EQ(value(profile, 0, "gpu__time_duration.sum"), Value(139070.0)) << name;
  }
}

TEST(NcuText, TruncatedAnywhere) {
  for (const std::string_view text : {kDetails, kOld, kRaw}) {
    for (std::size_t size = 0; size < text.size(); ++size) {
      const Outcome outcome = read(text.substr(0, size));
      EXPECT_TRUE(!outcome.error || outcome.error->kind == ErrorKind::kInput);
    }
  }
}

TEST(NcuText, ACutTableIsALoss) {
  const std::size_t row = kDetails.find("    Duration");
  const Outcome between = read(kDetails.substr(0, row));
  EXPECT_EQ(losses(between.profile), 1U);
  EXPECT_EQ(between.profile.launches.at(0).metrics.size(), 3U);
  ASSERT_EQ(between.profile.notes.size(), 1U);
  EXPECT_EQ(between.profile.notes[0].place, "line 13");

  const Outcome within = read(kDetails.substr(0, kDetails.find("139.07") + 3));
  EXPECT_EQ(losses(within.profile), 2U);
  EXPECT_EQ(within.profile.launches.at(0).metrics.size(), 3U);

  const Outcome raw = read(kRaw.substr(0, kRaw.find("NVIDIA H200") + 6));
  EXPECT_TRUE(raw.error.has_value());
  const Outcome second = read(kRaw.substr(0, kRaw.find("517.45") + 3));
  EXPECT_EQ(losses(second.profile), 2U);
  EXPECT_EQ(second.profile.launches.at(0).metrics.size(), 1U);
  const Outcome raw_between = read(kRaw.substr(0, kRaw.find("  inst_executed")));
  EXPECT_EQ(losses(raw_between.profile), 1U);
  EXPECT_EQ(raw_between.profile.launches.at(0).metrics.size(), 2U);
}

TEST(NcuText, AKernelWithoutTablesIsALoss) {
  const Outcome outcome = read(kDetails.substr(0, kDetails.find("    Section: Launch Statistics")));
  EXPECT_EQ(outcome.profile.launches.size(), 1U);
  EXPECT_EQ(losses(outcome.profile), 1U);
}

TEST(NcuText, ALineThatIsTooLong) {
  const std::string text = std::string(kDetails) + "    " + std::string(17U << 20U, 'x') + "\n";
  EXPECT_EQ(losses(good(text)), 1U);
}

TEST(NcuText, OnlyProgressNamesTheReport) {
  const std::string_view text =
      "==PROF== Connected to process 1 (/p)\n==PROF== Profiling \"k\" - 0: 0%....100% - 1 pass\n"
      "==PROF== Disconnected from process 1\n==PROF== Report: /tmp/run.ncu-rep\n";
  ASSERT_TRUE(ncu_text().sniff(text));
  const Outcome outcome = read(text);
  ASSERT_TRUE(outcome.error.has_value());
  EXPECT_EQ(outcome.error->kind, ErrorKind::kInput);
  EXPECT_NE(outcome.error->message.find("test.log"), std::string::npos);
  EXPECT_NE(outcome.error->message.find("/tmp/run.ncu-rep"), std::string::npos);
  EXPECT_NE(outcome.error->message.find("pass that file"), std::string::npos);
}

TEST(NcuText, OnlyProgressQuotesTheError) {
  const Outcome outcome =
      read("==PROF== Connected to process 1 (/p)\n==ERROR== ERR_NVGPUCTRPERM - no\x1b\n");
  ASSERT_TRUE(outcome.error.has_value());
  EXPECT_NE(outcome.error->message.find("ERR_NVGPUCTRPERM"), std::string::npos);
  EXPECT_EQ(outcome.error->message.find('\x1b'), std::string::npos);
}

TEST(NcuText, WrongInput) {
  using namespace std::string_view_literals;
  for (const std::string_view text :
       {""sv, "\n"sv, "Section: a heading\nsome text\n"sv, "| a | b |\n|---|---|\n"sv,
        "NVR\0==PROF== \n"sv, "x ==PROF== in the middle\n"sv, "--- --- ---\n"sv, "{\"a\": 1}"sv}) {
    EXPECT_FALSE(ncu_text().sniff(text)) << text;
    EXPECT_TRUE(read(text).error.has_value()) << text;
  }
}

TEST(NcuText, ScaledAndBaseUnitsAreEqual) {
  std::string base(kDetails);
  const auto replace = [&base](std::string_view from, std::string_view to) {
    base.replace(base.find(from), from.size(), to);
  };
  replace(" us       139.07", " ns      139,070");
  replace("Ghz         1.97", " hz 1.970000e+09");
  const Profile scaled = good(kDetails);
  const Profile plain = good(base);
  for (const std::string_view name :
       {"gpu__time_duration.sum", "gpc__cycles_elapsed.avg.per_second"}) {
    EXPECT_EQ(as_number(value(scaled, 0, name)), as_number(value(plain, 0, name)));
    EXPECT_EQ(unit(scaled, name), unit(plain, name));
  }
}

TEST(NcuText, TimeIsLinear) {
  std::string text = "    Section: S\n    ------ ------ -----\n";
  while (text.size() < (1U << 20U)) text += "    L       %        1\n";
  const Outcome outcome = read(text);
  EXPECT_EQ(losses(outcome.profile), 1U);

  std::string items;
  while (items.size() < (1U << 20U)) items += ", Context 1";
  EXPECT_TRUE(read("==PROF== \n" + items).error.has_value());
}

}  // namespace
}  // namespace proofline::ncu_text_test

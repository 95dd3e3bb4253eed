// SPDX-License-Identifier: Apache-2.0
//
// ncu's CSV: both pages, older column sets, foreign text around the table, damage at every offset.
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

namespace proofline::ncu_csv_test {
namespace {

constexpr std::string_view kIdentity =
    R"csv("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC")csv";

std::string launch(int id, std::string_view kernel = "scale(float *, int)") {
  return "\"" + std::to_string(id) + "\",\"525\",\"p\",\"127.0.0.1\",\"" + std::string(kernel) +
         R"csv(","1","7","(128, 1, 1)","(40, 2, 1)","0","9.0")csv";
}

std::string wide(std::string_view units, std::string_view first, std::string_view second) {
  return std::string(kIdentity) +
         R"(,"dram__bytes.sum","gpu__time_duration.sum","launch__func_cache_config","sm__throughput.avg.pct_of_peak_sustained_elapsed")" +
         "\n\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\"," + std::string(units) + "\n" +
         launch(0) + std::string(first) + "\n" + launch(1, "void ns::copy<4>(int)") +
         std::string(second) + "\n";
}

std::string wide_table() {
  return wide(R"("Kbyte","us","","%")", R"(,"1,234.500000","12.5","CachePreferNone","50")",
              R"(,"8.192","7","","nan")");
}

std::string base_table() {
  return wide(R"("byte","ns","","%")", R"(,"1,234,500","12,500","CachePreferNone","50")",
              R"(,"8,192","7,000","no data","n/a")");
}

constexpr std::string_view kDetails =
    R"csv(,"Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description","Estimated Speedup Type","Estimated Speedup")csv";

std::string long_row(int id, std::string_view section, std::string_view label,
                     std::string_view unit, std::string_view value) {
  std::string row = launch(id);
  for (const std::string_view field : {section, label, unit, value}) {
    row.append(",\"").append(field).append("\"");
  }
  return row + ",\n";
}

std::string long_table() {
  return std::string(kIdentity) + std::string(kDetails) + "\n" +
         long_row(0, "GPU Speed Of Light Throughput", "Memory Throughput", "%", "61.84") +
         long_row(0, "GPU Speed Of Light Throughput", "Duration", "us", "139.07") +
         long_row(0, "Memory Workload Analysis", "Memory Throughput", "Gbyte/s", "198.30") +
         long_row(0, "My Section", "My Label", "", "5") + launch(0) +
         R"csv(,"SpeedOfLight","","","","SOLBottleneck","OPT","Use ""shared"" memory,)csv" + "\n" +
         R"csv(more of it.","global","12.50")csv" + "\n" +
         long_row(1, "GPU Speed Of Light Throughput", "Duration", "ns", "2,848");
}

using test_support::losses;
using test_support::Outcome;
using test_support::unit;
using test_support::value;

Outcome read(std::string_view text, const ReadOptions& options = {}) {
  return test_support::read_with(ncu_csv(), "test.csv", text, options);
}

Profile good(std::string_view text, const ReadOptions& options = {}) {
  Outcome outcome = read(text, options);
  EXPECT_FALSE(outcome.error.has_value()) << outcome.error->message;
  return std::move(outcome.profile);
}

TEST(NcuCsv, WidePage) {
  const Profile profile = good(base_table());
  ASSERT_EQ(profile.launches.size(), 2U);
  EXPECT_EQ(value(profile, 0, "dram__bytes.sum"), Value(std::uint64_t{1234500}));
  EXPECT_EQ(unit(profile, "dram__bytes.sum"), "byte");
  EXPECT_EQ(value(profile, 0, "launch__func_cache_config"), Value("CachePreferNone"));
  EXPECT_EQ(value(profile, 1, "launch__func_cache_config"), Value());
  EXPECT_EQ(value(profile, 1, "sm__throughput.avg.pct_of_peak_sustained_elapsed"), Value());
  EXPECT_TRUE(profile.notes.empty());
  EXPECT_EQ(good(wide_table()).notes.at(0).what, "values that are not finite are taken as absent");
}

TEST(NcuCsv, Identity) {
  const Profile profile = good(base_table());
  const Launch& second = profile.launches.at(1);
  EXPECT_EQ(second.name, "void ns::copy<4>(int)");
  EXPECT_EQ(second.function, "copy");
  EXPECT_EQ(second.block, Dim3({128, 1, 1}));
  EXPECT_EQ(second.grid, Dim3({40, 2, 1}));
  EXPECT_EQ(second.context, 1U);
  EXPECT_EQ(second.stream, 7U);
  EXPECT_EQ(second.device, 0U);
  EXPECT_EQ(second.compute_capability, "9.0");
  ASSERT_EQ(profile.processes.size(), 1U);
  EXPECT_EQ(profile.processes[0].pid, 525U);
  EXPECT_EQ(profile.processes[0].name, "p");
  EXPECT_EQ(profile.processes[0].host, "127.0.0.1");
}

TEST(NcuCsv, ScaledUnitsGiveTheValuesOfBaseUnits) {
  const Profile scaled = good(wide_table());
  const Profile base = good(base_table());
  for (const std::string_view name : {"dram__bytes.sum", "gpu__time_duration.sum"}) {
    EXPECT_EQ(unit(scaled, name), unit(base, name));
    for (const std::size_t index : {0U, 1U}) {
      EXPECT_EQ(as_number(value(scaled, index, name)), as_number(value(base, index, name))) << name;
    }
  }
}

TEST(NcuCsv, WithoutTheRowOfUnitsTheNamesTell) {
  std::string text = base_table();
  const std::size_t start = text.find("\n\"\",") + 1;
  text.erase(start, text.find('\n', start) + 1 - start);
  const Profile profile = good(text);
  EXPECT_EQ(unit(profile, "dram__bytes.sum"), "byte");
  EXPECT_EQ(unit(profile, "gpu__time_duration.sum"), "ns");
  ASSERT_EQ(profile.notes.size(), 1U);
  EXPECT_EQ(profile.notes[0].kind, NoteKind::kInfo);
  EXPECT_EQ(profile.notes[0].place, "line 1");
}

TEST(NcuCsv, InstancesOnlyWhenAskedFor) {
  std::string text(kIdentity);
  text += ",\"inst_executed\",\"launch__tpc_enabled\",\"numa__cpu_affinity\"\n" + launch(0) +
          ",\"1,056 (32; 1,024; 0)\",\"all (all)\",\"(0.5; 1)\"\n";
  const Profile without = good(text);
  EXPECT_EQ(value(without, 0, "inst_executed"), Value(std::uint64_t{1056}));
  EXPECT_TRUE(without.launches[0].metrics[0].has_instances);
  EXPECT_EQ(without.launches[0].metrics[0].instances, nullptr);

  ReadOptions options;
  options.instances = true;
  const Profile with = good(text, options);
  const Instances& executed = *with.launches[0].metrics[0].instances;
  EXPECT_EQ(executed.values, Column(std::vector<std::uint64_t>{32, 1024, 0}));
  EXPECT_EQ(value(with, 0, "launch__tpc_enabled"), Value("all"));
  EXPECT_EQ(value(with, 0, "numa__cpu_affinity"), Value());
  EXPECT_EQ(with.launches[0].metrics[2].instances->values, Column(std::vector<double>{0.5, 1}));
}

TEST(NcuCsv, LongPageFindsMetricsByLabelAndSection) {
  const Profile profile = good(long_table());
  ASSERT_EQ(profile.launches.size(), 2U);
  EXPECT_EQ(value(profile, 0, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"),
            Value(61.84));
  EXPECT_EQ(value(profile, 0, "dram__bytes.sum.per_second"), Value(198.3e9));
  EXPECT_EQ(value(profile, 0, "gpu__time_duration.sum"), Value(139070.0));
  EXPECT_EQ(value(profile, 1, "gpu__time_duration.sum"), Value(std::uint64_t{2848}));
  EXPECT_EQ(unit(profile, "gpu__time_duration.sum"), "ns");
}

TEST(NcuCsv, UnknownLabelsAreKeptAndCounted) {
  const Profile profile = good(long_table());
  EXPECT_EQ(value(profile, 0, "My Section/My Label"), Value(std::uint64_t{5}));
  ASSERT_EQ(profile.notes.size(), 1U);
  EXPECT_EQ(profile.notes[0].kind, NoteKind::kInfo);
  EXPECT_EQ(profile.notes[0].count, 1U);
}

TEST(NcuCsv, ALabelThatContradictsIsKeptBesides) {
  const std::string text = std::string(kIdentity) + std::string(kDetails) + "\n" +
                           long_row(0, "Launch Statistics", "Achieved Occupancy", "%", "50.00") +
                           long_row(0, "Occupancy", "Achieved Occupancy", "%", "50.00") +
                           long_row(0, "Occupancy", "Achieved Occupancy", "%", "60.00") +
                           long_row(0, "Occupancy", "Achieved Occupancy", "%", "70.00");
  const Profile profile = good(text);
  EXPECT_EQ(value(profile, 0, "sm__warps_active.avg.pct_of_peak_sustained_active"), Value(50.0));
  EXPECT_EQ(value(profile, 0, "Occupancy/Achieved Occupancy"), Value(60.0));
  EXPECT_EQ(value(profile, 0, "Occupancy/Achieved Occupancy#2"), Value(70.0));
}

TEST(NcuCsv, LabelsThatMovedBetweenVersions) {
  const std::string header = std::string(kIdentity) + std::string(kDetails) + "\n";
  const std::string busy = long_row(0, "Compute Workload Analysis", "SM Busy", "%", "10.00");
  const std::string memory = long_row(0, "Memory Workload Analysis", "Mem Busy", "%", "20.00");
  const std::string spills =
      long_row(0, "Memory Workload Analysis", "Local Memory Spilling Requests", "", "0");
  const std::string stem = "sm__instruction_throughput.avg.pct_of_peak_sustained_";
  EXPECT_EQ(value(good(header + busy + memory), 0, stem + "active"), Value(10.0));
  EXPECT_EQ(value(good(header + busy + memory + spills), 0, stem + "elapsed"), Value(10.0));
  EXPECT_EQ(value(good(header + busy), 0, "Compute Workload Analysis/SM Busy"), Value(10.0));
}

TEST(NcuCsv, BodyTablesOfAllDetails) {
  const std::string text =
      std::string(kIdentity) +
      R"csv(,"Section Name","Body Item Label","Metric Name","Metric Unit","Metric Value")csv" +
      "\n" + launch(0) +
      R"csv(,"GPU Speed Of Light Throughput","Memory Throughput Breakdown","L2: T Sectors","%","38.65",)csv" +
      "\n" + launch(0) +
      R"csv(,"Compute Workload Analysis","Pipe Utilization (% of active cycles)","ALU","%","1.5",)csv" +
      "\n" + launch(0) +
      R"csv(,"GPU and Memory Workload Distribution","Workload Distribution","SM Active Cycles","cycle","2.5",)csv" +
      "\n" + launch(0) +
      R"csv(,"GPU and Memory Workload Distribution","Workload Distribution","SM Active Cycles","cycle","3",)csv" +
      "\n" + "\"GPU ID\",\"GPU Name\"\n\"0\",\"NVIDIA H200\"\n" + launch(0) +
      R"csv(,"Warp State Statistics","Warp State (All Cycles)","Stall LG Throttle","inst","0.25",)csv" +
      "\n";
  const Profile profile = good(text);
  ASSERT_EQ(profile.launches.size(), 1U);
  EXPECT_EQ(value(profile, 0, "lts__t_sectors.avg.pct_of_peak_sustained_elapsed"), Value(38.65));
  EXPECT_EQ(value(profile, 0, "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_active"),
            Value(1.5));
  EXPECT_EQ(value(profile, 0, "sm__cycles_active.avg"), Value(2.5));
  EXPECT_EQ(value(profile, 0, "sm__cycles_active.max"), Value(std::uint64_t{3}));
  EXPECT_EQ(
      value(profile, 0, "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio"),
      Value(0.25));
  EXPECT_TRUE(profile.notes.empty());
}

TEST(NcuCsv, RulesOnlyWhenAskedFor) {
  EXPECT_TRUE(good(long_table()).launches[0].nvidia_rules.empty());
  ReadOptions options;
  options.nvidia_rules = true;
  const Profile profile = good(long_table(), options);
  ASSERT_EQ(profile.launches[0].nvidia_rules.size(), 1U);
  const NvidiaRule& rule = profile.launches[0].nvidia_rules[0];
  EXPECT_EQ(rule.id, "SOLBottleneck");
  EXPECT_EQ(rule.section, "SpeedOfLight");
  ASSERT_EQ(rule.messages.size(), 1U);
  EXPECT_EQ(rule.messages[0].kind, RuleMessageKind::kOptimization);
  EXPECT_EQ(rule.messages[0].text, "Use \"shared\" memory,\nmore of it.");
  ASSERT_TRUE(rule.speedup.has_value());
  EXPECT_TRUE(rule.speedup->global);
  EXPECT_EQ(rule.speedup->percent, 12.5);
}

TEST(NcuCsv, ColumnsOfNcu2020) {
  const std::string_view text =
      R"csv("ID","Process ID","Process Name","Host Name","Kernel Name","Kernel Time","Context","Stream","Section Name","Metric Name","Metric Unit","Metric Value"

"0","21524","cfd","127.0.0.1","step(int,float*)","2020-Apr-07 17:01:05","1","7","GPU Speed Of Light","Memory Frequency","cycle/second","772656250"
"0","21524","cfd","127.0.0.1","step(int,float*)","2020-Apr-07 17:01:05","1","7","GPU Speed Of Light","Duration","nsecond","8992"
"0","21524","cfd","127.0.0.1","step(int,float*)","2020-Apr-07 17:01:05","1","7","GPU Speed Of Light","SOL SM","%","3.5"
)csv";
  const Profile profile = good(text);
  ASSERT_EQ(profile.launches.size(), 1U);
  EXPECT_EQ(profile.launches[0].function, "step");
  EXPECT_FALSE(profile.launches[0].grid.has_value());
  EXPECT_EQ(unit(profile, "dram__cycles_elapsed.avg.per_second"), "hz");
  EXPECT_EQ(value(profile, 0, "gpu__time_duration.sum"), Value(std::uint64_t{8992}));
  EXPECT_EQ(value(profile, 0, "sm__throughput.avg.pct_of_peak_sustained_elapsed"), Value(3.5));
}

TEST(NcuCsv, NvtxColumns) {
  const std::string_view text =
      R"csv("ID","Process ID","Process Name","Host Name","thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg","Id:Domain:Start/Stop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg","Kernel Name","inst_executed"
"0","9","p","h","77  ""<default domain>:step:none:none:RGB:0xff00ff00:ASCII:step""  ""mine:a:b:c"" "," ""3:<default domain>:all:none:none:none:none:none:none"" ","k","5"
)csv";
  const Profile profile = good(text);
  const auto& ranges = profile.launches.at(0).nvtx;
  ASSERT_EQ(ranges.size(), 3U);
  EXPECT_EQ(ranges[0].domain, "");
  EXPECT_EQ(ranges[0].name, "step");
  EXPECT_EQ(ranges[0].thread, 77U);
  ASSERT_TRUE(ranges[0].attributes.has_value());
  EXPECT_EQ(ranges[0].attributes->argb, 0xff00ff00U);
  EXPECT_EQ(ranges[0].attributes->message, "step");
  EXPECT_EQ(ranges[1].domain, "mine");
  EXPECT_FALSE(ranges[2].push_pop);
  EXPECT_EQ(ranges[2].id, 3U);
}

TEST(NcuCsv, SummaryOverLaunches) {
  const std::string_view text =
      R"csv("Process ID","Process Name","Host Name","Kernel Name","Block Size","Grid Size","Device","CC","Invocations","Section Name","Metric Name","Metric Unit","Minimum","Maximum","Average"
"9","p","h","k(int)","(1, 1, 1)","(2, 1, 1)","0","9.0","14","Occupancy","Achieved Occupancy","%","70.00","80.00","75.00"
"9","p","h","k(int)","(4, 1, 1)","(2, 1, 1)","0","9.0","14","Occupancy","Achieved Occupancy","%","7.00","8.00","7.50"
)csv";
  ASSERT_TRUE(ncu_csv().sniff(text));
  ReadOptions options;
  options.instances = true;
  const Profile profile = good(text, options);
  ASSERT_EQ(profile.launches.size(), 2U);
  EXPECT_EQ(value(profile, 1, "sm__warps_active.avg.pct_of_peak_sustained_active"), Value(7.5));
  EXPECT_EQ(profile.launches[0].metrics[0].instances->values, Column(std::vector<double>{70, 80}));
}

TEST(NcuCsv, DecimalComma) {
  const std::string text =
      std::string(kIdentity) + std::string(kDetails) + "\n" +
      long_row(0, "Command line profiler metrics", "gpu__time_duration.sum", "ns", "117.344") +
      long_row(0, "Command line profiler metrics", "sm__throughput.avg.pct", "%", "65,77");
  const Profile profile = good(text);
  EXPECT_EQ(value(profile, 0, "gpu__time_duration.sum"), Value(std::uint64_t{117344}));
  EXPECT_EQ(value(profile, 0, "sm__throughput.avg.pct"), Value(65.77));
  ASSERT_EQ(profile.notes.size(), 1U);
  EXPECT_EQ(profile.notes[0].kind, NoteKind::kInfo);
}

TEST(NcuCsv, ForeignTextIsSkippedWithoutLoss) {
  const std::string clean = long_table();
  const std::size_t row = clean.find("\n\"1\",") + 1;
  const std::string before = "==PROF== Connected to process 525 (/p)\nresult: \"12\", ok\n";
  const std::string between = "late output, 5%\n\n\"quoted\",\"line\"\n";
  const std::string after = "==PROF== Disconnected from process 525\nbye";
  const std::string text = before + clean.substr(0, row) + between + clean.substr(row) + after;
  const Profile profile = good(text);
  const Profile expected = good(clean);
  EXPECT_EQ(profile.launches.size(), expected.launches.size());
  EXPECT_EQ(profile.bytes.used, expected.bytes.used);
  EXPECT_EQ(losses(profile), 0U);
}

TEST(NcuCsv, ByteOrderMarkAndCarriageReturns) {
  std::string text = "\xef\xbb\xbf";
  for (const char c : base_table()) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  ASSERT_TRUE(ncu_csv().sniff(text));
  const Profile profile = good(text);
  ASSERT_EQ(profile.launches.size(), 2U);
  EXPECT_EQ(unit(profile, "sm__throughput.avg.pct_of_peak_sustained_elapsed"), "%");
  EXPECT_EQ(losses(profile), 0U);
}

TEST(NcuCsv, WithoutQuotesAsSpreadsheetsSaveIt) {
  const std::string_view text =
      "ID,Process ID,Process Name,Host Name,Kernel Name,Context,dram__bytes.sum,inst_executed\n"
      ",,,,,,Kbyte,inst\n"
      "0,525,p,h,\"f(int, int)\",1,2.5,\"1,000\"\n"
      "program output, 3\n"
      "1,525,p,h,g(int),1,3,7\n";
  ASSERT_TRUE(ncu_csv().sniff(text));
  const Profile profile = good(text);
  ASSERT_EQ(profile.launches.size(), 2U);
  EXPECT_EQ(profile.launches[0].name, "f(int, int)");
  EXPECT_EQ(value(profile, 0, "dram__bytes.sum"), Value(2500.0));
  EXPECT_EQ(value(profile, 0, "inst_executed"), Value(std::uint64_t{1000}));
  EXPECT_EQ(losses(profile), 0U);
}

TEST(NcuCsv, SeveralTablesInOneFile) {
  const Profile profile = good(base_table() + "second run\n" + base_table());
  EXPECT_EQ(profile.launches.size(), 4U);
  EXPECT_EQ(profile.processes.size(), 1U);
}

TEST(NcuCsv, HostileNamesAreKept) {
  using namespace std::string_view_literals;
  for (const std::string_view name :
       {"</script><script>alert(1)</script>"sv, "\x1b[2J\x07"sv, "a\0b"sv, "\xff\xfe\x80"sv,
        "=cmd|' /C calc'!A0"sv, "line\nbreak"sv, "f(\n\"\"1\"\",\"\"2\"\",\n)"sv}) {
    const std::string text =
        std::string(kIdentity) + ",\"inst_executed\"\n" + launch(0, name) + ",\"5\"\n";
    const Profile profile = good(text);
    ASSERT_EQ(profile.launches.size(), 1U) << name;
    EXPECT_EQ(profile.launches[0].name.size(),
              name.find("\"\"") == std::string_view::npos ? name.size() : name.size() - 4);
    EXPECT_EQ(value(profile, 0, "inst_executed"), Value(std::uint64_t{5})) << name;
  }
  const std::string long_name(10U << 20U, 'x');
  EXPECT_EQ(
      good(std::string(kIdentity) + ",\"inst_executed\"\n" + launch(0, long_name) + ",\"5\"\n")
          .launches.at(0)
          .name,
      long_name);
}

TEST(NcuCsv, TruncatedAnywhere) {
  for (const std::string& text : {wide_table(), long_table()}) {
    const std::size_t header_end = text.find('\n') + 1;
    for (std::size_t size = 0; size < text.size(); ++size) {
      const Outcome outcome = read(std::string_view(text).substr(0, size));
      if (outcome.error) {
        EXPECT_EQ(outcome.error->kind, ErrorKind::kInput);
        continue;
      }
      EXPECT_GE(size, header_end);
      // Only a cut between rows cannot be told; a metric's row ends with a comma of no use.
      const std::string rest = text.substr(size, text.find('\n', size) - size);
      const bool between = text[size - 1] == '\n' || rest.empty() || rest == ",";
      EXPECT_TRUE(between || losses(outcome.profile) == 1) << text.substr(0, size);
    }
  }
}

TEST(NcuCsv, ALostQuoteCostsOneRow) {
  std::string text = base_table();
  text.erase(text.find("\"CachePreferNone"), 1);  // plain text now: nothing is lost
  EXPECT_EQ(good(text).launches.size(), 2U);

  text = base_table();
  text.erase(text.find("one\",\"50\"") + 3, 1);
  const Profile profile = good(text);
  ASSERT_EQ(profile.launches.size(), 2U);
  EXPECT_EQ(losses(profile), 1U);
  EXPECT_EQ(profile.notes[0].place, "line 3");
  EXPECT_EQ(value(profile, 1, "dram__bytes.sum"), Value(std::uint64_t{8192}));
}

TEST(NcuCsv, RowsThatDoNotFit) {
  const std::string text = base_table() + launch(2) + ",\"1\",\"2\"\n" + launch(3) +
                           ",\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\"\n";
  const Profile profile = good(text);
  EXPECT_EQ(losses(profile), 2U);
  EXPECT_EQ(profile.launches.size(), 3U);
}

TEST(NcuCsv, ALineThatIsTooLong) {
  const std::string text = base_table() + launch(2, std::string(17U << 20U, 'x')) + ",\"1\"\n" +
                           launch(3) + ",\"1\",\"2\",\"3\",\"4\"\n";
  const Profile profile = good(text);
  EXPECT_EQ(profile.launches.size(), 3U);
  EXPECT_EQ(losses(profile), 1U);
}

TEST(NcuCsv, NoKernels) {
  const Outcome outcome = read(std::string(kIdentity) + ",\"inst_executed\"\n\"\",\"\",\"\"\n");
  ASSERT_TRUE(outcome.error.has_value());
  EXPECT_EQ(outcome.error->kind, ErrorKind::kInput);
  EXPECT_NE(outcome.error->message.find("test.csv"), std::string::npos);
  EXPECT_NE(outcome.error->message.find("line 1"), std::string::npos);
  EXPECT_NE(outcome.error->message.find("no kernels"), std::string::npos);
}

TEST(NcuCsv, WrongInput) {
  for (const std::string_view text : {"", "\n", "a,b,c\n1,2,3\n", "{\"a\": 1}", "NVR"}) {
    EXPECT_FALSE(ncu_csv().sniff(text)) << text;
    EXPECT_TRUE(read(text).error.has_value()) << text;
  }
}

TEST(NcuCsv, SniffersAreExclusive) {
  for (const std::string& text : {wide_table(), long_table(), "==PROF== x\n" + long_table()}) {
    EXPECT_TRUE(ncu_csv().sniff(text));
    EXPECT_FALSE(ncu_text().sniff(text));
  }
}

TEST(NcuCsv, FoundBelowMoreOutputThanTheSnifferSees) {
  std::string text = "==PROF== Connected to process 1 (/p)\n";
  while (text.size() < 2 * kSniffBytes) text += "output of the program\n";
  const std::string_view prefix = std::string_view(text).substr(0, kSniffBytes);
  ASSERT_FALSE(ncu_csv().sniff(prefix));
  ASSERT_TRUE(ncu_text().sniff(prefix));
  text += base_table();
  auto input = Input::from_memory(text, "test.csv");
  ASSERT_TRUE(input.has_value());
  Profile profile;
  ASSERT_TRUE(ncu_text().read_profile(*input, {}, profile).has_value());
  EXPECT_EQ(profile.format, "ncu-csv");
  EXPECT_EQ(profile.launches.size(), 2U);
  EXPECT_EQ(profile.bytes.total, profile.bytes.used + profile.bytes.skipped);
}

TEST(NcuCsv, TimeIsLinear) {
  std::string quotes = std::string(kIdentity) + ",\"inst_executed\"\n";
  for (int i = 0; i < 20000; ++i) quotes += "\"" + std::to_string(i) + "\",\"1\",\"p\n";
  EXPECT_TRUE(read(quotes).error.has_value());

  std::string labels = std::string(kIdentity) + std::string(kDetails) + "\n";
  for (int i = 0; i < 20000; ++i) labels += long_row(i % 2, "S", "L", "", std::to_string(i));
  EXPECT_EQ(good(labels).launches.size(), 2U);
}

}  // namespace
}  // namespace proofline::ncu_csv_test

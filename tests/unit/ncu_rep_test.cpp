// SPDX-License-Identifier: Apache-2.0
//
// The .ncu-rep reader on reports built here: what it reads, and what it does with every kind of
// damage.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "readers/read_profile.h"
#include "support/report_builder.h"

namespace proofline::ncu_rep_test {
namespace {

using namespace proofline::test_support;  // NOLINT: the builder's words are what these tests are
                                          // made of

const ReadOptions kEverything = {.instances = true, .code = true, .nvidia_rules = true};

Result<Profile> read(const std::string& bytes, const ReadOptions& options = kEverything) {
  auto input = Input::from_memory(bytes, "report");
  if (!input) return tl::make_unexpected(input.error());
  auto profile = read_profile(*input, options);
  if (profile) {
    EXPECT_EQ(profile->bytes.total, bytes.size());
    EXPECT_EQ(profile->bytes.total, profile->bytes.used + profile->bytes.skipped);
  }
  return profile;
}

const Note* loss(const Profile& profile) {
  for (const Note& note : profile.notes) {
    if (note.kind == NoteKind::kLoss) return &note;
  }
  return nullptr;
}

Value value_of(const Profile& profile, const Launch& launch, std::string_view name) {
  const auto id = profile.metric_names.find(name);
  const Metric* metric = id ? launch.find(*id) : nullptr;
  return metric != nullptr ? metric->value : Value{};
}

ReportBlock two_kernels() {
  ReportBlock block;
  block.strings = {"gpu__time_duration.sum", "launch__grid_size"};
  block.kernels = {
      kernel("first").message(13, real_metric(0, 1500.5)).message(13, integer_metric(1, 8)),
      kernel("second").message(13, real_metric(0, 250))};
  return block;
}

TEST(NcuRep, ReadsKernelsWithTheirMetrics) {
  const auto profile = read(report({two_kernels()}));
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->launches.size(), 2U);
  const Launch& first = profile->launches[0];
  EXPECT_EQ(first.name, "first");
  EXPECT_EQ(first.grid, (Dim3{8, 1, 1}));
  EXPECT_EQ(first.block, (Dim3{32, 1, 1}));
  EXPECT_EQ(value_of(*profile, first, "gpu__time_duration.sum"), Value{1500.5});
  EXPECT_EQ(value_of(*profile, first, "launch__grid_size"), Value{std::uint64_t{8}});
  EXPECT_EQ(value_of(*profile, profile->launches[1], "launch__grid_size"), Value{});
  EXPECT_EQ(profile->metric_names[*profile->metric_names.find("gpu__time_duration.sum")].unit,
            "ns");
  EXPECT_TRUE(profile->notes.empty());
}

// ncu's own idea of a numba kernel's function is the end of its ABI tag.
TEST(NcuRep, AnAbiTagIsNoFunction) {
  ReportBlock block;
  block.kernels = {
      Fields()
          .text(6, "v1,cw51cXTLSUwv1sCUt9Uw11Ew]")
          .text(7, "cudapy::__main__::sum[abi:v1,cw51cXTLSUwv1sCUt9Uw11Ew](Array<float>)")};
  const auto profile = read(report({block}));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->launches.at(0).function, "sum");
}

TEST(NcuRep, StringTableGrowsAcrossBlocks) {
  ReportBlock later;
  later.strings = {"sm__cycles_active.avg"};
  later.kernels = {kernel("third").message(13, real_metric(2, 7)).message(13, real_metric(0, 5))};
  const auto profile = read(report({two_kernels(), later}));
  ASSERT_TRUE(profile);
  EXPECT_EQ(value_of(*profile, profile->launches[2], "sm__cycles_active.avg"), Value{7.0});
  EXPECT_EQ(value_of(*profile, profile->launches[2], "gpu__time_duration.sum"), Value{5.0});
}

TEST(NcuRep, KeepsInstancesOnlyWhenAsked) {
  ReportBlock block;
  block.strings = {"inst_executed", "sass__inst_executed_per_opcode"};
  const auto instance = [](const Fields& correlation, std::uint64_t value) {
    return Fields().message(1, correlation).message(2, Fields().integer(5, value));
  };
  block.kernels = {
      kernel("k")
          .message(13, integer_metric(0, 30)
                           .message(3, instance(Fields().integer(5, 0x100), 10))
                           .message(3, instance(Fields().integer(5, 0x110), 20)))
          .message(13, integer_metric(1, 30).message(3, instance(Fields().text(1, "FFMA"), 30)))};
  const auto profile = read(report({block}));
  ASSERT_TRUE(profile);
  const Metric& by_address = profile->launches[0].metrics[0];
  ASSERT_TRUE(by_address.instances);
  EXPECT_EQ(column_size(by_address.instances->values), 2U);
  EXPECT_EQ(column_at(by_address.instances->correlation, 1), Value{std::uint64_t{0x110}});
  EXPECT_EQ(column_at(by_address.instances->values, 1), Value{std::uint64_t{20}});
  const Metric& by_opcode = profile->launches[0].metrics[1];
  EXPECT_EQ(column_at(by_opcode.instances->correlation, 0), Value{std::string("FFMA")});

  const auto scalars = read(report({block}), {});
  ASSERT_TRUE(scalars);
  EXPECT_EQ(scalars->launches[0].metrics[0].value, Value{std::uint64_t{30}});
  EXPECT_TRUE(scalars->launches[0].metrics[0].has_instances);
  EXPECT_FALSE(scalars->launches[0].metrics[0].instances);
  EXPECT_GT(scalars->bytes.skipped, 0U);
}

TEST(NcuRep, LeavesOutZerosAmongPcSamplesUnlessAskedForAllInstances) {
  ReportBlock block;
  block.strings = {"smsp__pcsamp_warps_issue_stalled_wait", "inst_executed"};
  const auto counted = [](std::uint64_t name) {
    Fields metric = integer_metric(name, 307);
    const std::vector<std::pair<std::uint64_t, std::uint64_t>> counts = {
        {0x7f0000000100, 0}, {0x7f0000000110, 300}, {0x7f0000000120, 0}, {0x12, 7}, {0x28, 0}};
    for (const auto& [address, count] : counts) {
      metric.message(
          3,
          Fields().message(1, Fields().integer(5, address)).message(2, Fields().integer(5, count)));
    }
    return metric;
  };
  block.kernels = {kernel("k").message(13, counted(0)).message(13, counted(1))};
  const ReadOptions options = {.pc_samples = true, .instances_of = {"inst_executed"}};
  const auto profile = read(report({block}), options);
  ASSERT_TRUE(profile);
  using Integers = std::vector<std::uint64_t>;
  const auto& metrics = profile->launches[0].metrics;
  ASSERT_TRUE(metrics[0].instances);
  EXPECT_EQ(metrics[0].instances->correlation, Column(Integers{0x7f0000000110, 0x12}));
  EXPECT_EQ(metrics[0].instances->values, Column(Integers{300, 7}));
  ASSERT_TRUE(metrics[1].instances) << "that an instruction never ran is worth knowing";
  EXPECT_EQ(metrics[1].instances->values, Column(Integers{0, 300, 0, 7, 0}));

  const auto everything = read(report({block}));
  ASSERT_TRUE(everything);
  EXPECT_EQ(everything->launches[0].metrics[0].instances->values,
            Column(Integers{0, 300, 0, 7, 0}));
}

TEST(NcuRep, ReadsRangesGraphsAndCommandLists) {
  ReportBlock block;
  block.strings = {"gpu__time_duration.sum"};
  block.ranges = {Fields().message(4, real_metric(0, 1)).integer(11, 1)};
  block.command_lists = {Fields().message(4, real_metric(0, 2)).text(18, "vkCmdLaunch")};
  block.graphs = {Fields().message(4, real_metric(0, 3)).integer(12, 13)};
  const auto profile = read(report({block}));
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->launches.size(), 3U);
  EXPECT_EQ(profile->launches[0].kind, LaunchKind::kRange);
  EXPECT_EQ(profile->launches[0].name, "range");
  EXPECT_EQ(profile->launches[1].kind, LaunchKind::kCommandList);
  EXPECT_EQ(profile->launches[1].name, "vkCmdLaunch");
  EXPECT_EQ(profile->launches[2].kind, LaunchKind::kGraph);
  EXPECT_EQ(profile->launches[2].stream, 13U);
  EXPECT_EQ(profile->launches[2].metrics[0].value, Value{3.0});
}

TEST(NcuRep, OrdersProcessesByPidAndMergesSessionPieces) {
  const auto process = [](std::uint64_t pid) {
    return Fields().integer(1, pid).text(2, "127.0.0.1").text(3, "/bin/app");
  };
  ReportBlock high = two_kernels();
  high.extra.message(6, process(20));
  ReportBlock low;
  low.kernels = {kernel("child")};
  low.extra.message(6, process(10));
  ReportBlock session;
  session.extra.message(6, process(20))
      .message(
          3, Fields().message(8, Fields().text(1, "Nsight Compute Target").text(2, "2025.3.1.0")));
  ReportBlock more;
  more.extra.message(6, process(20)).message(3, Fields().text(11, "ncu --set full app"));
  const auto profile = read(report({high, low, session, more}));
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->launches[0].name, "child");
  EXPECT_EQ(profile->launches[1].name, "first");
  EXPECT_EQ(profile->producer, "Nsight Compute 2025.3.1.0");
  EXPECT_EQ(profile->processes[0].session.profiler_command, "ncu --set full app");
}

TEST(NcuRep, MergesSourcesByReference) {
  ReportBlock block = two_kernels();
  block.sources = {Fields()
                       .integer(1, 42)
                       .text(4,
                             "\x7f"
                             "ELF...")
                       .integer(6, 0x80006)
                       .message(8, Fields().message(1, Fields().text(1, "a.cu").text(2, "int x;"))),
                   Fields().integer(1, 42).message(
                       9, Fields().message(1, Fields().text(1, "_Z1kv").integer(2, 0x7000)))};
  const auto profile = read(report({block}));
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->modules.size(), 1U);
  const Module& module = profile->modules[0];
  EXPECT_EQ(module.cubin,
            "\x7f"
            "ELF...");
  EXPECT_EQ(module.sm_major, 8U);
  EXPECT_EQ(module.sm_minor, 6U);
  EXPECT_EQ(module.files.at(0).content, "int x;");
  EXPECT_EQ(module.functions.at(0).address, 0x7000U);
  const auto without = read(report({block}), {});
  EXPECT_TRUE(without->modules[0].cubin.empty());
  EXPECT_EQ(without->modules[0].cubin_bytes, 7U);
}

TEST(NcuRep, OldReportsCountGridsInThreads) {
  ReportBlock block;
  block.strings = {"launch__grid_size"};
  block.kernels = {Fields()
                       .text(7, "k")
                       .message(10, dim(640, 320, 1))
                       .message(11, dim(32, 32, 1))
                       .message(13, real_metric(0, 200))};
  const auto profile = read(report({block}));
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->launches[0].grid, (Dim3{20, 10, 1}));
  ASSERT_EQ(profile->notes.size(), 1U);
  EXPECT_EQ(profile->notes[0].kind, NoteKind::kInfo);
}

TEST(NcuRep, InvalidNumbersAreAbsentAndCounted) {
  ReportBlock block;
  block.strings = {"a", "b"};
  block.kernels = {kernel("k")
                       .message(13, real_metric(0, std::nan("")))
                       .message(13, real_metric(1, std::numeric_limits<double>::infinity()))};
  const auto profile = read(report({block}));
  ASSERT_TRUE(profile);
  EXPECT_FALSE(as_number(profile->launches[0].metrics[0].value));
  ASSERT_EQ(profile->notes.size(), 1U);
  EXPECT_EQ(profile->notes[0].count, 2U);
}

// ncu subtracts counters of different passes; what comes out below zero is no measurement.
TEST(NcuRep, NegativeCountsAreNotMeasuredAndCounted) {
  ReportBlock block;
  block.strings = {"lts__t_requests_srcunit_tex_op_red.sum", "idc__request_hit_rate.pct",
                   "device__attribute_host_numa_id", "sm__cycles_active.avg",
                   "sm__pipe_tensor_cycles_active.min.pct_of_peak_sustained_elapsed"};
  block.kernels = {kernel("k")
                       .message(13, real_metric(0, -11760))
                       .message(13, real_metric(1, -36.4))
                       .message(13, real_metric(2, -1))
                       .message(13, real_metric(3, -0.0))
                       .message(13, real_metric(4, -0.29)),
                   kernel("l").message(13, real_metric(0, -1))};
  const auto profile = read(report({block}));
  ASSERT_TRUE(profile);
  const Value value = value_of(*profile, profile->launches[0], block.strings[0]);
  EXPECT_EQ(value, Value{-11760.0});  // as ncu shows it
  EXPECT_FALSE(as_number(value));
  EXPECT_FALSE(as_number(value_of(*profile, profile->launches[0], block.strings[4])));
  EXPECT_TRUE(as_number(value_of(*profile, profile->launches[0], "sm__cycles_active.avg")));
  ASSERT_EQ(profile->notes.size(), 1U);
  EXPECT_EQ(profile->notes[0].kind, NoteKind::kInfo);
  EXPECT_EQ(profile->notes[0].count, 3U);
  EXPECT_EQ(profile->notes[0].what,
            "metrics below zero are taken as not measured: lts__t_requests_srcunit_tex_op_red.sum "
            "and 1 more");
}

TEST(NcuRep, NameOutsideTheStringTableDropsTheMetric) {
  ReportBlock block = two_kernels();
  block.kernels[0].message(13, real_metric(99, 1));
  const auto profile = read(report({block}));
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->launches[0].metrics.size(), 2U);
  ASSERT_NE(loss(*profile), nullptr);
  EXPECT_EQ(loss(*profile)->count, 1U);
}

TEST(NcuRep, ADamagedResultCostsOnlyItself) {
  ReportBlock block = two_kernels();
  block.kernels.insert(block.kernels.begin() + 1,
                       Fields().integer(7, 5));  // a name that is a number
  const auto profile = read(report({block}));
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->launches.size(), 2U);
  EXPECT_EQ(profile->launches[1].name, "second");
  ASSERT_NE(loss(*profile), nullptr);
  EXPECT_NE(loss(*profile)->what.find("damaged kernel"), std::string::npos);
}

TEST(NcuRep, UnknownFieldsAreCounted) {
  ReportBlock block = two_kernels();
  block.kernels[0].text(90, "what is this").integer(91, 1);
  const auto profile = read(report({block}));
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->launches.size(), 2U);
  ASSERT_EQ(profile->notes.size(), 1U);
  EXPECT_EQ(profile->notes[0].count, 2U);
}

TEST(NcuRep, AnUnknownFileVersionIsRefused) {
  for (const std::uint64_t version : {8U, 999U}) {
    const auto profile = read(file_header(version) + block_bytes(two_kernels()));
    ASSERT_FALSE(profile);
    EXPECT_EQ(profile.error().kind, ErrorKind::kInput);
    EXPECT_NE(profile.error().message.find("file version"), std::string::npos);
  }
}

TEST(NcuRep, AnInterruptedReportMayLackItsMagic) {
  const std::string whole = report({two_kernels()});
  for (const std::string& bytes : {std::string(4, '\0') + whole.substr(4), whole.substr(4)}) {
    const auto profile = read(bytes);
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_EQ(profile->launches.size(), 2U);
    EXPECT_EQ(profile->notes.size(), 1U);
  }
}

TEST(NcuRep, RejectsWhatHoldsNoResult) {
  EXPECT_FALSE(read(""));
  EXPECT_FALSE(read("NVR"));
  EXPECT_FALSE(read(std::string("NVR\0", 4)));
  EXPECT_FALSE(read(file_header()));
  const auto only_session = read(report({ReportBlock{}}));
  ASSERT_FALSE(only_session);
  EXPECT_NE(only_session.error().message.find("holds no result"), std::string::npos);
}

struct Hostile {
  const char* name;
  std::string bytes;
};

TEST(NcuRep, HostileBytesAreRejectedWithAPlace) {
  const std::string header = file_header();
  const std::string huge_varint = std::string("\x28") + std::string(10, '\xff') + "\x01";
  const Hostile cases[] = {
      {"header longer than the file", header + u32(0xffffffffU) + "x"},
      {"empty block header", header + u32(0)},
      {"payload of 2^63", header + sized(Fields().integer(2, 1).integer(5, 1ULL << 63U).bytes())},
      {"message longer than its block",
       header + sized(Fields().integer(2, 1).integer(5, 8).bytes()) + u32(0x7fffffff) + "abcd"},
      {"varint of eleven bytes", header + sized(huge_varint)},
      {"field number 0", header + sized(std::string("\x02\x00", 2))},
      {"start of a group", header + sized("\x0b")},
      {"2 million groups in each other", header + sized(std::string(2'000'000, '\x0b'))},
  };
  for (const Hostile& hostile : cases) {
    const auto profile = read(hostile.bytes);
    ASSERT_FALSE(profile) << hostile.name;
    EXPECT_EQ(profile.error().kind, ErrorKind::kInput) << hostile.name;
    EXPECT_NE(profile.error().message.find("offset"), std::string::npos)
        << hostile.name << ": " << profile.error().message;
  }
}

// Wherever the file ends, the results before the cut are there or the error says where it ended.
TEST(NcuRep, EveryTruncation) {
  const std::string whole = report({two_kernels(), two_kernels()});
  const std::size_t first_block = report({two_kernels()}).size();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string bytes = whole.substr(0, length);
    const auto profile = read(bytes);
    if (!profile) {
      EXPECT_EQ(profile.error().kind, ErrorKind::kInput);
      EXPECT_LT(length, first_block) << "the first block's results were lost";
      continue;
    }
    const bool on_boundary = length == first_block;
    EXPECT_EQ(loss(*profile) == nullptr, on_boundary) << length;
    EXPECT_EQ(profile->launches.size() >= 2, length >= first_block) << length;
  }
}

}  // namespace
}  // namespace proofline::ncu_rep_test

// SPDX-License-Identifier: Apache-2.0
//
// What results of benchmarks are read as: ours, nvbench's, Google Benchmark's, and damaged ones.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/record_json.h"
#include "readers/benchmark/benchmark.h"
#include "readers/format.h"
#include "readers/read_profile.h"
#include "support/effort.h"
#include "support/temp_dir.h"

namespace proofline::benchmark_reader_test {
namespace {

using State = MeasurementState;

std::string fixture_path(std::string_view name) {
  return (std::filesystem::path(PROOFLINE_SOURCE_DIR) / "tests/fixtures/benchmark" / name).string();
}

std::string fixture_text(std::string_view name) {
  auto input = Input::open(fixture_path(name));
  return input ? std::string(*input->take_rest()) : "";
}

Benchmark only_side(const Result<BenchmarkSeries>& series) {
  if (!series || series->sides.size() != 1) {
    ADD_FAILURE() << (series ? "not one side" : series.error().message);
    return {};
  }
  return series->sides.front().benchmark;
}

bool is_benchmark(std::string_view prefix) {
  const Format* format = identify(prefix);
  return format != nullptr && format->offers(InputKind::kBenchmark);
}

Benchmark read_fixture(std::string_view name) {
  EXPECT_TRUE(is_benchmark(fixture_text(name).substr(0, kSniffBytes))) << name;
  return only_side(read_benchmark(fixture_path(name)));
}

Result<BenchmarkSeries> read_text(std::string_view text) {
  auto input = Input::from_memory(text, "text.json");
  return read_benchmark(*input);
}

// Our file with this as its only measurement.
std::string with_measurement(std::string_view members) {
  return R"({"result":"benchmark","sides":[{"measurements":[{)" + std::string(members) + "}]}]}";
}

std::uint64_t losses(const Benchmark& benchmark, std::string_view what = "") {
  std::uint64_t count = 0;
  for (const Note& note : benchmark.notes) {
    if (note.kind == NoteKind::kLoss && note.what.find(what) != std::string::npos) {
      count += note.count;
    }
  }
  return count;
}

std::string written(const BenchmarkSeries& series) {
  std::string text;
  Output output(text);
  JsonWriter json(output);
  write_record(series, json);
  output.flush();
  return text;
}

// --- ours

TEST(BenchmarkReader, Ours) {
  const Benchmark benchmark = read_fixture("ours.json");
  EXPECT_EQ(benchmark.format, "proofline-bench");
  EXPECT_EQ(benchmark.command, "./transpose --n 8192");
  EXPECT_EQ(benchmark.machine.gpu, "NVIDIA H200");
  EXPECT_EQ(benchmark.machine.max_sm_mhz, 1980);
  EXPECT_EQ(benchmark.machine.ecc, true);
  EXPECT_EQ(benchmark.machine.clocks_locked, std::nullopt);
  EXPECT_TRUE(benchmark.notes.empty());
  ASSERT_EQ(benchmark.measurements.size(), 3U);
  const Measurement& tiled = benchmark.measurements[0];
  EXPECT_EQ(configuration_name(tiled), "transpose tiled n=8192");
  EXPECT_EQ(tiled.timed_by, TimedBy::kCudaGraph);
  EXPECT_EQ(tiled.cache, CacheState::kHot);
  EXPECT_EQ(tiled.stopped, StopReason::kTight);
  EXPECT_EQ(tiled.correctness.state, CheckState::kPassed);
  EXPECT_EQ(tiled.correctness.checked, 67108864U);
  EXPECT_EQ(tiled.bytes, 536870912.0);
  ASSERT_EQ(tiled.samples.size(), 8U);
  EXPECT_EQ(tiled.samples[3].ns, 140000);
  EXPECT_EQ(tiled.samples[3].sm_mhz, 1500);
  EXPECT_TRUE(tiled.samples[3].throttled);
  EXPECT_FALSE(tiled.samples[4].throttled);
  EXPECT_EQ(tiled.samples[4].run, 1U);
  EXPECT_EQ(tiled.samples[5].sm_mhz, std::nullopt);
  EXPECT_EQ(tiled.samples[3].watts, 699.75);
  EXPECT_EQ(tiled.samples[5].watts, std::nullopt);
  EXPECT_EQ(tiled.roof, "dram");
  EXPECT_EQ(tiled.roof_share, 0.9523);
  EXPECT_EQ(benchmark.measurements[1].roof_share, std::nullopt);
  const Measurement& wrong = benchmark.measurements[2];
  EXPECT_EQ(wrong.state, State::kWrong);
  EXPECT_NE(wrong.reason.find("17 of"), std::string::npos);
}

TEST(BenchmarkReader, WhatIsWrittenIsReadBack) {
  BenchmarkSeries series;
  series.interleaved = true;
  for (const char* name : {"ours.json", "nvbench-jsonbin.json", "google.json"}) {
    series.sides.push_back({name, read_fixture(name)});
  }
  series.sides[0].benchmark.command = "a \"b\" \n\xc3\xa9";
  Measurement& measurement = series.sides[0].benchmark.measurements[0];
  measurement.samples[0].ns = 0.1 + 0.2;
  measurement.summary_ns = 1.0 / 3;
  measurement.summary_kind = "median";
  measurement.summary_of = 1ULL << 60U;
  measurement.flops = 1e15;
  measurement.flop_kind = "tensor-f16";
  measurement.roof_share = 1.0 / 7;
  measurement.samples[1].watts = 412.5;
  series.sides[1].benchmark.machine.locked_sm_mhz = 1234.5;
  series.sides[1].benchmark.notes.push_back({NoteKind::kLoss, "offset 7", "something", 3});

  const std::string text = written(series);
  EXPECT_TRUE(is_benchmark(text.substr(0, kSniffBytes)));
  const auto again = read_text(text);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(again->interleaved);
  ASSERT_EQ(again->sides.size(), 3U);
  // All that is held is written, so the same text is the same result.
  EXPECT_EQ(written(*again), text);
  const Measurement& same = again->sides[0].benchmark.measurements[0];
  EXPECT_EQ(same.samples[0].ns, 0.1 + 0.2);
  EXPECT_EQ(same.samples[1].watts, 412.5);
  EXPECT_EQ(same.samples[3].throttled, true);
  EXPECT_EQ(same.roof_share, 1.0 / 7);
  EXPECT_EQ(same.summary_of, 1ULL << 60U);
  EXPECT_EQ(again->sides[0].benchmark.command, "a \"b\" \n\xc3\xa9");
  EXPECT_EQ(again->sides[1].benchmark.machine.locked_sm_mhz, 1234.5);
  EXPECT_EQ(again->sides[1].benchmark.notes.back().count, 3U);
}

TEST(BenchmarkReader, MissingMembersAreUnknown) {
  const Benchmark benchmark = only_side(read_text(with_measurement(R"("samples":{"ns":[5]})")));
  ASSERT_EQ(benchmark.measurements.size(), 1U);
  const Measurement& measurement = benchmark.measurements[0];
  EXPECT_EQ(measurement.state, State::kMeasured);
  EXPECT_EQ(measurement.timed_by, TimedBy::kUnknown);
  EXPECT_EQ(measurement.bytes, std::nullopt);
  EXPECT_EQ(benchmark.machine.ecc, std::nullopt);
  EXPECT_TRUE(benchmark.notes.empty());
}

TEST(BenchmarkReader, TimesThatAreNoneAreCounted) {
  const Benchmark benchmark = only_side(read_text(
      with_measurement(R"("samples":{"ns":[1,0,-3,NaN,Infinity,"7",null,8],"throttled":[7,8,-1],)"
                       R"("run":[0,1,2,3,4,5,6,7],"sm_mhz":[1,2]})")));
  ASSERT_EQ(benchmark.measurements.size(), 1U);
  const std::vector<Sample>& samples = benchmark.measurements[0].samples;
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(samples[1].ns, 8);
  EXPECT_EQ(samples[1].run, 7U);  // what is dropped shifts nothing
  EXPECT_TRUE(samples[1].throttled);
  EXPECT_FALSE(samples[1].sm_mhz);
  EXPECT_EQ(losses(benchmark, "not a number above zero"), 6U);
  EXPECT_EQ(losses(benchmark, "names a sample that is not there"), 1U);
  EXPECT_EQ(losses(benchmark, "\"throttled\" has an entry that is not a whole number"), 1U);
  EXPECT_EQ(losses(benchmark, "\"sm_mhz\" has not as many entries"), 1U);
}

TEST(BenchmarkReader, NumbersAreWhatTheySay) {
  const Benchmark benchmark = only_side(read_text(with_measurement(
      R"("samples":{"ns":[0.0e59,0e99,1.9e308,1e-400,12345.678901234567,18446744073709551616,7]})")));
  ASSERT_EQ(benchmark.measurements.size(), 1U);
  const std::vector<Sample>& samples = benchmark.measurements[0].samples;
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(samples[0].ns, 12345.678901234567);
  EXPECT_EQ(samples[1].ns, 7);
  EXPECT_EQ(losses(benchmark, "above a week"), 1U);
  EXPECT_EQ(losses(benchmark, "not a number above zero"), 4U);
}

TEST(BenchmarkReader, ASummaryAboveAWeekIsNoTime) {
  const Benchmark benchmark = only_side(
      read_text(with_measurement(R"("samples":{"ns":[]},"summary":{"ns":1e300,"kind":"mean"})")));
  ASSERT_EQ(benchmark.measurements.size(), 1U);
  EXPECT_EQ(benchmark.measurements[0].state, MeasurementState::kInvalid);
  EXPECT_EQ(losses(benchmark, "above a week"), 1U);
}

TEST(BenchmarkReader, PowersAndRoofsThatAreNoneAreCounted) {
  const Benchmark benchmark = only_side(read_text(with_measurement(
      R"("samples":{"ns":[1,2,3],"watts":[-1,"x",300]},"roof":{"name":"dram","share":-2})")));
  ASSERT_EQ(benchmark.measurements.size(), 1U);
  const Measurement& measurement = benchmark.measurements[0];
  EXPECT_EQ(measurement.samples[0].watts, std::nullopt);
  EXPECT_EQ(measurement.samples[2].watts, 300);
  EXPECT_EQ(measurement.roof_share, std::nullopt);
  EXPECT_EQ(measurement.roof, "");
  EXPECT_EQ(losses(benchmark, "\"watts\" has an entry that is not a number above zero"), 2U);
  EXPECT_EQ(losses(benchmark), 3U);
}

TEST(BenchmarkReader, NoTimeIsNoMeasurement) {
  const Benchmark benchmark =
      only_side(read_text(with_measurement(R"("state":"measured","samples":{"ns":[0]})")));
  ASSERT_EQ(benchmark.measurements.size(), 1U);
  EXPECT_EQ(benchmark.measurements[0].state, State::kInvalid);
  EXPECT_FALSE(benchmark.measurements[0].reason.empty());
}

TEST(BenchmarkReader, NoReasonIsInventedForAFailureThatGivesNone) {
  const Benchmark benchmark = only_side(read_text(with_measurement(R"("state":"failed")")));
  EXPECT_EQ(benchmark.measurements[0].state, State::kFailed);
  EXPECT_EQ(benchmark.measurements[0].reason, "");
}

TEST(BenchmarkReader, UnknownStateIsNotMeasured) {
  const Benchmark benchmark =
      only_side(read_text(with_measurement(R"("state":"perhaps","samples":{"ns":[1]})")));
  ASSERT_EQ(benchmark.measurements.size(), 1U);
  EXPECT_EQ(benchmark.measurements[0].state, State::kFailed);
  EXPECT_NE(benchmark.measurements[0].reason.find("perhaps"), std::string::npos);
  EXPECT_EQ(losses(benchmark), 1U);
}

TEST(BenchmarkReader, WrongTypesAndSecondNamesAreCounted) {
  const Benchmark benchmark = only_side(read_text(with_measurement(
      R"("benchmark":7,"bytes":"many","axes":{},"cache":"warm","implementation":"a",)"
      R"("implementation":"b","peak_memory_bytes":-1,"samples":{"ns":[1]})")));
  ASSERT_EQ(benchmark.measurements.size(), 1U);
  EXPECT_EQ(benchmark.measurements[0].implementation, "a");
  EXPECT_EQ(losses(benchmark), 6U);
}

TEST(BenchmarkReader, RefusesWhatItCannotRead) {
  const auto message = [](std::string_view text) {
    const auto series = read_text(text);
    return series ? "" : series.error().message;
  };
  EXPECT_NE(message("").find("is empty"), std::string::npos);
  EXPECT_NE(message("{\"a\":1}").find("nvbench"), std::string::npos);
  EXPECT_NE(message(R"({"result":"benchmark","schema_version":"2.0","sides":[]})").find("\"2.0\""),
            std::string::npos);
  EXPECT_NE(message(R"({"result":"benchmark","sides":[]})").find("no measurement"),
            std::string::npos);
  EXPECT_NE(message(R"({"result":"benchmark","sides":7})").find("no measurement"),
            std::string::npos);
  EXPECT_FALSE(read_benchmark(fixture_path("not-there.json")));
}

TEST(BenchmarkReader, OtherJsonIsNotForIt) {
  for (const std::string_view text :
       {"", "{", "7", "[]", "{\"benchmarks\":[]}", "{\"tool\":{\"result\":\"benchmark\"}}",
        "{\"result\":\"comparison\"}", "{\"context\":{\"benchmarks\":1}}", "==PROF== {"}) {
    EXPECT_FALSE(is_benchmark(text)) << text;
  }
  EXPECT_TRUE(is_benchmark("\xef\xbb\xbf {\"result\" : \"benchmark\", \"si"));
}

TEST(BenchmarkReader, DeepNestingIsNoTrouble) {
  const std::string deep = with_measurement(
      "\"samples\":{\"ns\":[1]},\"x\":" + std::string(1 << 20, '[') + std::string(1 << 20, ']'));
  EXPECT_EQ(only_side(read_text(deep)).measurements.size(), 1U);
  is_benchmark(std::string(1 << 20, '['));
}

TEST(BenchmarkReader, CompressedOnesAreReadToo) {
  // A zstd frame of one raw block.
  const std::string text = with_measurement(R"("samples":{"ns":[5]})");
  ASSERT_LT(text.size(), 256U);
  std::string frame("\x28\xb5\x2f\xfd\x20", 5);  // single segment, one byte of size
  frame += static_cast<char>(text.size());
  const std::size_t header = text.size() << 3U | 1U;  // last block, raw
  for (const unsigned shift : {0U, 8U, 16U}) frame += static_cast<char>(header >> shift & 0xffU);
  frame += text;
  EXPECT_EQ(only_side(read_text(frame)).measurements.size(), 1U);
}

// --- cut files

TEST(BenchmarkReader, WhatStandsBeforeTheCutIsKept) {
  const std::string whole = fixture_text("ours.json");
  const std::size_t second = whole.find("naive");
  const Benchmark benchmark = only_side(read_text(whole.substr(0, second)));
  ASSERT_EQ(benchmark.measurements.size(), 1U);
  EXPECT_EQ(benchmark.measurements[0].samples.size(), 8U);
  EXPECT_EQ(benchmark.machine.gpu, "NVIDIA H200");
  ASSERT_EQ(losses(benchmark), 1U);
  EXPECT_EQ(benchmark.notes.back().place, "offset " + std::to_string(second));

  const std::string google = fixture_text("google.json");
  const Benchmark runs = only_side(read_text(google.substr(0, google.find("BM_gemm/half/m:0"))));
  EXPECT_EQ(runs.measurements.size(), 3U);
  const std::string nvbench = fixture_text("nvbench-jsonbin.json");
  const Benchmark states = only_side(read_text(nvbench.substr(0, nvbench.find("skip_reason"))));
  EXPECT_EQ(states.measurements.size(), 2U);
}

TEST(BenchmarkReader, EveryLengthGivesTheFirstOnesOrAnError) {
  const auto step = effort<std::size_t>(3, 3, 31);
  for (const char* name : {"ours.json", "google.json", "nvbench-two-gpus.json"}) {
    const std::string whole = fixture_text(name);
    const Benchmark all = only_side(read_text(whole));
    const std::size_t end = whole.find_last_of('}');
    for (std::size_t length = 0; length < end; length += step) {
      const std::string_view text = std::string_view(whole).substr(0, length);
      const auto series = read_text(text);
      if (!series) {
        ASSERT_EQ(series.error().kind, ErrorKind::kInput);
        const bool says_where = series.error().message.find("offset") != std::string::npos;
        ASSERT_EQ(says_where, is_benchmark(text)) << series.error().message;
        continue;
      }
      const Benchmark part = only_side(series);
      ASSERT_GT(losses(part), 0U) << name << ' ' << length;
      ASSERT_LE(part.measurements.size(), all.measurements.size());
      for (std::size_t i = 0; i < part.measurements.size(); ++i) {
        ASSERT_EQ(part.measurements[i].benchmark, all.measurements[i].benchmark);
        ASSERT_LE(part.measurements[i].samples.size(), all.measurements[i].samples.size());
      }
    }
  }
}

// --- nvbench

TEST(BenchmarkReader, Nvbench) {
  const Benchmark benchmark = read_fixture("nvbench-jsonbin.json");
  EXPECT_EQ(benchmark.format, "nvbench");
  EXPECT_EQ(benchmark.producer, "nvbench 0.1.0");
  EXPECT_EQ(benchmark.command, "./copy_bench --jsonbin nvbench-jsonbin.json");
  EXPECT_EQ(benchmark.machine.gpu, "NVIDIA H200");
  EXPECT_EQ(benchmark.machine.compute_capability, "9.0");
  EXPECT_EQ(benchmark.machine.max_sm_mhz, 1980);
  EXPECT_EQ(losses(benchmark), 0U);
  ASSERT_EQ(benchmark.measurements.size(), 5U);

  const Measurement& sampled = benchmark.measurements[0];
  EXPECT_EQ(configuration_name(sampled), "copy T=F32 Elements=8388608");
  EXPECT_EQ(sampled.timed_by, TimedBy::kCudaEvents);
  EXPECT_EQ(sampled.cache, CacheState::kCold);
  EXPECT_EQ(sampled.bytes, 67108864.0);
  ASSERT_EQ(sampled.samples.size(), 5U);
  EXPECT_NEAR(sampled.samples[1].ns, 24000, 0.01);
  ASSERT_TRUE(sampled.samples[2].sm_mhz);
  EXPECT_NEAR(*sampled.samples[2].sm_mhz, 1965, 0.01);
  EXPECT_FALSE(sampled.summary_ns);

  const Measurement& summary = benchmark.measurements[1];
  EXPECT_TRUE(summary.samples.empty());
  EXPECT_DOUBLE_EQ(summary.summary_ns.value_or(0), 49000);
  EXPECT_EQ(summary.summary_kind, "median");
  EXPECT_EQ(summary.summary_of, 400U);

  EXPECT_EQ(benchmark.measurements[2].state, State::kSkipped);
  EXPECT_NE(benchmark.measurements[2].reason.find("skip_time"), std::string::npos);
  EXPECT_EQ(benchmark.measurements[3].state, State::kInvalid);
  EXPECT_EQ(benchmark.measurements[4].timed_by, TimedBy::kWallClock);
  EXPECT_DOUBLE_EQ(benchmark.measurements[4].summary_ns.value_or(0), 12.5e6);
}

// Before its results had tags, in two layouts; and as a table.
TEST(BenchmarkReader, NvbenchOf2021AndItsCsv) {
  for (const char* name :
       {"nvbench-2021-objects.json", "nvbench-2021-lists.json", "nvbench-csv.txt"}) {
    const Benchmark benchmark = read_fixture(name);
    EXPECT_EQ(losses(benchmark), 0U) << name;
    EXPECT_EQ(benchmark.machine.gpu, "Quadro Example") << name;
    ASSERT_FALSE(benchmark.measurements.empty()) << name;
    const Measurement& one = benchmark.measurements[0];
    EXPECT_EQ(configuration_name(one), "copy T=F32") << name;
    EXPECT_EQ(one.state, State::kMeasured) << name;
    EXPECT_NEAR(one.summary_ns.value_or(0), 250'000, 1e-6) << name;
    EXPECT_EQ(one.summary_kind, "mean") << name;
    EXPECT_EQ(one.summary_of, 499U) << name;
    EXPECT_EQ(one.timed_by, TimedBy::kCudaEvents) << name;
    EXPECT_EQ(one.cache, CacheState::kCold) << name;
    EXPECT_EQ(one.bytes, 1e9) << name;
  }
  const Benchmark objects = read_fixture("nvbench-2021-objects.json");
  ASSERT_EQ(objects.measurements.size(), 3U);
  EXPECT_EQ(objects.measurements[1].state, State::kSkipped);
  EXPECT_EQ(objects.measurements[1].reason, "too large");
  EXPECT_EQ(configuration_name(objects.measurements[2]), "fill");
  const Benchmark table = read_fixture("nvbench-csv.txt");
  ASSERT_EQ(table.measurements.size(), 3U);
  EXPECT_EQ(table.measurements[1].state, State::kSkipped);
  EXPECT_EQ(configuration_name(table.measurements[1]), "copy T=F64, wide");
  EXPECT_EQ(configuration_name(table.measurements[2]), "fill Stride=4");
}

TEST(BenchmarkReader, NvbenchCsvThatIsDamaged) {
  const std::string whole = fixture_text("nvbench-csv.txt");
  EXPECT_FALSE(read_text(whole.substr(0, whole.find('\n') + 1))) << "a header alone";
  const std::string cut = whole.substr(0, whole.size() - 3);
  EXPECT_EQ(losses(only_side(read_text(cut))), 1U);
  EXPECT_EQ(losses(only_side(read_text(whole + "copy,0\n\"open,0\n"))), 2U);
}

TEST(BenchmarkReader, NvbenchOnTwoGpus) {
  const Benchmark benchmark = read_fixture("nvbench-two-gpus.json");
  ASSERT_EQ(benchmark.measurements.size(), 2U);
  EXPECT_EQ(configuration_name(benchmark.measurements[1]), "copy Device=1 Elements=1024");
  EXPECT_EQ(benchmark.measurements[1].cache, CacheState::kHot);
  EXPECT_DOUBLE_EQ(benchmark.measurements[1].summary_ns.value_or(0), 1250);
  EXPECT_EQ(benchmark.machine.gpu, "");
  EXPECT_FALSE(benchmark.notes.empty());
}

// The state with samples, whose file is named so.
std::string naming(std::string_view file) {
  std::string text = fixture_text("nvbench-jsonbin.json");
  const std::string_view old = "nvbench-jsonbin.json-bin/0.bin";
  return text.replace(text.find(old), old.size(), file);
}

TEST(BenchmarkReader, SamplesComeFromBesideTheJsonOnly) {
  const std::string samples = fixture_text("nvbench-jsonbin.json-bin/0.bin");
  const TempDir folder;
  std::filesystem::create_directories(folder.path("in/r.json-bin"));
  std::filesystem::create_directories(folder.path("elsewhere-bin"));
  folder.write("in/r.json-bin/0.bin", samples);
  folder.write("in/r.json-bin/short.bin", samples.substr(0, 7));
  folder.write("elsewhere-bin/0.bin", samples);
  std::filesystem::create_directory_symlink(folder.path("elsewhere-bin"),
                                            folder.path("in/link-bin"));
  const auto read_as = [&](const std::string& name) {
    return only_side(read_benchmark(folder.write("in/r.json", naming(name))));
  };
  // However the program that wrote it was started.
  for (const std::string name :
       {"r.json-bin/0.bin", "build/out/r.json-bin/0.bin", "/home/x/r.json-bin/0.bin"}) {
    EXPECT_EQ(read_as(name).measurements[0].samples.size(), 5U) << name;
  }
  for (const std::string name :
       {"", "0.bin", "../0.bin", "elsewhere-bin/0.bin", "../elsewhere-bin/0.bin", "link-bin/0.bin",
        "r.json-bin/short.bin", "r.json-bin/..", "r.json-bin/none.bin", "/dev/zero", "/dev/fd/0"}) {
    const Benchmark benchmark = read_as(name);
    EXPECT_TRUE(benchmark.measurements[0].samples.empty()) << name;
    EXPECT_DOUBLE_EQ(benchmark.measurements[0].summary_ns.value_or(0), 25000) << name;
    EXPECT_EQ(benchmark.measurements[0].summary_kind, "mean");
    EXPECT_EQ(losses(benchmark), 1U) << name;
  }
}

TEST(BenchmarkReader, SamplesNeedThePathOfTheJson) {
  const Benchmark benchmark = only_side(read_text(fixture_text("nvbench-jsonbin.json")));
  EXPECT_TRUE(benchmark.measurements[0].samples.empty());
  EXPECT_EQ(losses(benchmark, "by its path"), 1U);
}

TEST(BenchmarkReader, SecretsStayOutOfTheCommand) {
  std::string text = fixture_text("nvbench-jsonbin.json");
  text.replace(text.find("--jsonbin"), 9, "--token=hunter2");
  EXPECT_EQ(only_side(read_text(text)).command.find("hunter2"), std::string::npos);
}

// --- Google Benchmark

TEST(BenchmarkReader, GoogleBenchmark) {
  const Benchmark benchmark = read_fixture("google.json");
  EXPECT_EQ(benchmark.format, "google-benchmark");
  EXPECT_EQ(benchmark.producer, "Google Benchmark v1.8.3");
  EXPECT_EQ(benchmark.command, "./copy_bench");
  EXPECT_EQ(losses(benchmark), 0U);
  ASSERT_EQ(benchmark.measurements.size(), 5U);

  const Measurement& copy = benchmark.measurements[0];
  EXPECT_EQ(configuration_name(copy), "BM_copy arg0=8192");
  EXPECT_EQ(copy.timed_by, TimedBy::kWallClock);
  ASSERT_EQ(copy.samples.size(), 3U);
  EXPECT_DOUBLE_EQ(copy.samples[1].ns, 12000);
  EXPECT_FALSE(copy.summary_ns);
  EXPECT_EQ(copy.bytes, 65536.0);

  const Measurement& gemm = benchmark.measurements[1];
  EXPECT_EQ(configuration_name(gemm), "BM_gemm/half m=128 n=256 threads=2");
  EXPECT_DOUBLE_EQ(gemm.samples.at(0).ns, 1.5e6);
  EXPECT_EQ(gemm.bytes, 1.25e6);  // the rate is by the processor's time

  EXPECT_EQ(configuration_name(benchmark.measurements[2]), "BM_events");
  EXPECT_EQ(benchmark.measurements[2].timed_by, TimedBy::kUnknown);
  EXPECT_EQ(benchmark.measurements[3].state, State::kFailed);
  EXPECT_EQ(benchmark.measurements[3].reason, "m must not be 0");
  EXPECT_EQ(benchmark.measurements[4].state, State::kSkipped);
  EXPECT_EQ(benchmark.measurements[4].reason, "needs cc 8.9");
}

TEST(BenchmarkReader, GoogleBenchmarkWithAggregatesAlone) {
  const Benchmark benchmark = read_fixture("google-aggregates.json");
  ASSERT_EQ(benchmark.measurements.size(), 1U);
  const Measurement& copy = benchmark.measurements[0];
  EXPECT_TRUE(copy.samples.empty());
  EXPECT_DOUBLE_EQ(copy.summary_ns.value_or(0), 12250);
  EXPECT_EQ(copy.summary_kind, "median");
  EXPECT_EQ(copy.summary_of, 20U);
  ASSERT_EQ(benchmark.notes.size(), 1U);
  EXPECT_NE(benchmark.notes[0].what.find("debugging"), std::string::npos);
}

TEST(BenchmarkReader, OldGoogleBenchmark) {
  const Benchmark benchmark = read_fixture("google-old.json");
  ASSERT_EQ(benchmark.measurements.size(), 2U);
  EXPECT_EQ(benchmark.measurements[0].samples.size(), 2U);
  EXPECT_EQ(configuration_name(benchmark.measurements[0]), "BM_copy arg0=64");
  EXPECT_EQ(benchmark.measurements[1].state, State::kInvalid);
  EXPECT_EQ(losses(benchmark, "\"real_time\" is not a number above zero"), 1U);
}

}  // namespace
}  // namespace proofline::benchmark_reader_test

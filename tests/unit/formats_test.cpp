// SPDX-License-Identifier: Apache-2.0
//
// The formats as a set: each file that can be read is known to exactly one of them, nothing else is
// known to any, and whoever cannot use a file is told what it is.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "readers/benchmark/benchmark.h"
#include "readers/code/read_code.h"
#include "readers/format.h"
#include "readers/read_profile.h"
#include "readers/timeline/recording_format.h"

namespace proofline::formats_test {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kReport("NVR\0", 4);
constexpr std::string_view kExport("SQLite format 3\0 CREATE TABLE StringIds (id", 43);

// "nvbench "; more than one word where more than one says yes.
std::string known_by(std::string_view prefix) {
  std::string names;
  for (const Format& format : formats()) {
    if (format.sniff(prefix)) names += std::string(format.name) + ' ';
  }
  return names;
}

std::string known_by(const fs::path& file) {
  auto input = Input::open(file.string());
  const auto prefix = input ? input->peek(kSniffBytes) : tl::make_unexpected(input.error());
  return prefix ? known_by(*prefix) : prefix.error().message;
}

// What a file's path ends with, ".gz" aside, and the one format that knows it; the first counts.
struct Expectation {
  std::string_view end;
  std::string_view format;
};

constexpr Expectation kFixtures[] = {
    {".trace.json", "kineto-trace "},
    {"timeline/minified.json", "kineto-trace "},
    {"timeline/indented.json", "kineto-trace "},
    {"timeline/bare_list.json", "kineto-trace "},
    {".session.txt", ""},  // ncu's page without a kernel
    {".ncu-rep", "ncu-rep "},
    {".source.csv", "ncu-source-csv "},
    {".csv", "ncu-csv "},
    {".stripped.sass", "sass-plain "},
    {".details.txt", "ncu-text "},
    {".cubin", "cubin "},
    {".fatbin", "fatbin "},
    {".o", "host-elf "},
    {".so", "host-elf "},
    {".so.usage.txt", "cuobjdump-sass "},
    {"/usage.txt", ""},  // of cuobjdump, without code
    {".cuobjdump.txt", "cuobjdump-sass "},
    {".dot", "nvdisasm-dot "},
    {"sass/.txt", "nvdisasm-text "},
    {"benchmark/google.json", "google-benchmark "},
    {"benchmark/google-old.json", "google-benchmark "},
    {"benchmark/google-aggregates.json", "google-benchmark "},
    {"benchmark/nvbench-jsonbin.json", "nvbench "},
    {"benchmark/nvbench-two-gpus.json", "nvbench "},
    {"benchmark/nvbench-2021-objects.json", "nvbench "},
    {"benchmark/nvbench-2021-lists.json", "nvbench "},
    {"benchmark/nvbench-csv.txt", "nvbench-csv "},
    {"benchmark/ours.json", "proofline-bench "},
    {"examples/before.json", "google-benchmark "},
    {"examples/after.json", "google-benchmark "},
    {"ceilings/ceilings.json", "ceilings "},
    {"doctor/without-gpu.json", "doctor "},
    {"sanitizer/.log", "sanitizer-log "},
    {".md", ""},
    {".json", ""},
    {".cu", ""},
};

// An end "folder/.txt" is any .txt in that folder.
bool ends_so(const fs::path& file, std::string_view end) {
  const std::string folder = file.parent_path().filename().string() + "/";
  const std::size_t dot = end.find("/.");
  if (dot == std::string_view::npos) return file.string().ends_with(end);
  return folder == end.substr(0, dot + 1) && file.string().ends_with(end.substr(dot + 1));
}

TEST(Formats, ExactlyOneKnowsEachFixture) {
  std::set<std::string> seen;
  for (const char* folder : {"tests/fixtures", "examples"}) {
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(PROOFLINE_SOURCE_DIR) / folder)) {
      if (!entry.is_regular_file()) continue;
      SCOPED_TRACE(entry.path().string());
      const std::string names = known_by(entry.path());
      EXPECT_EQ(names.find(' '), names.rfind(' ')) << names;
      seen.insert(names);
      fs::path name = entry.path();
      if (name.extension() == ".gz") name.replace_extension();
      if (name.parent_path().filename() == "damaged") continue;
      // What is not listed, such as all that tools printed, is known to one or none.
      for (const Expectation& one : kFixtures) {
        if (!ends_so(name, one.end)) continue;
        EXPECT_EQ(names, one.format);
        break;
      }
    }
  }
  // Neither a recording nor an export is kept as a fixture: the tests of their readers make theirs.
  EXPECT_EQ(known_by(kRecordingMagic), "recording ");
  seen.insert("recording ");
  EXPECT_EQ(known_by(kExport), "nsys-sqlite ");
  seen.insert("nsys-sqlite ");
  for (const Format& format : formats()) {
    EXPECT_TRUE(seen.contains(std::string(format.name) + ' ')) << format.name << " has no fixture";
  }
}

TEST(Formats, ExactlyOneKnowsEachFileOfTheCorpus) {
  const char* folder = std::getenv("PROOFLINE_CORPUS");
  if (folder == nullptr || *folder == '\0') {
    GTEST_SKIP() << "PROOFLINE_CORPUS is not set: no real files to try";
  }
  constexpr Expectation kCorpus[] = {
      {"nvbench/.csv", "nvbench-csv "},
      {"nvbench/.json", "nvbench "},
      {"gbench/.json", "google-benchmark "},
      {"ncu-csv/.csv", "ncu-csv "},
      {"ncu-rep/.ncu-rep", "ncu-rep "},
      {"ncu-rep/.nsight-cuprof-report", "ncu-rep "},
      {"ncu-text/.txt", "ncu-text "},
      {"ncu-text/.log", "ncu-text "},
      {"sanitizer/.txt", "sanitizer-log "},
      {"nsys/.sqlite", "nsys-sqlite "},
      {"_et.json", ""},  // an execution trace, which has no times
      {"torch-trace/.json", "kineto-trace "},
  };
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    fs::path name = entry.path();
    if (name.extension() == ".gz") name.replace_extension();
    for (const Expectation& one : kCorpus) {
      if (!entry.is_regular_file() || !ends_so(name, one.end)) continue;
      EXPECT_EQ(known_by(entry.path()), one.format) << name;
      ++files;
      break;
    }
  }
  EXPECT_GT(files, 100U);
}

TEST(Formats, NoneKnowsOtherThings) {
  for (const std::string_view text :
       {"", "hello\n", "{\"nodes\": []}", "{\"result\":\"diagnosis\"}", "a,b,c\n1,2,3\n",
        "SQLite format 3", "\x89PNG\r\n"}) {
    EXPECT_EQ(known_by(text), "") << text;
    EXPECT_EQ(identify(text), nullptr) << text;
  }
}

TEST(Formats, AReportOffersAProfileAndCode) {
  const Format* format = identify(kReport);
  ASSERT_NE(format, nullptr);
  EXPECT_EQ(format->name, "ncu-rep");
  EXPECT_TRUE(format->offers(InputKind::kProfile));
  EXPECT_TRUE(format->offers(InputKind::kCode));
  EXPECT_FALSE(format->offers(InputKind::kBenchmark));
}

TEST(Formats, EachOffersSomethingAndHasWords) {
  for (const Format& format : formats()) {
    bool offers = false;
    for (const InputKind kind : kInputKinds) offers = offers || format.offers(kind);
    EXPECT_TRUE(offers) << format.name;
    EXPECT_FALSE(format.what.empty() || format.summary.empty()) << format.name;
  }
}

std::string error_of(std::string_view bytes, std::initializer_list<InputKind> wanted) {
  auto input = Input::from_memory(bytes, "file");
  const auto format = identify(*input, wanted);
  return format ? "" : format.error().message;
}

TEST(Formats, ErrorsSayWhatAFileIsAndWhoTakesIt) {
  constexpr std::string_view kNvbench = R"({"devices":[],"benchmarks":[]})";
  EXPECT_EQ(error_of(kNvbench, {InputKind::kBenchmark}), "");
  EXPECT_EQ(error_of(kNvbench, {InputKind::kCode, InputKind::kBenchmark}), "");
  EXPECT_EQ(error_of(kNvbench, {InputKind::kCode}),
            "\"file\" is a benchmark result of nvbench: use show, plot or decide");
  EXPECT_EQ(error_of(kReport, {InputKind::kSanitizerLog}),
            "\"file\" is an Nsight Compute report: use show, diagnose, compare or sass");
  EXPECT_EQ(error_of(kRecordingMagic, {InputKind::kProfile}),
            "\"file\" is a recording of proofline's recorder: use timeline or compare");
  EXPECT_EQ(error_of("hello", {InputKind::kProfile, InputKind::kCeilings}),
            "\"file\": no known format; known formats: ceilings, ncu-csv, ncu-rep, ncu-text (see "
            "'proofline list readers')");
  EXPECT_EQ(error_of("{}", {InputKind::kCeilings}),
            "\"file\": looks like JSON; known formats: ceilings (see 'proofline list readers')");
}

TEST(Formats, EveryWayToReadSaysTheSame) {
  const auto error = [](auto read) {
    auto input = Input::from_memory("========= ERROR SUMMARY: 0 errors\n", "log");
    const auto result = read(*input);
    return result ? "" : result.error().message;
  };
  const std::string expected = "\"log\" is a log of compute-sanitizer: use show or diagnose";
  EXPECT_EQ(error([](Input& input) { return read_profile(input, {}); }), expected);
  EXPECT_EQ(error([](Input& input) { return read_code(input); }), expected);
  EXPECT_EQ(error([](Input& input) { return read_benchmark(input); }), expected);
}

}  // namespace
}  // namespace proofline::formats_test

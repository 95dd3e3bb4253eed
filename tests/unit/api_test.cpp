// SPDX-License-Identifier: Apache-2.0
//
// What a program that links the library relies on: results own what they say, errors say what is
// wrong, and every result can be rendered in every format.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "proofline/check.h"
#include "proofline/code.h"
#include "proofline/compare.h"
#include "proofline/decide.h"
#include "proofline/diagnose.h"
#include "proofline/facts.h"
#include "proofline/load.h"
#include "proofline/measure.h"
#include "proofline/render.h"
#include "proofline/sanitizer.h"
#include "proofline/timeline.h"

namespace proofline::api_test {
namespace {

constexpr const char* kReport = "tests/fixtures/ncu_rep/h200-graph.ncu-rep.gz";
constexpr const char* kCubin = "tests/fixtures/cubin/kernels.sm_90a.cubin.gz";
constexpr const char* kBenchmark = "tests/fixtures/benchmark/ours.json";
constexpr const char* kTimeline = "tests/fixtures/timeline/host_bound.pt.trace.json.gz";
constexpr const char* kKernels = "examples/h200-kernels.ncu-rep.gz";
constexpr const char* kPlaybook = "tests/fixtures/playbooks/transpose.toml";
constexpr const char* kLog = "tests/fixtures/sanitizer/leak.log";

std::string in_tree(const std::string& path) {
  return (std::filesystem::path(PROOFLINE_SOURCE_DIR) / path).string();
}

template <class T>
T must(Result<T> result) {
  EXPECT_TRUE(result) << result.error().message;
  return *std::move(result);
}

Profile report() { return must(load(in_tree(kReport))); }
Code cubin() { return must(load_code(in_tree(kCubin))); }

// In each format, and in a form of its own in each.
template <class T>
void expect_rendered(const T& result) {
  std::string before;
  for (const char* format : {"terminal", "markdown", "csv", "json"}) {
    const std::string text = must(render(result, format));
    EXPECT_FALSE(text.empty()) << format;
    EXPECT_NE(text, before) << format;
    before = text;
  }
  const auto unknown = render(result, "papyrus");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::kUsage);
}

TEST(Api, IdentifiesByContent) {
  const FileFormat rep = must(identify_file(in_tree(kReport)));
  EXPECT_EQ(rep.name, "ncu-rep");
  EXPECT_EQ(rep.kinds, (std::vector{InputKind::kProfile, InputKind::kCode}));
  EXPECT_TRUE(rep.is(InputKind::kCode));
  EXPECT_FALSE(rep.is(InputKind::kBenchmark));
  const FileFormat binary = must(identify_file(in_tree(kCubin)));
  EXPECT_EQ(binary.kinds, std::vector{InputKind::kCode});
  EXPECT_TRUE(must(identify_file(in_tree(kBenchmark))).is(InputKind::kBenchmark));
  EXPECT_TRUE(must(identify_file(in_tree(kTimeline))).is(InputKind::kTimeline));
  EXPECT_TRUE(must(identify_file(in_tree(kLog))).is(InputKind::kSanitizerLog));
  const FileFormat ceilings = must(identify_file(in_tree("tests/fixtures/ceilings/ceilings.json")));
  EXPECT_EQ(ceilings.kinds, std::vector{InputKind::kCeilings});
  EXPECT_FALSE(identify_file(in_tree("README.md")));
  EXPECT_FALSE(identify_file(in_tree("absent")));
}

TEST(Api, FactsAndMetricsByName) {
  const Profile profile = report();
  const Facts facts = facts_of(profile, profile.launches.front());
  EXPECT_TRUE(facts.number("gpu__time_duration.sum"));
  EXPECT_FALSE(facts.published().empty());
  EXPECT_FALSE(facts.number("no.such.fact"));
  EXPECT_FALSE(facts.absence("no.such.fact").reason.empty());
}

TEST(Api, ADiagnosisOutlivesItsProfile) {
  auto profile = std::make_unique<Profile>(report());
  const Diagnosis diagnosis = diagnose(*profile);
  const std::string before = must(render(diagnosis, "json", {.verbose = true}));
  const auto duration = diagnosis.kernels.front().facts.number("gpu__time_duration.sum");
  profile.reset();
  EXPECT_EQ(must(render(diagnosis, "json", {.verbose = true})), before);
  EXPECT_EQ(diagnosis.kernels.front().facts.number("gpu__time_duration.sum"), duration);
  EXPECT_TRUE(duration);
}

TEST(Api, ComparesProfilesOrSaysWhyNot) {
  const Profile profile = report();
  const ProfileComparison same = must(compare(profile, profile));
  EXPECT_FALSE(same.kernels.empty());
  const Profile other = must(load(in_tree("tests/fixtures/ncu_rep/h200-memory.ncu-rep.gz")));
  const auto nothing = compare(profile, other);
  ASSERT_FALSE(nothing);
  EXPECT_NE(nothing.error().message.find("cannot compare"), std::string::npos);
}

TEST(Api, AnalysesAndComparesCode) {
  const Code code = cubin();
  const auto functions = code.functions();
  ASSERT_EQ(functions.size(), 3U);
  EXPECT_EQ(functions.front().arch, "sm_90a");
  EXPECT_GT(functions.front().instructions, 0U);
  for (const Code::Check& check : must(code.check("STG"))) {
    EXPECT_EQ(check.state, Code::State::kPass) << check.why;
  }
  for (const Code::Check& check : must(code.check("STG", Code::Claim::kForbidden))) {
    EXPECT_EQ(check.state, Code::State::kFail) << check.why;
  }
  EXPECT_FALSE(code.check("in in in"));
  EXPECT_FALSE(load_code(in_tree(kCubin), {.function = "no_such_function"}));

  EXPECT_TRUE(must(compare(code, code)).same());
  const Code older = must(load_code(in_tree("tests/fixtures/sass/copies.sm_80.cubin.gz")));
  const Code newer = must(load_code(in_tree("tests/fixtures/sass/copies.sm_90a.cubin.gz")));
  const CodeChanges changes = must(compare(older, newer));
  EXPECT_FALSE(changes.same());
  EXPECT_FALSE(changes.functions().front().changes.empty());
  EXPECT_FALSE(compare(older, code));
}

TEST(Api, DecidesBetweenTwoFilesOrTwoSides) {
  const BenchmarkSeries before = must(load_benchmark(in_tree("examples/before.json")));
  const BenchmarkSeries after = must(load_benchmark(in_tree("examples/after.json")));
  EXPECT_EQ(must(decide(before, after)).verdict, DecisionVerdict::kKeep);
  EXPECT_EQ(must(decide(after, before)).verdict, DecisionVerdict::kRevert);
  BenchmarkSeries both = before;
  both.sides.push_back(after.sides.front());
  EXPECT_EQ(must(decide(both)).verdict, DecisionVerdict::kKeep);
  const auto one = decide(before);
  ASSERT_FALSE(one);
  EXPECT_EQ(one.error().kind, ErrorKind::kUsage);
  EXPECT_FALSE(decide(both, after));
}

TEST(Api, MeasuresProgramsThatAreThere) {
  const auto nothing = measure({}, {"true"});
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().kind, ErrorKind::kUsage);
  EXPECT_FALSE(measure({"true"}, {"/no/such/program"}));
}

TEST(Api, JudgesATimeline) {
  const JudgedTimeline timeline = must(load_timeline({in_tree(kTimeline)}));
  EXPECT_FALSE(timeline.headline().empty());
  EXPECT_FALSE(timeline.findings().empty());
  EXPECT_TRUE(timeline.facts().number("timeline.gpu_idle.share"));
  EXPECT_FALSE(load_timeline({in_tree(kReport)}));
}

TEST(Api, ReadsLogsOfSanitizers) {
  const SanitizerRun logs = must(load_sanitizer_logs({in_tree(kLog)}));
  EXPECT_EQ(logs.outcome(), SanitizerOutcome::kFindings);
  EXPECT_FALSE(load_sanitizer_logs({in_tree(kReport)}));
}

TEST(Api, ChecksEvidenceByAPlaybook) {
  const Checked checked = must(check(in_tree(kPlaybook), {.files = {in_tree(kKernels)}}));
  EXPECT_EQ(checked.verdict(), Checked::Verdict::kFail);
  EXPECT_FALSE(checked.checks().empty());
  EXPECT_FALSE(check("no-such-playbook", {.files = {in_tree(kKernels)}}));
}

TEST(Api, RendersEveryResultInEveryFormat) {
  const Profile profile = report();
  expect_rendered(profile);
  expect_rendered(diagnose(profile));
  expect_rendered(must(compare(profile, profile)));
  const Code code = cubin();
  expect_rendered(code);
  expect_rendered(must(compare(code, code)));
  const BenchmarkSeries before = must(load_benchmark(in_tree("examples/before.json")));
  const BenchmarkSeries after = must(load_benchmark(in_tree("examples/after.json")));
  expect_rendered(before);
  expect_rendered(must(decide(before, after)));
  expect_rendered(must(load_timeline({in_tree(kTimeline)})));
  expect_rendered(must(load_sanitizer_logs({in_tree(kLog)})));
  expect_rendered(must(check(in_tree(kPlaybook), {.files = {in_tree(kKernels)}})));
}

}  // namespace
}  // namespace proofline::api_test

// SPDX-License-Identifier: Apache-2.0
//
// What people and programs are shown of the sanitizers' findings.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/record_json.h"
#include "readers/sanitizer/sanitizer_log.h"
#include "views/machine/sanitizer_document.h"
#include "views/view.h"

namespace proofline::sanitizer_views_test {
namespace {

SanitizerRun run_of(std::string_view text) {
  SanitizerRun run;
  auto input = Input::from_memory(text, "text.log");
  SanitizerToolResult& result = run.tools.emplace_back();
  result.log = *read_sanitizer_log(*input);
  result.tool = result.log.tool;
  judge_log(result);
  return run;
}

std::string shown(const SanitizerRun& run, std::string_view format) {
  std::string text;
  Output output(text);
  find_view(format)->render(
      {[&] { return compose_sanitizer(run); }, [&](JsonWriter& json) { write_record(run, json); }},
      {}, output);
  output.flush();
  return text;
}

constexpr std::string_view kWrite =
    "========= COMPUTE-SANITIZER\n"
    "========= Invalid __global__ write of size 4 bytes\n"
    "=========     at void ns::fill<float>(T1 *)+0x90 in fill.cu:8\n"
    "=========     by thread (31,0,0) in block (7,0,0)\n"
    "=========     Access to 0x7fa0 is out of bounds\n"
    "=========     and is 1 bytes after the nearest allocation at 0x7000 of size 4,000 bytes\n"
    "========= \n"
    "========= ERROR SUMMARY: 1 error\n";

TEST(SanitizerViews, FindingSaysWhatWhereAndWhatNext) {
  const std::string text = shown(run_of(kWrite), "terminal");
  for (const std::string_view part :
       {"Errors found by memcheck", "out-of-bounds global write of 4 bytes in fill, fill.cu:8",
        "1 error", "(31,0,0)", "(7,0,0)", "1 byte after the allocation of 4,000 bytes", "next"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(SanitizerViews, VerdictIsFirst) {
  const std::string banner = "========= COMPUTE-SANITIZER\n";
  EXPECT_TRUE(shown(run_of(banner + "========= ERROR SUMMARY: 0 errors\n"), "terminal")
                  .starts_with("No errors: compute-sanitizer\n"));
  EXPECT_TRUE(shown(run_of(banner), "terminal").starts_with("Not checked"));
  EXPECT_TRUE(shown(run_of(banner + "========= Target application returned an error\n"
                                    "========= ERROR SUMMARY: 0 errors\n"),
                    "terminal")
                  .starts_with("Nothing found, but the program itself failed"));
}

TEST(SanitizerViews, StrangersNamesAreInert) {
  std::string hostile(kWrite);
  hostile.insert(hostile.find("fill<float>"), "\x1b]0;title\x07");
  EXPECT_EQ(shown(run_of(hostile), "terminal").find('\x1b'), std::string::npos);
}

TEST(SanitizerViews, JsonNamesKindsAndKeepsNumbers) {
  const std::string json = shown(run_of(kWrite), "json");
  for (const std::string_view part :
       {R"("outcome":"findings")", R"("kind":"out-of-bounds")", R"("level":"error")",
        R"("file":"fill.cu","line":8)", R"("first":[31,0,0])", R"("command":null)",
        R"("complete":true)", R"("distance":1)"}) {
    EXPECT_NE(json.find(part), std::string::npos) << part << "\n" << json;
  }
}

TEST(SanitizerViews, EveryKindHasANameOfItsOwn) {
  for (int i = 0; i < static_cast<int>(SanitizerKind::kUnknown); ++i) {
    const auto kind = static_cast<SanitizerKind>(i);
    EXPECT_NE(to_string(kind), "unknown");
    EXPECT_FALSE(next_step(kind).empty()) << to_string(kind);
  }
}

}  // namespace
}  // namespace proofline::sanitizer_views_test

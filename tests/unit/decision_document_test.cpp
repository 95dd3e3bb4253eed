// SPDX-License-Identifier: Apache-2.0
//
// A decision in every view: the verdict is first, what is not known is not shown as a number,
// and a stranger's names do nothing.
#include "views/measurement/decision_document.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/output.h"
#include "base/record_json.h"
#include "views/view.h"

namespace proofline::decision_document_test {
namespace {

Decision kept() {
  Decision decision;
  decision.a_path = "before.json";
  decision.b_path = "after.json";
  decision.verdict = DecisionVerdict::kKeep;
  decision.reason = "1.31x faster (1.29 to 1.33) at n=8192; a clear gain";
  decision.next = {"check B's results"};
  decision.overall = RatioEstimate{0.763, 0.752, 0.775};
  decision.gates = {{"correctness", GateState::kNotRun, "no result was checked"}};
  decision.differences = {{"gpu-uuid", "GPU-1", "GPU-2", false}};
  DecidedConfiguration one;
  one.benchmark = "transpose";
  one.implementation_a = "naive";
  one.implementation_b = "tiled";
  one.axes = {{"n", "8192"}};
  one.a_ns = 14200;
  one.b_ns = 10835;
  one.time = {0.763, 0.752, 0.775};
  one.cycles = RatioEstimate{0.764, 0.753, 0.776};
  one.change = "faster";
  one.pairs = 30;
  one.flags = {"outliers"};
  one.a_rate = 1e12;
  one.b_rate = 1.31e12;
  one.rate_unit = "B/s";
  decision.configurations = {one};
  decision.unmatched = {"A: transpose n=16"};
  decision.explanation = {"transpose: barrier share 41 % to 3 %"};
  decision.notes = {{NoteKind::kInfo, "A", "something to know"}};
  return decision;
}

std::string rendered(const Decision& decision, std::string_view view, bool rows = false) {
  std::string text;
  Output output(text);
  const Presentation presentation{
      [&] { return rows ? compose_decision_rows(decision) : compose_decision(decision); },
      [&](JsonWriter& json) { write_record(decision, json); }};
  find_view(view)->render(presentation, {}, output);
  output.flush();
  return text;
}

void expect_says(const std::string& text, const std::string& words) {
  EXPECT_NE(text.find(words), std::string::npos) << words << " is not in\n" << text;
}

TEST(DecisionDocument, TheVerdictStandsFirst) {
  const std::string text = rendered(kept(), "terminal");
  EXPECT_TRUE(text.starts_with("KEEP: 1.31x faster (1.29 to 1.33) at n=8192; a clear gain"))
      << text;
  for (const char* words :
       {"next: check B's results", "before.json", "transpose naive -> tiled n=8192", "14.20 us",
        "0.752 to 0.775", "0.764", "1 TB/s to 1.31 TB/s", "outliers", "not-run", "gpu-uuid",
        "barrier share 41 % to 3 %", "A: transpose n=16", "something to know", "95 %"}) {
    expect_says(text, words);
  }
}

TEST(DecisionDocument, SidesOfOneFileAreToldApart) {
  Decision decision = kept();
  decision.a_path = decision.b_path = "both.json";
  decision.a_label = "a: ./old --n 8192";
  decision.b_label = "b: ./new --n 8192";
  for (const char* view : {"terminal", "markdown"}) {
    const std::string text = rendered(decision, view);
    expect_says(text, "a: ./old --n 8192");
    expect_says(text, "b: ./new --n 8192");
    expect_says(text, "both.json");
  }
  expect_says(rendered(decision, "json"), R"("a":"both.json","a_label":"a: ./old --n 8192")");
}

TEST(DecisionDocument, WithoutPairsThereIsNoRatio) {
  Decision decision = kept();
  decision.overall.reset();
  DecidedConfiguration& one = decision.configurations[0];
  one.pairs = 0;
  one.a_ns = 0;
  one.time = {1, 1, 1};
  one.cycles.reset();
  one.change = "unclear";
  expect_says(rendered(decision, "terminal"), "not compared");
  EXPECT_EQ(rendered(decision, "terminal").find("1.000"), std::string::npos);
  const std::string json = rendered(decision, "json");
  for (const char* member :
       {"\"time\":null", "\"cycles\":null", "\"a_ns\":null", "\"overall\":null"}) {
    expect_says(json, member);
  }
}

TEST(DecisionDocument, AnIntervalWithoutEndIsSaidToBeSo) {
  Decision decision = kept();
  decision.configurations[0].time = {0.9, 0, std::numeric_limits<double>::infinity()};
  expect_says(rendered(decision, "terminal"), "unbounded");
  expect_says(rendered(decision, "json"), "\"high\":null");
  EXPECT_EQ(rendered(decision, "csv", true).find("inf"), std::string::npos);
}

TEST(DecisionDocument, RowsAreForPrograms) {
  const std::string text = rendered(kept(), "csv", true);
  expect_says(text, "\"verdict\",\"benchmark\"");
  expect_says(text, "\"KEEP\",\"transpose\",\"naive\",\"tiled\",\"n=8192\",\"faster\"");
}

TEST(DecisionDocument, HostileNamesAreInert) {
  Decision decision = kept();
  const std::string name = "\x1b[2J<script>|`\xff" + std::string(1 << 14, 'x');
  DecidedConfiguration& one = decision.configurations[0];
  one.benchmark = one.implementation_a = name;
  one.axes = {{name, name}};
  decision.a_path = decision.a_label = name;
  decision.unmatched.assign(30, name);
  decision.differences = {{"gpu", name, name, true}};
  for (const View& view : views()) {
    const std::string text = rendered(decision, view.name, view.name == "csv");
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << view.name;
  }
  // Each name is shown short.
  EXPECT_LT(rendered(decision, "terminal").size(), 1U << 18U);
}

}  // namespace
}  // namespace proofline::decision_document_test

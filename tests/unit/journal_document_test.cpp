// SPDX-License-Identifier: Apache-2.0
//
// What people and programs are shown of a journal.
#include "views/journal/journal_document.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "analysis/journal/calibration.h"
#include "base/record_json.h"
#include "store/entries/attempts.h"
#include "support/journal_builder.h"
#include "views/journal/baseline_document.h"
#include "views/journal/entry_lines.h"
#include "views/view.h"
#include "workflow/journal/journal_results.h"

namespace proofline::journal_document_test {
namespace {

std::string shown(const Document& document, std::string_view format) {
  std::string text;
  Output output(text);
  find_view(format)->render({[&] { return document; }, [](JsonWriter&) {}}, {}, output);
  output.flush();
  return text;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

JournalReading reading_of(const JournalBuilder& journal) {
  JournalReading reading;
  reading.where = "journal.sqlite";
  reading.attempts = attempts_of(journal.entries);
  reading.calibrations = calibrations_of(reading.attempts);
  return reading;
}

JournalBuilder two_attempts() {
  JournalBuilder journal;
  journal.open("3f2a90c1aaaa", "mbarriers instead of __syncthreads", "barriers",
               GainRange{0.1, 0.2});
  journal.decide("3f2a90c1aaaa", DecisionVerdict::kKeep, 0.764);
  journal.open("77777777bbbb", "wider loads");
  journal.decide("77777777bbbb", DecisionVerdict::kRevert, 1.031);
  return journal;
}

TEST(JournalDocument, ListSaysExpectedAndRealised) {
  const std::string text = shown(compose_attempts(reading_of(two_attempts())), "terminal");
  for (const std::string_view part :
       {"2 attempts: 1 kept, 1 reverted", "3f2a90c1  2026-11-15 00:01  mbarriers", "10 to 20 %",
        "23.6 % (22.6 to 24.6 %)", "-3.1 % (-4.1 to -2.1 %)", "kept", "reverted"}) {
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  }
}

TEST(JournalDocument, IdsAreAsLongAsTheyMustBe) {
  JournalBuilder journal;
  journal.open("0123456789ab", "x");
  EXPECT_EQ(short_id_length(attempts_of(journal.entries)), 8U);
  journal.open("0123456789ff", "y");
  EXPECT_EQ(short_id_length(attempts_of(journal.entries)), 11U);
}

TEST(JournalDocument, ShowHasEveryEntryAlsoOfUnknownKinds) {
  JournalBuilder journal = two_attempts();
  journal.add("f", "3f2a90c1aaaa", "future", R"({"median_ns":1500,"deep":{"a":[1,{"b":true}]}})");
  journal.add("g", "3f2a90c1aaaa", "note", "not JSON");
  const std::string text =
      shown(compose_attempt(attempts_of(journal.entries).at(0), {}), "terminal");
  for (const std::string_view part :
       {"kept: measured", "barrier share 41 % to 3 %", "verdict: KEEP", "ratio 0.764",
        "median: 1.50 us", "deep: a 1, (b yes)", "cannot be read as a JSON object", "4. note"}) {
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  }
}

TEST(JournalDocument, ATextOfSeveralLinesIsShownAsSuch) {
  JournalBuilder journal;
  journal.add("a", "", "close", R"({"reason":"exited with 1\n\n  kept in x","state":"failed"})");
  const auto lines = entry_lines(journal.entries.at(0));
  std::string text;
  for (const Point::Line& line : lines) text.append(line.label).append("|" + line.text + "\n");
  EXPECT_EQ(text, "reason|exited with 1\n|\n|kept in x\nstate|failed\n");
}

TEST(JournalDocument, ExportGroupsByOutcomeWithReasonsAndCalibration) {
  const std::string text = shown(compose_optimizations(reading_of(two_attempts())), "markdown");
  const std::size_t kept = text.find("## Kept");
  const std::size_t reverted = text.find("## Reverted");
  ASSERT_NE(kept, std::string::npos) << text;
  EXPECT_LT(kept, reverted);
  EXPECT_TRUE(has(text.substr(reverted), "wider loads")) << text;
  EXPECT_TRUE(has(text.substr(reverted), "measured")) << text;
  EXPECT_TRUE(has(text, "| all | 1 | 0 | 0 | 1 | 15 % | 23.6 % |")) << text;
  EXPECT_TRUE(has(text, "1 kind of change has no row yet: that takes 3 attempts")) << text;
  EXPECT_EQ(text.substr(0, text.find('\n')), "# Optimisations");
  EXPECT_FALSE(has(text, "## Abandoned"));
}

TEST(JournalDocument, AnEmptyJournalSaysSo) {
  EXPECT_TRUE(has(shown(compose_attempts({}), "terminal"), "0 attempts"));
  EXPECT_TRUE(has(shown(compose_optimizations({}), "markdown"), "No attempt has both"));
  EXPECT_TRUE(has(shown(compose_baselines({}, {}), "terminal"), "No baselines"));
}

TEST(JournalDocument, AStrangersTextIsInertInEveryView) {
  const std::string hostile =
      "\x1b]0;t\x07=cmd|'x'<script>alert(1)</script>[a](http://b)\n# c \xe2\x80\xae";
  JournalBuilder journal;
  journal.open(hostile, hostile, hostile);
  journal.add(hostile, hostile, hostile, encode_entry(NoteEntry{hostile}));
  journal.add("i", hostile, CloseEntry{AttemptState::kReverted, hostile});
  JournalReading reading = reading_of(journal);
  reading.remarks = {{hostile, hostile}};
  RecordedMeasurement measurement;
  measurement.configuration = measurement.state = hostile;
  const Baseline baseline{hostile, hostile, hostile, hostile, hostile, hostile, {measurement}};
  Verification verification;
  verification.breaks = {{hostile, 1, hostile}};
  const Document documents[] = {compose_attempts(reading),
                                compose_attempt_rows(reading),
                                compose_attempt(reading.attempts.at(0), {}),
                                compose_optimizations(reading),
                                compose_baselines({baseline}, {}),
                                compose_baseline(baseline, {}),
                                compose_verification(hostile, verification)};
  for (const Document& document : documents) {
    for (const View& view : views()) {
      if (view.name == "json") continue;
      const std::string text = shown(document, view.name);
      if (view.name == "csv") {  // for programs, which read fields as they are
        EXPECT_FALSE(has(text, "\"=cmd")) << text;
        continue;
      }
      EXPECT_FALSE(has(text, "\x1b")) << view.name;
      EXPECT_FALSE(has(text, "\xe2\x80\xae")) << view.name;
      EXPECT_FALSE(has(text, "\n# c")) << view.name;
      if (view.name == "terminal") continue;
      EXPECT_FALSE(has(text, "<script>alert")) << view.name << text;
    }
  }
}

TEST(JournalDocument, AFloodOfMembersIsCut) {
  std::string body = "{\"many\":[1";
  for (int i = 0; i < 5000; ++i) body += ",2";
  JournalEntry entry;
  entry.body = body + "]}";
  const auto lines = entry_lines(entry);
  EXPECT_LT(lines.size(), 400U);
  EXPECT_TRUE(has(lines.back().text, "more"));
}

TEST(JournalDocument, VerificationNamesTheEntries) {
  Verification verification;
  verification.entries = 9;
  verification.chains = 1;
  EXPECT_TRUE(
      has(shown(compose_verification("j", verification), "terminal"), "Journal intact: 9 entries"));
  verification.breaks = {{"c1", 7, "entry 7 is missing"}};
  const std::string text = shown(compose_verification("j", verification), "terminal");
  EXPECT_TRUE(has(text, "Journal broken at 1 place")) << text;
  EXPECT_TRUE(has(text, "entry 7 is missing")) << text;
}

TEST(JournalJson, HoldsTheEntriesAsTheyWereWritten) {
  std::string text;
  {
    Output output(text);
    JsonWriter json(output);
    write_record(reading_of(two_attempts()), json, {.requested = {"entries"}});
    output.flush();
  }
  for (const std::string_view part :
       {R"("result":"journal")", R"("expected":{"low":0.1,"high":0.2})", R"("state":"reverted")",
        R"("expected":null)", R"("body":"{\"hypothesis\":)", R"("kind":"","attempts":1)"}) {
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  }
}

}  // namespace
}  // namespace proofline::journal_document_test

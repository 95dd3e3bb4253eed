// SPDX-License-Identifier: Apache-2.0
//
// The bytes of the journal's entries: what is written comes back, and stays what it was, so that
// journals of earlier versions can be read and their hashes hold.
#include "store/entries/entry_codec.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/entries/result_entries.h"

namespace proofline::entry_codec_test {
namespace {

JournalEntry stored(std::string_view kind, std::string body) {
  JournalEntry entry;
  entry.kind = kind;
  entry.body = std::move(body);
  return entry;
}

JournalEntry stored(const EntryContent& content) {
  NewEntry entry = new_entry("", "", content);
  return stored(entry.kind, std::move(entry.body));
}

std::vector<RecordedSide> sides() {
  RecordedMeasurement right;
  right.configuration = "transpose tiled n=8192";
  right.state = "measured";
  right.correctness = "passed";
  right.max_abs_error = 0.125;
  right.max_rel_error = 1e-6;
  right.median_ns = 104.5;
  right.low_ns = 101.5;
  right.high_ns = 107.5;
  right.samples = 9;
  right.throttled = 1;
  RecordedMeasurement wrong;
  wrong.configuration = "transpose wrong";
  wrong.state = "wrong";
  wrong.reason = "3 elements differ";
  wrong.correctness = "failed";
  return {{"a", "./old --fast", "NVIDIA H200", "580.95.05", 1500, {right, wrong}}};
}

DecisionEntry decision() {
  DecisionEntry entry;
  entry.verdict = DecisionVerdict::kKeep;
  entry.reason = "23.6 % less time";
  entry.a = entry.b = "runs/1/benchmark.json";
  entry.a_label = "a: ./old --fast";
  entry.b_label = "b: ./new";
  entry.confidence = 0.95;
  entry.threshold = 0.005;
  entry.overall = RecordedRatio{0.764, 0.754, {}};
  entry.gates = {{"check", GateState::kPassed, "./check returned 0"}};
  RecordedChange faster;
  faster.configuration = "transpose naive -> tiled n=8192";
  faster.change = "faster";
  faster.a_ns = 131.25;
  faster.b_ns = 100;
  faster.time = RecordedRatio{0.764, 0.754, 0.774};
  faster.cycles = RecordedRatio{0.75, 0.7, 0.8};
  faster.pairs = 12;
  faster.throttled = 1;
  faster.flags = {"drift"};
  entry.configurations = {faster};
  entry.unmatched = {"b: copy n=1"};
  entry.explanation = {"12 registers more"};
  entry.next = {"commit it"};
  entry.run = "runs/1";
  return entry;
}

struct Recorded {
  EntryContent content;
  std::string body;  // as version 0.1 stored it
};

std::vector<Recorded> recorded() {
  return {
      {Intent{"mbarriers instead of \"__syncthreads\"",
              "synchronisation",
              GainRange{0.1, 0.2},
              "deadlock",
              "0f15910c",
              "1 file changed, 2 insertions(+)",
              {"./old --fast", "./new"}},
       R"x({"hypothesis":"mbarriers instead of \"__syncthreads\"","kind":"synchronisation",)x"
       R"x("expected":{"low":0.1,"high":0.2},"risk":"deadlock","commit":"0f15910c",)x"
       R"x("diff_stat":"1 file changed, 2 insertions(+)","commands":["./old --fast",)x"
       R"x("./new"]})x"},
      {Intent{"pad",
              "shared",
              {},
              "",
              "",
              "",
              {},
              AttemptItem{"transpose",
                          "pad",
                          "transpose_tiled",
                          "NVIDIA H200",
                          "9.0",
                          {"shared-bank-conflicts"}}},
       R"x({"hypothesis":"pad","kind":"shared","expected":null,"risk":"","commit":"","diff_stat":"",)x"
       R"x("commands":[],"item":{"playbook":"transpose","id":"pad","kernel":"transpose_tiled",)x"
       R"x("gpu":"NVIDIA H200","cc":"9.0","answers":["shared-bank-conflicts"],"play":""}})x"},
      {Intent{},
       R"x({"hypothesis":"","kind":"","expected":null,"risk":"","commit":"","diff_stat":"",)x"
       R"x("commands":[]})x"},
      {CorrectnessEntry{{{"check", GateState::kPassed, "./check returned 0"},
                         {"sanitizer", GateState::kFailed, "2 races"},
                         {"same-machine", GateState::kNotRun, ""}},
                        "runs/0"},
       R"x({"gates":[{"name":"check","state":"passed","detail":"./check returned 0"},)x"
       R"x({"name":"sanitizer","state":"failed","detail":"2 races"},{"name":"same-machine",)x"
       R"x("state":"not-run","detail":""}],"run":"runs/0"})x"},
      {BenchmarkEntry{true, sides(), "runs/1"},
       R"x({"interleaved":true,"sides":[{"label":"a","command":"./old --fast",)x"
       R"x("gpu":"NVIDIA H200","driver":"580.95.05","locked_sm_mhz":1500.0,)x"
       R"x("measurements":[{"configuration":"transpose tiled n=8192","state":"measured",)x"
       R"x("reason":"","correctness":"passed","max_abs_error":0.125,)x"
       R"x("max_rel_error":0.000001,"median_ns":104.5,"low_ns":101.5,"high_ns":107.5,)x"
       R"x("samples":9,"throttled":1,"throttled_only":false},)x"
       R"x({"configuration":"transpose wrong","state":"wrong","reason":"3 elements differ",)x"
       R"x("correctness":"failed","max_abs_error":null,"max_rel_error":null,)x"
       R"x("median_ns":null,"low_ns":null,"high_ns":null,"samples":0,"throttled":0,)x"
       R"x("throttled_only":false}]}],"run":"runs/1"})x"},
      {ProfileEntry{{"12 registers more", "barrier share 41 % to 3 %"}, ""},
       R"x({"explanation":["12 registers more","barrier share 41 % to 3 %"],"run":""})x"},
      {AcceptanceEntry{"accepted", "duration 41 us -> 17 us"},
       R"({"state":"accepted","text":"duration 41 us -> 17 us"})"},
      {decision(),
       R"x({"verdict":"KEEP","reason":"23.6 % less time","a":"runs/1/benchmark.json",)x"
       R"x("a_label":"a: ./old --fast","b":"runs/1/benchmark.json","b_label":"b: ./new",)x"
       R"x("confidence":0.95,"threshold":0.005,"overall":{"ratio":0.764,"low":0.754,)x"
       R"x("high":null},"gates":[{"name":"check","state":"passed",)x"
       R"x("detail":"./check returned 0"}],)x"
       R"x("configurations":[{"configuration":"transpose naive -> tiled n=8192",)x"
       R"x("change":"faster","a_ns":131.25,"b_ns":100.0,"time":{"ratio":0.764,"low":0.754,)x"
       R"x("high":0.774},"cycles":{"ratio":0.75,"low":0.7,"high":0.8},"pairs":12,)x"
       R"x("throttled":1,"flags":["drift"]}],"unmatched":["b: copy n=1"],)x"
       R"x("explanation":["12 registers more"],"next":["commit it"],"run":"runs/1"})x"},
      {CloseEntry{AttemptState::kKept, "23.6 % less time"},
       R"x({"state":"kept","reason":"23.6 % less time"})x"},
      {BaselineEntry{"v1", "/results/v1.json", "a", "5e884898da28047151d0e56f8dc62927", true,
                     sides()},
       R"x({"name":"v1","path":"/results/v1.json","side":"a",)x"
       R"x("sha256":"5e884898da28047151d0e56f8dc62927","interleaved":true,)x"
       R"x("sides":[{"label":"a","command":"./old --fast","gpu":"NVIDIA H200",)x"
       R"x("driver":"580.95.05","locked_sm_mhz":1500.0,)x"
       R"x("measurements":[{"configuration":"transpose tiled n=8192","state":"measured",)x"
       R"x("reason":"","correctness":"passed","max_abs_error":0.125,)x"
       R"x("max_rel_error":0.000001,"median_ns":104.5,"low_ns":101.5,"high_ns":107.5,)x"
       R"x("samples":9,"throttled":1,"throttled_only":false},)x"
       R"x({"configuration":"transpose wrong","state":"wrong","reason":"3 elements differ",)x"
       R"x("correctness":"failed","max_abs_error":null,"max_rel_error":null,)x"
       R"x("median_ns":null,"low_ns":null,"high_ns":null,"samples":0,"throttled":0,)x"
       R"x("throttled_only":false}]}]})x"},
      {NoteEntry{"the clock is locked\nsince Monday"},
       R"x({"text":"the clock is locked\nsince Monday"})x"},
      {MissedEntry{"00ff", 7, "ab12"}, R"x({"chain":"00ff","sequence":7,"hash":"ab12"})x"},
  };
}

TEST(EntryCodec, EveryKindIsWrittenAndReadAsItAlwaysWas) {
  std::set<std::size_t> kinds;
  for (const Recorded& one : recorded()) {
    const JournalEntry entry = stored(one.content);
    kinds.insert(one.content.index());
    EXPECT_EQ(entry.body, one.body);
    const auto read = decode_entry(entry);
    ASSERT_TRUE(read) << entry.body;
    EXPECT_TRUE(*read == one.content) << entry.kind << " comes back as " << encode_entry(*read);
  }
  EXPECT_EQ(kinds.size(), std::variant_size_v<EntryContent> - 1) << "all but the unknown one";
}

TEST(EntryCodec, AnOldEntryMayLackMembersAndAnotherVersionMayAddSome) {
  const auto old = decode_entry_as<BaselineEntry>(
      stored("baseline", R"({"name":"v2","future":[1],"path":"/old.json"})"));
  BaselineEntry expected;
  expected.name = "v2";
  expected.path = "/old.json";
  EXPECT_EQ(old, expected);
}

TEST(EntryCodec, WhatIsNotOfTheExpectedTypeIsAbsent) {
  const auto intent = decode_entry_as<Intent>(stored(
      "open", R"({"hypothesis":7,"expected":{"low":0.1},"commands":["a",1,"b"],"risk":"x"})"));
  ASSERT_TRUE(intent);
  EXPECT_EQ(intent->hypothesis, "");
  EXPECT_FALSE(intent->expected) << "half a range is none";
  EXPECT_EQ(intent->commands, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(intent->risk, "x");
  const auto close = decode_entry_as<CloseEntry>(stored("close", R"({"state":"evil"})"));
  EXPECT_EQ(close, CloseEntry{});
  EXPECT_FALSE(decode_entry(stored("close", "[]")));
  EXPECT_FALSE(decode_entry_as<CloseEntry>(stored("note", "{}")));
}

TEST(EntryCodec, OfAnUnknownKindTheRunIsKnown) {
  const auto content = decode_entry(stored("future", R"({"run":"runs/7","state":"kept"})"));
  ASSERT_TRUE(content);
  EXPECT_EQ(std::get<UnknownEntry>(*content).run, "runs/7");
}

TEST(EntryCodec, SecretsInCommandsAreNotStored) {
  Intent intent;
  intent.commands = {"./old --token=hush"};
  DecisionEntry decided = decision();
  decided.a_label = "a: ./old --token=hush";
  decided.b_label = "b: ./new --token=hush";
  BenchmarkEntry benchmark{false, sides(), ""};
  benchmark.sides[0].command = "./old --token=hush";
  for (const EntryContent& content :
       {EntryContent(intent), EntryContent(decided), EntryContent(benchmark)}) {
    const std::string body = encode_entry(content);
    EXPECT_NE(body.find("./old --token=<redacted>"), std::string::npos) << body;
    EXPECT_EQ(body.find("hush"), std::string::npos) << body;
  }
}

TEST(EntryCodec, ADecisionIsKeptWithItsNumbers) {
  Decision decided;
  decided.verdict = DecisionVerdict::kRevert;
  decided.overall = RatioEstimate{1.1, 1.05, std::numeric_limits<double>::infinity()};
  DecidedConfiguration& one = decided.configurations.emplace_back();
  one.benchmark = "transpose";
  one.implementation_a = "naive";
  one.implementation_b = "tiled";
  one.axes = {{"n", "8192"}};
  one.pairs = 12;
  const auto kept = decode_entry_as<DecisionEntry>(stored(decision_entry(decided, "runs/1")));
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->verdict, DecisionVerdict::kRevert);
  EXPECT_EQ(kept->overall, (RecordedRatio{1.1, 1.05, {}})) << "an interval without an end";
  ASSERT_EQ(kept->configurations.size(), 1U);
  EXPECT_EQ(kept->configurations[0].configuration, "transpose naive -> tiled n=8192");
  EXPECT_EQ(kept->configurations[0].pairs, 12U);
  EXPECT_EQ(kept->run, "runs/1");
}

}  // namespace
}  // namespace proofline::entry_codec_test

// SPDX-License-Identifier: Apache-2.0
//
// A diagnosis as JSON: the contract's keys in their order, names for enums, null for absent.

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/record_json.h"
#include "proofline/version.h"
#include "support/diagnosis_builder.h"

namespace proofline::diagnosis_json_test {
namespace {

using test_support::DiagnosisBuilder;
using test_support::finding;

std::string written(const DiagnosisBuilder& builder, const WriteOptions& options = {}) {
  std::string text;
  Output output(text);
  JsonWriter json(output);
  write_record(builder.diagnosis, json, options);
  return text;
}

TEST(DiagnosisJson, IsTheContract) {
  DiagnosisBuilder builder;
  builder.diagnosis.notes.push_back({NoteKind::kLoss, "offset 7", "cut short", 2});
  KernelDiagnosis& kernel = builder.kernel("copy(float *)", 1500);
  kernel.function = "copy";
  kernel.findings.push_back(finding("uncoalesced-global", 0.25, 0.5));
  kernel.findings.back().symptoms.emplace_back().id = "dram-bandwidth";
  kernel.not_evaluated = {{"host-memory", {"memory.host.share"}, "why", "--section M"}};
  kernel.clean = {"small-grid"};
  kernel.notes.push_back({NoteKind::kInfo, "", "one launch only", 1});
  EXPECT_EQ(
      written(builder),
      "{\"schema_version\":\"1.0\",\"tool\":{\"name\":\"proofline\",\"version\":\"" +
          std::string(kVersion) +
          "\"},\"sources\":[{\"path\":\"report.ncu-rep\",\"format\":\"ncu-rep\","
          "\"producer\":\"Nsight Compute 2025.3.1\"}],"
          "\"notes\":[{\"kind\":\"loss\",\"place\":\"offset 7\",\"what\":\"cut short\","
          "\"count\":2}],"
          "\"kernels\":[{\"id\":0,\"source\":0,\"launches\":{\"count\":1,\"min_ns\":1500.0,"
          "\"median_ns\":1500.0,\"max_ns\":1500.0,\"total_ns\":1500.0,\"representative\":0,"
          "\"ids\":[0]},"
          "\"name\":\"copy(float *)\",\"function\":\"copy\",\"grid\":[1320,1,1],"
          "\"block\":[16,16,1],\"device\":{\"name\":\"NVIDIA H200\",\"cc\":\"9.0\"},"
          "\"duration_ns\":1500.0,"
          "\"verdict\":{\"bound\":\"memory\",\"at\":\"dram\","
          "\"headline\":\"Bound by DRAM: 86.1 % of its peak.\",\"provisional\":false},"
          "\"findings\":[{\"id\":\"uncoalesced-global\",\"rank\":1,\"severity\":\"high\","
          "\"statement\":\"Each sector of 32 bytes that a global load fetches serves 8 bytes.\","
          "\"evidence\":[{\"fact\":\"memory.global.load.sector_use.share\",\"value\":0.25,"
          "\"unit\":\"share\",\"op\":\"<=\",\"threshold\":0.5},"
          "{\"fact\":\"throughput.dram.share\",\"value\":0.861,\"unit\":\"share\",\"op\":\">=\","
          "\"threshold\":0.8},"
          "{\"fact\":\"throughput.dram.bytes_per_second\",\"value\":4130000000000.0,"
          "\"unit\":\"byte/s\",\"op\":\"\",\"threshold\":null}],"
          "\"gain\":{\"low\":0.25,\"high\":0.5,\"kind\":\"ceiling\"},"
          "\"next\":\"Let consecutive threads read consecutive addresses.\","
          "\"explains\":[\"dram-bandwidth\"],"
          "\"symptoms\":[{\"id\":\"dram-bandwidth\",\"rank\":1,\"severity\":\"info\","
          "\"statement\":\"\",\"evidence\":[],"
          "\"gain\":{\"low\":0.0,\"high\":0.0,\"kind\":\"share\"},\"next\":\"\","
          "\"explains\":[],\"symptoms\":[]}]}],"
          "\"not_evaluated\":[{\"id\":\"host-memory\",\"missing\":[\"memory.host.share\"],"
          "\"reason\":\"why\",\"capture\":\"--section M\"}],"
          "\"clean\":[\"small-grid\"],"
          "\"notes\":[{\"kind\":\"info\",\"place\":\"\",\"what\":\"one launch only\","
          "\"count\":1}]}]}");
}

TEST(DiagnosisJson, AbsentIsNull) {
  DiagnosisBuilder builder;
  KernelDiagnosis& kernel = builder.kernel("range", 0);
  kernel.grid.reset();
  kernel.block.reset();
  kernel.duration_ns.reset();
  kernel.spread = {1, {}, {}, {}, {}};
  const std::string text = written(builder);
  EXPECT_NE(text.find("\"min_ns\":null,\"median_ns\":null,\"max_ns\":null,\"total_ns\":null"),
            std::string::npos);
  EXPECT_NE(text.find("\"grid\":null,\"block\":null"), std::string::npos);
  EXPECT_NE(text.find("\"duration_ns\":null"), std::string::npos);
}

TEST(DiagnosisJson, RanksCountFromOne) {
  DiagnosisBuilder builder;
  KernelDiagnosis& kernel = builder.kernel("k", 1);
  kernel.findings = {finding("a", 0.3, 0.4), finding("b", 0.1, 0.2)};
  const std::string text = written(builder);
  EXPECT_NE(text.find("{\"id\":\"a\",\"rank\":1,"), std::string::npos);
  EXPECT_NE(text.find("{\"id\":\"b\",\"rank\":2,"), std::string::npos);
}

TEST(DiagnosisJson, FactsOnRequestAndNeverNan) {
  DiagnosisBuilder builder;
  KernelDiagnosis& kernel = builder.kernel("k", 1);
  kernel.facts.add({"stall.barrier.share", "share", 0.41, {"m1", "m2"}});
  kernel.facts.add({"occupancy.limiter", "", std::string("registers"), {}});
  kernel.facts.add({"odd", "", std::numeric_limits<double>::quiet_NaN(), {}});
  kernel.facts.add({"vast", "", std::numeric_limits<double>::infinity(), {}});
  kernel.facts.add_absent({"memory.host.share", "the capture lacks m3", {"m3"}});
  EXPECT_EQ(written(builder).find("\"facts\""), std::string::npos);
  EXPECT_NE(written(builder, {{"facts", "absent"}})
                .find("\"facts\":[{\"name\":\"stall.barrier.share\",\"value\":0.41,"
                      "\"unit\":\"share\",\"sources\":[\"m1\",\"m2\"]},"
                      "{\"name\":\"occupancy.limiter\",\"value\":\"registers\",\"unit\":\"\","
                      "\"sources\":[]}],"
                      "\"absent\":[{\"name\":\"memory.host.share\","
                      "\"reason\":\"the capture lacks m3\",\"metrics\":[\"m3\"]}]}"),
            std::string::npos);
}

TEST(DiagnosisJson, NvidiaRulesOnRequest) {
  DiagnosisBuilder builder;
  KernelDiagnosis& kernel = builder.kernel("k", 1);
  NvidiaRule rule;
  rule.id = "SOLBottleneck";
  rule.speedup = {true, 12.5};
  kernel.nvidia_rules.push_back(rule);
  EXPECT_EQ(written(builder).find("nvidia_rules"), std::string::npos);
  EXPECT_NE(written(builder, {{"nvidia_rules"}})
                .find("\"nvidia_rules\":[{\"id\":\"SOLBottleneck\",\"title\":\"\","
                      "\"section\":\"\",\"speedup\":{\"scope\":\"kernel\",\"percent\":12.5},"
                      "\"messages\":[]}]"),
            std::string::npos);
}

}  // namespace
}  // namespace proofline::diagnosis_json_test

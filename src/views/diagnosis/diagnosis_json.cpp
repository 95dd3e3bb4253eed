// SPDX-License-Identifier: Apache-2.0
//
// Writes a diagnosis with one order of keys, so that the same input gives the same bytes.
#include "views/diagnosis/diagnosis_json.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "views/diagnosis/comparison_json.h"
#include "views/json_parts.h"

namespace proofline {
namespace {

bool is_finite(const std::variant<double, std::string>& value) {
  const auto* number = std::get_if<double>(&value);
  return number == nullptr || std::isfinite(*number);
}

void write_evidence(const std::vector<Evidence>& evidence, JsonWriter& json) {
  json.key("evidence");
  json.begin_array();
  for (const Evidence& item : evidence) {
    if (!is_finite(item.value)) continue;
    json.begin_object();
    json.member("fact", item.fact);
    value_member(json, "value", item.value);
    json.member("unit", item.unit);
    json.member("op", item.op);
    json.key("threshold");
    item.op.empty() ? json.null() : json.number(item.threshold);
    json.end_object();
  }
  json.end_array();
}

void write_not_evaluated(const SharedList<NotEvaluated>& rules, JsonWriter& json) {
  json.objects("not_evaluated", rules, [&](const NotEvaluated& rule) {
    json.member("id", rule.id);
    texts_member(json, "missing", rule.missing);
    json.member("reason", rule.reason);
    json.member("capture", rule.capture);
  });
}

void write_launches(const KernelDiagnosis& kernel, JsonWriter& json) {
  json.key("launches");
  json.begin_object();
  write_spread(kernel.spread, kernel.launch, json);
  json.key("ids");
  json.begin_array();
  for (const std::size_t launch : kernel.launches) json.number(std::uint64_t{launch});
  json.end_array();
  json.end_object();
}

void write_kernel(const KernelDiagnosis& kernel, std::size_t id, const DiagnosisJsonParts& parts,
                  JsonWriter& json) {
  json.begin_object();
  json.member("id", std::uint64_t{id});
  json.member("source", std::uint64_t{kernel.source});
  write_launches(kernel, json);
  json.member("name", kernel.name);
  json.member("function", kernel.function);
  dim_member(json, "grid", kernel.grid);
  dim_member(json, "block", kernel.block);
  write_device(kernel.device_name, kernel.compute_capability, json);
  json.member("duration_ns", kernel.duration_ns);
  write_verdict(kernel.verdict, json);
  TriedBefore tried;
  if (parts.tried) {
    tried = [&](const Finding& finding) { return parts.tried(kernel, finding); };
  }
  write_findings("findings", kernel.findings, json, tried);
  write_not_evaluated(kernel.not_evaluated, json);
  texts_member(json, "clean", kernel.clean);
  write_notes(kernel.notes, json);
  if (parts.facts) write_facts(kernel.facts, json);
  if (parts.nvidia_rules) write_nvidia_rules(kernel.nvidia_rules, json);
  json.end_object();
}

}  // namespace

void write_findings(std::string_view key, const std::vector<Finding>& findings, JsonWriter& json,
                    const TriedBefore& tried) {
  json.key(key);
  json.begin_array();
  std::uint64_t rank = 0;
  for (const Finding& finding : findings) {
    json.begin_object();
    json.member("id", finding.id);
    json.member("rank", ++rank);
    json.member("severity", to_string(finding.severity));
    json.member("statement", finding.statement);
    write_evidence(finding.evidence, json);
    json.key("gain");
    write_gain(finding.gain, json);
    json.member("next", finding.next);
    json.array("explains", finding.symptoms,
               [&](const Finding& symptom) { json.text(symptom.id); });
    write_findings("symptoms", finding.symptoms, json, tried);
    const std::vector<std::string> before = tried ? tried(finding) : std::vector<std::string>();
    if (!before.empty()) texts_member(json, "tried", before);
    json.end_object();
  }
  json.end_array();
}

void write_facts(const Facts& facts, JsonWriter& json) {
  json.key("facts");
  json.begin_array();
  for (const Fact& fact : facts.published()) {
    if (!is_finite(fact.value)) continue;
    json.begin_object();
    json.member("name", fact.name);
    value_member(json, "value", fact.value);
    json.member("unit", fact.unit);
    texts_member(json, "sources", fact.sources.metrics());
    json.end_object();
  }
  json.end_array();
  json.objects("absent", facts.absent(), [&](const AbsentFact& absent) {
    json.member("name", absent.name);
    json.member("reason", absent.reason);
    texts_member(json, "metrics", absent.metrics);
  });
}

void write_diagnosis_json(const Diagnosis& diagnosis, const DiagnosisJsonParts& parts,
                          JsonWriter& json) {
  json.begin_object();
  write_tool(json);
  json.array("sources", diagnosis.sources,
             [&](const DiagnosisSource& source) { write_source(source, json); });
  write_notes(diagnosis.notes, json);
  json.key("kernels");
  json.begin_array();
  for (std::size_t i = 0; i < diagnosis.kernels.size(); ++i) {
    write_kernel(diagnosis.kernels[i], i, parts, json);
  }
  json.end_array();
  if (!parts.baseline.empty()) write_baseline(parts.baseline, json);
  if (parts.more) parts.more(json);
  json.end_object();
}

}  // namespace proofline

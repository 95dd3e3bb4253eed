// SPDX-License-Identifier: Apache-2.0
//
// Writes a diagnosis with one order of keys, so that the same input gives the same bytes.
#include "views/diagnosis_json.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "views/comparison_json.h"
#include "views/json_parts.h"

namespace proofline {
namespace {

void texts(std::string_view name, const std::vector<std::string>& values, JsonWriter& json) {
  json.key(name);
  json.begin_array();
  for (const std::string& value : values) json.text(value);
  json.end_array();
}

void value_member(const std::variant<double, std::string>& value, JsonWriter& json) {
  json.key("value");
  if (const auto* text = std::get_if<std::string>(&value)) {
    json.text(*text);
  } else {
    json.number(std::get<double>(value));
  }
}

bool is_finite(const std::variant<double, std::string>& value) {
  const auto* number = std::get_if<double>(&value);
  return number == nullptr || std::isfinite(*number);
}

void write_sources(const std::vector<DiagnosisSource>& sources, JsonWriter& json) {
  json.key("sources");
  json.begin_array();
  for (const DiagnosisSource& source : sources) {
    json.begin_object();
    json.member("path", source.path);
    json.member("format", source.format);
    json.member("producer", source.producer);
    json.end_object();
  }
  json.end_array();
}

void write_evidence(const std::vector<Evidence>& evidence, JsonWriter& json) {
  json.key("evidence");
  json.begin_array();
  for (const Evidence& item : evidence) {
    if (!is_finite(item.value)) continue;
    json.begin_object();
    json.member("fact", item.fact);
    value_member(item.value, json);
    json.member("unit", item.unit);
    json.member("op", item.op);
    json.key("threshold");
    item.op.empty() ? json.null() : json.number(item.threshold);
    json.end_object();
  }
  json.end_array();
}

void write_findings(const std::vector<Finding>& findings, JsonWriter& json) {
  json.key("findings");
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
    json.begin_object();
    json.member("low", finding.gain.low);
    json.member("high", finding.gain.high);
    json.member("kind", to_string(finding.gain.kind));
    json.end_object();
    json.member("next", finding.next);
    texts("explains", finding.explains, json);
    json.end_object();
  }
  json.end_array();
}

void write_not_evaluated(const std::vector<NotEvaluated>& rules, JsonWriter& json) {
  json.key("not_evaluated");
  json.begin_array();
  for (const NotEvaluated& rule : rules) {
    json.begin_object();
    json.member("id", rule.id);
    texts("missing", rule.missing, json);
    json.member("reason", rule.reason);
    json.member("capture", rule.capture);
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
    value_member(fact.value, json);
    json.member("unit", fact.unit);
    texts("sources", fact.sources, json);
    json.end_object();
  }
  json.end_array();
  json.key("absent");
  json.begin_array();
  for (const AbsentFact& absent : facts.absent()) {
    json.begin_object();
    json.member("name", absent.name);
    json.member("reason", absent.reason);
    texts("metrics", absent.metrics, json);
    json.end_object();
  }
  json.end_array();
}

void write_launches(const KernelDiagnosis& kernel, JsonWriter& json) {
  json.key("launches");
  json.begin_object();
  json.member("count", std::uint64_t{kernel.spread.count});
  member(json, "min_ns", kernel.spread.min_ns);
  member(json, "median_ns", kernel.spread.median_ns);
  member(json, "max_ns", kernel.spread.max_ns);
  member(json, "total_ns", kernel.spread.total_ns);
  json.member("representative", std::uint64_t{kernel.launch});
  json.key("ids");
  json.begin_array();
  for (const std::size_t launch : kernel.launches) json.number(std::uint64_t{launch});
  json.end_array();
  json.end_object();
}

void write_kernel(const KernelDiagnosis& kernel, std::size_t id, std::span<const Profile> profiles,
                  const DiagnosisJsonParts& parts, JsonWriter& json) {
  json.begin_object();
  json.member("id", std::uint64_t{id});
  json.member("source", std::uint64_t{kernel.source});
  write_launches(kernel, json);
  json.member("name", kernel.name);
  json.member("function", kernel.function);
  member(json, "grid", kernel.grid);
  member(json, "block", kernel.block);
  json.key("device");
  json.begin_object();
  json.member("name", kernel.device_name);
  json.member("cc", kernel.compute_capability);
  json.end_object();
  member(json, "duration_ns", kernel.duration_ns);
  json.key("verdict");
  json.begin_object();
  json.member("bound", to_string(kernel.verdict.bound));
  json.member("at", kernel.verdict.at);
  json.member("headline", kernel.verdict.headline);
  json.end_object();
  write_findings(kernel.findings, json);
  write_not_evaluated(kernel.not_evaluated, json);
  texts("clean", kernel.clean, json);
  write_notes(kernel.notes, json);
  if (parts.facts) write_facts(kernel.facts, json);
  if (parts.nvidia_rules) {
    write_nvidia_rules(profiles[kernel.source].launches[kernel.launch].nvidia_rules, json);
  }
  json.end_object();
}

}  // namespace

void write_diagnosis_json(const Diagnosis& diagnosis, std::span<const Profile> profiles,
                          const DiagnosisJsonParts& parts, JsonWriter& json) {
  json.begin_object();
  write_tool(json);
  write_sources(diagnosis.sources, json);
  write_notes(diagnosis.notes, json);
  json.key("kernels");
  json.begin_array();
  for (std::size_t i = 0; i < diagnosis.kernels.size(); ++i) {
    write_kernel(diagnosis.kernels[i], i, profiles, parts, json);
  }
  json.end_array();
  if (!parts.baseline.empty()) write_baseline(parts.baseline, json);
  json.end_object();
}

}  // namespace proofline

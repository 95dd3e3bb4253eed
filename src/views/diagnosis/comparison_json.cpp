// SPDX-License-Identifier: Apache-2.0
//
// Writes a comparison with one order of keys, so that the same input gives the same bytes.
#include "views/diagnosis/comparison_json.h"

#include <cstdint>
#include <string_view>
#include <vector>

#include "diagnosis/comparison/compare.h"
#include "views/code/code_comparison_json.h"
#include "views/json_parts.h"

namespace proofline {
namespace {

void write_kernel(const ComparedKernel& kernel, JsonWriter& json) {
  json.begin_object();
  json.member("name", kernel.name);
  json.member("function", kernel.function);
  dim_member(json, "grid", kernel.grid);
  dim_member(json, "block", kernel.block);
  write_device(kernel.device_name, kernel.compute_capability, json);
  json.key("launches");
  json.begin_object();
  write_spread(kernel.spread, kernel.launch, json);
  json.end_object();
  json.member("time_share", kernel.time_share);
  write_verdict(kernel.verdict, json);
  json.end_object();
}

void write_duration(const KernelComparison& pair, JsonWriter& json) {
  json.key("duration");
  json.begin_object();
  json.member("kind", "ncu-replay");
  json.member("a_ns", pair.a.spread.median_ns);
  json.member("b_ns", pair.b.spread.median_ns);
  json.member("change_ns", pair.change_ns);
  json.member("ratio", pair.ratio);
  json.member("spread", to_string(pair.spread));
  json.end_object();
}

void write_explanation(const Explanation& explanation, JsonWriter& json) {
  json.key("explanation");
  json.begin_object();
  texts_member(json, "sentences", explanation.sentences);
  json.objects("decompositions", explanation.decompositions,
               [&](const Decomposition& decomposition) {
                 json.member("id", decomposition.id);
                 json.objects("factors", decomposition.factors, [&](const DurationFactor& factor) {
                   json.member("name", factor.name);
                   json.member("unit", factor.unit);
                   json.member("a", factor.a);
                   json.member("b", factor.b);
                   json.member("ratio", factor.ratio);
                   json.member("share", factor.share);
                 });
               });
  json.objects("stalls", explanation.stalls, [&](const StallChange& stall) {
    json.member("reason", stall.reason);
    json.member("unit", "cycle/inst");
    json.member("a", stall.a);
    json.member("b", stall.b);
  });
  json.end_object();
}

void side_member(std::string_view name, const std::optional<FactValue>& value, JsonWriter& json) {
  if (value) return value_member(json, name, *value);
  json.key(name);
  json.null();
}

void write_facts(const KernelComparison& pair, JsonWriter& json) {
  json.objects("facts", pair.facts, [&](const FactChange& fact) {
    json.member("name", fact.name);
    json.member("unit", fact.unit);
    side_member("a", fact.a, json);
    side_member("b", fact.b, json);
    json.member("absence", fact.absence);
    json.member("change", fact.change);
    json.member("relative", fact.relative);
    json.member("effect", fact.effect);
  });
  json.member("unchanged_facts", std::uint64_t{pair.unchanged_facts});
}

void gain_member(std::string_view name, const std::optional<Gain>& gain, JsonWriter& json) {
  json.key(name);
  gain ? write_gain(*gain, json) : json.null();
}

void write_findings(const std::vector<FindingChange>& findings, JsonWriter& json) {
  json.objects("findings", findings, [&](const FindingChange& finding) {
    json.member("id", finding.id);
    json.member("status", to_string(finding.status));
    gain_member("gain_a", finding.a, json);
    gain_member("gain_b", finding.b, json);
    json.member("remark", finding.remark);
  });
}

void write_pair(const KernelComparison& pair, JsonWriter& json) {
  json.begin_object();
  json.member("match", to_string(pair.match));
  json.member("refused", pair.refused);
  write_differences(pair.differences, json);
  json.key("a");
  write_kernel(pair.a, json);
  json.key("b");
  write_kernel(pair.b, json);
  if (!pair.refused) {
    write_duration(pair, json);
    write_explanation(pair.explanation, json);
    write_findings(pair.findings, json);
    write_facts(pair, json);
  }
  json.end_object();
}

void write_unmatched(std::string_view name, const std::vector<UnmatchedKernel>& kernels,
                     JsonWriter& json) {
  json.objects(name, kernels, [&](const UnmatchedKernel& one) {
    json.key("kernel");
    write_kernel(one.kernel, json);
    json.member("reason", one.reason);
    json.key("candidate");
    one.candidate ? write_kernel(*one.candidate, json) : json.null();
  });
}

void write_members(const ProfileComparison& comparison, JsonWriter& json) {
  write_differences(comparison.differences, json);
  json.array("pairs", comparison.kernels,
             [&](const KernelComparison& pair) { write_pair(pair, json); });
  write_unmatched("only_in_a", comparison.only_in_a, json);
  write_unmatched("only_in_b", comparison.only_in_b, json);
}

}  // namespace

void write_comparison_json(const ProfileComparison& comparison, const ComparedCode* code,
                           JsonWriter& json) {
  json.begin_object();
  write_tool(json);
  json.key("sources");
  json.begin_array();
  write_source(comparison.a, json);
  write_source(comparison.b, json);
  json.end_array();
  write_notes(comparison.notes, json);
  write_members(comparison, json);
  json.key("code");
  code != nullptr ? write_profiled_code(*code, json) : json.null();
  json.end_object();
}

void write_baseline(std::span<const ProfileComparison> comparisons, JsonWriter& json) {
  json.objects("baseline", comparisons, [&](const ProfileComparison& comparison) {
    json.key("a");
    write_source(comparison.a, json);
    json.key("b");
    write_source(comparison.b, json);
    json.member("refusal", refusal(comparison));
    write_members(comparison, json);
  });
}

}  // namespace proofline

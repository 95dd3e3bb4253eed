// SPDX-License-Identifier: Apache-2.0
//
// Writes a decision with one order of keys, so that the same input gives the same bytes.
#include "views/measurement/decision_json.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "views/json_parts.h"

namespace proofline {
namespace {

// Null where there is none; so is the end of an interval that has none.
void write_ratio(std::string_view name, const std::optional<RatioEstimate>& ratio,
                 JsonWriter& json) {
  json.key(name);
  if (!ratio) return json.null();
  json.begin_object();
  json.member("ratio", ratio->ratio);
  json.member("low", ratio->low);
  json.member("high", ratio->high);
  json.end_object();
}

void write_gates(const std::vector<Gate>& gates, JsonWriter& json) {
  json.objects("gates", gates, [&](const Gate& gate) {
    json.member("name", gate.name);
    json.member("state", to_string(gate.state));
    json.member("detail", gate.detail);
  });
}

void write_axes(const std::vector<Axis>& axes, JsonWriter& json) {
  json.objects("axes", axes, [&](const Axis& axis) {
    json.member("name", axis.name);
    json.member("value", axis.value);
  });
}

// A side without samples has no median.
std::optional<double> known(double ns) { return ns > 0 ? std::optional(ns) : std::nullopt; }

void write_rate(const DecidedConfiguration& one, JsonWriter& json) {
  json.key("rate");
  if (!one.a_rate || !one.b_rate) return json.null();
  json.begin_object();
  json.member("a", *one.a_rate);
  json.member("b", *one.b_rate);
  json.member("unit", one.rate_unit);
  json.end_object();
}

// Null unless both are known.
template <class Number>
void write_both(std::string_view name, const std::optional<Number>& a,
                const std::optional<Number>& b, JsonWriter& json) {
  json.key(name);
  if (!a || !b) return json.null();
  json.begin_object();
  json.member("a", *a);
  json.member("b", *b);
  json.end_object();
}

void write_configuration(const DecidedConfiguration& one, JsonWriter& json) {
  json.begin_object();
  json.member("benchmark", one.benchmark);
  json.member("implementation_a", one.implementation_a);
  json.member("implementation_b", one.implementation_b);
  write_axes(one.axes, json);
  json.member("change", one.change);
  json.member("a_ns", known(one.a_ns));
  json.member("b_ns", known(one.b_ns));
  write_ratio("time", one.pairs > 0 ? std::optional(one.time) : std::nullopt, json);
  json.member("mean_ratio", one.mean_ratio);
  json.member("upper_ratio", one.upper_ratio);
  write_ratio("cycles", one.cycles, json);
  json.member("pairs", std::uint64_t{one.pairs});
  json.member("pairs_needed",
              one.pairs_needed ? std::optional<std::uint64_t>(*one.pairs_needed) : std::nullopt);
  json.member("interleaved", one.interleaved);
  json.member("margin", one.margin);
  json.member("weight", one.weight);
  json.member("throttled", std::uint64_t{one.throttled});
  json.member("a_throttled", one.a_throttled);
  json.member("b_throttled", one.b_throttled);
  texts_member(json, "flags", one.flags);
  write_rate(one, json);
  write_both("watts", one.a_watts, one.b_watts, json);
  write_both("peak_memory_bytes", one.a_peak_bytes, one.b_peak_bytes, json);
  json.end_object();
}

}  // namespace

void write_decision_json(const Decision& decision, JsonWriter& json) {
  json.begin_object();
  write_tool(json);
  json.member("result", "decision");
  json.member("verdict", to_string(decision.verdict));
  json.member("reason", decision.reason);
  texts_member(json, "next", decision.next);
  json.member("a", decision.a_path);
  json.member("a_label", decision.a_label);
  json.member("b", decision.b_path);
  json.member("b_label", decision.b_label);
  json.member("confidence", decision.confidence);
  json.member("threshold", decision.threshold);
  json.member("keep_same", decision.keep_same);
  json.member("until_clear", decision.until_clear);
  write_ratio("overall", decision.overall, json);
  write_gates(decision.gates, json);
  write_differences(decision.differences, json);
  json.array("configurations", decision.configurations,
             [&](const DecidedConfiguration& one) { write_configuration(one, json); });
  texts_member(json, "unmatched", decision.unmatched);
  texts_member(json, "explanation", decision.explanation);
  write_notes(decision.notes, json);
  json.end_object();
}

}  // namespace proofline

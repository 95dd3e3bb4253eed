// SPDX-License-Identifier: Apache-2.0
//
// Writes them with one order of keys, wherever they stand.
#include "views/json_parts.h"

#include "base/record_json.h"

namespace proofline {

void write_value(const Value& value, JsonWriter& json) {
  if (const auto* real = std::get_if<double>(&value))
    json.number(*real);
  else if (const auto* integer = std::get_if<std::uint64_t>(&value))
    json.number(*integer);
  else if (const auto* string = std::get_if<std::string>(&value))
    json.text(*string);
  else
    json.null();
}

void dim_member(JsonWriter& json, std::string_view name, const std::optional<Dim3>& dim) {
  json.key(name);
  if (!dim) return json.null();
  json.begin_array();
  for (const std::uint64_t size : *dim) json.number(size);
  json.end_array();
}

void write_notes(const std::vector<Note>& notes, JsonWriter& json) {
  json.array("notes", notes, [&](const Note& note) { write_record(note, json); });
}

void write_nvidia_rules(const std::vector<NvidiaRule>& rules, JsonWriter& json) {
  json.objects("nvidia_rules", rules, [&](const NvidiaRule& rule) {
    json.member("id", rule.id);
    json.member("title", rule.title);
    json.member("section", rule.section);
    json.key("speedup");
    if (rule.speedup) {
      json.begin_object();
      json.member("scope", rule.speedup->global ? "kernel" : "part");
      json.member("percent", rule.speedup->percent);
      json.end_object();
    } else {
      json.null();
    }
    json.objects("messages", rule.messages, [&](const NvidiaRule::Message& message) {
      json.member("kind", to_string(message.kind));
      json.member("title", message.title);
      json.member("text", message.text);
    });
  });
}

void value_member(JsonWriter& json, std::string_view name,
                  const std::variant<double, std::string>& value) {
  json.key(name);
  if (const auto* text = std::get_if<std::string>(&value)) {
    json.text(*text);
  } else {
    json.number(std::get<double>(value));
  }
}

void texts_member(JsonWriter& json, std::string_view name, const std::vector<std::string>& values) {
  json.array(name, values, [&](const std::string& value) { json.text(value); });
}

void write_source(const DiagnosisSource& source, JsonWriter& json) {
  json.begin_object();
  json.member("path", source.path);
  json.member("format", source.format);
  json.member("producer", source.producer);
  json.end_object();
}

void write_device(std::string_view name, std::string_view compute_capability, JsonWriter& json) {
  json.key("device");
  json.begin_object();
  json.member("name", name);
  json.member("cc", compute_capability);
  json.end_object();
}

void write_verdict(const Verdict& verdict, JsonWriter& json) {
  json.key("verdict");
  json.begin_object();
  json.member("bound", to_string(verdict.bound));
  json.member("at", verdict.at);
  json.member("headline", verdict.headline);
  json.key("provisional");
  json.boolean(verdict.provisional);
  json.end_object();
}

void write_gain(const Gain& gain, JsonWriter& json) {
  json.begin_object();
  json.member("low", gain.low);
  json.member("high", gain.high);
  json.member("kind", to_string(gain.kind));
  json.end_object();
}

void write_spread(const LaunchSpread& spread, std::size_t representative, JsonWriter& json) {
  json.member("count", std::uint64_t{spread.count});
  json.member("min_ns", spread.min_ns);
  json.member("median_ns", spread.median_ns);
  json.member("max_ns", spread.max_ns);
  json.member("total_ns", spread.total_ns);
  json.member("representative", std::uint64_t{representative});
}

void write_differences(const std::vector<Difference>& differences, JsonWriter& json) {
  json.objects("differences", differences, [&](const Difference& one) {
    json.member("what", one.what);
    json.member("a", one.a);
    json.member("b", one.b);
    json.member("refuses", one.refuses);
  });
}

}  // namespace proofline

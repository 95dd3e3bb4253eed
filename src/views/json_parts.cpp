// SPDX-License-Identifier: Apache-2.0
//
// Writes them with one order of keys, wherever they stand.
#include "views/json_parts.h"

#include "proofline/version.h"

namespace proofline {

void write_tool(JsonWriter& json) {
  json.member("schema_version", "1.0");
  json.key("tool");
  json.begin_object();
  json.member("name", "proofline");
  json.member("version", kVersion);
  json.end_object();
}

void member(JsonWriter& json, std::string_view name, std::optional<double> number) {
  json.key(name);
  number ? json.number(*number) : json.null();
}

void member(JsonWriter& json, std::string_view name, std::optional<std::uint32_t> number) {
  json.key(name);
  number ? json.number(std::uint64_t{*number}) : json.null();
}

void member(JsonWriter& json, std::string_view name, const std::optional<Dim3>& dim) {
  json.key(name);
  if (!dim) return json.null();
  json.begin_array();
  for (const std::uint64_t size : *dim) json.number(size);
  json.end_array();
}

void write_notes(const std::vector<Note>& notes, JsonWriter& json) {
  json.key("notes");
  json.begin_array();
  for (const Note& note : notes) {
    json.begin_object();
    json.member("kind", to_string(note.kind));
    json.member("place", note.place);
    json.member("what", note.what);
    json.member("count", note.count);
    json.end_object();
  }
  json.end_array();
}

void write_nvidia_rules(const std::vector<NvidiaRule>& rules, JsonWriter& json) {
  json.key("nvidia_rules");
  json.begin_array();
  for (const NvidiaRule& rule : rules) {
    json.begin_object();
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
    json.key("messages");
    json.begin_array();
    for (const NvidiaRule::Message& message : rule.messages) {
      json.begin_object();
      json.member("kind", to_string(message.kind));
      json.member("title", message.title);
      json.member("text", message.text);
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

}  // namespace proofline

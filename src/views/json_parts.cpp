// SPDX-License-Identifier: Apache-2.0
//
// Writes them with one order of keys, wherever they stand.
#include "views/json_parts.h"

#include "base/record_json.h"

namespace proofline {

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

}  // namespace proofline

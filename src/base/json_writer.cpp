// SPDX-License-Identifier: Apache-2.0
//
// RapidJSON formats numbers (doubles so that they read back exactly) and keeps commas and colons
// right; this file gives it a place to write to and the values that JSON can hold.
#include "base/json_writer.h"

#include <rapidjson/writer.h>

#include <cmath>
#include <string>

#include "base/schema_version.h"
#include "base/text.h"
#include "proofline/version.h"

namespace proofline {
namespace {

// RapidJSON's idea of an output stream.
class OutputStream {
 public:
  using Ch = char;  // the name that RapidJSON asks for

  explicit OutputStream(Output& output) : output_(output) {}
  void Put(char c) { output_.put(c); }  // NOLINT(readability-identifier-naming): RapidJSON's name
  void Flush() {}                       // NOLINT(readability-identifier-naming): RapidJSON's name

 private:
  Output& output_;
};

}  // namespace

struct JsonWriter::Impl {
  explicit Impl(Output& output) : stream(output), writer(stream) {}

  OutputStream stream;
  rapidjson::Writer<OutputStream> writer;
};

JsonWriter::JsonWriter(Output& output) : impl_(std::make_unique<Impl>(output)) {}
JsonWriter::~JsonWriter() = default;

void JsonWriter::begin_object() { impl_->writer.StartObject(); }
void JsonWriter::end_object() { impl_->writer.EndObject(); }
void JsonWriter::begin_array() { impl_->writer.StartArray(); }
void JsonWriter::end_array() { impl_->writer.EndArray(); }

void JsonWriter::key(std::string_view name) { text(name); }

void JsonWriter::null() { impl_->writer.Null(); }

void JsonWriter::boolean(bool value) { impl_->writer.Bool(value); }

void JsonWriter::number(double value) {
  if (std::isfinite(value))
    impl_->writer.Double(value);
  else
    null();
}

void JsonWriter::number(std::uint64_t value) { impl_->writer.Uint64(value); }

void JsonWriter::number(std::int64_t value) { impl_->writer.Int64(value); }

void JsonWriter::raw(std::string_view value) {
  impl_->writer.RawValue(value.data(), value.size(), rapidjson::kObjectType);
}

void JsonWriter::text(std::string_view value) {
  const std::string valid = to_valid_utf8(value);
  impl_->writer.String(valid.data(), static_cast<rapidjson::SizeType>(valid.size()));
}

void JsonWriter::member(std::string_view name, std::string_view text_value) {
  key(name);
  text(text_value);
}

void JsonWriter::member(std::string_view name, std::uint64_t number_value) {
  key(name);
  number(number_value);
}

void JsonWriter::member(std::string_view name, double number_value) {
  key(name);
  number(number_value);
}

void JsonWriter::member(std::string_view name, bool value) {
  key(name);
  boolean(value);
}

void write_schema_version(JsonWriter& json) { json.member("schema_version", kSchemaVersion); }

void write_tool(JsonWriter& json) {
  write_schema_version(json);
  json.key("tool");
  json.begin_object();
  json.member("name", "proofline");
  json.member("version", kVersion);
  json.end_object();
}

std::string json_text(const std::function<void(JsonWriter&)>& write) {
  std::string text;
  Output output(text);
  JsonWriter json(output);
  write(json);
  output.flush();
  return text;
}

}  // namespace proofline

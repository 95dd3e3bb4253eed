// SPDX-License-Identifier: Apache-2.0
//
// JSON by RapidJSON's writer, with our rules on top: numbers that JSON cannot hold become null,
// strings are valid UTF-8, keys keep the order in which they are written.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/output.h"

namespace proofline {

class JsonWriter {
 public:
  explicit JsonWriter(Output& output);
  ~JsonWriter();
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;

  void begin_object();
  void end_object();
  void begin_array();
  void end_array();
  void key(std::string_view name);

  void null();
  void boolean(bool value);
  void number(double value);  // NaN and infinities become null
  void number(std::uint64_t value);
  void number(std::int64_t value);
  void text(std::string_view value);
  void raw(std::string_view value);  // valid JSON of our own

  void member(std::string_view name, std::string_view text_value);
  void member(std::string_view name, const char* text_value) {
    member(name, std::string_view(text_value));
  }
  void member(std::string_view name, std::uint64_t number_value);
  void member(std::string_view name, double number_value);
  void member(std::string_view name, bool value);
  // Absent is null.
  template <class T>
  void member(std::string_view name, const std::optional<T>& value) {
    key(name);
    if (!value) return null();
    if constexpr (std::is_same_v<T, bool>)
      boolean(*value);
    else if constexpr (std::is_integral_v<T>)
      number(std::uint64_t{*value});
    else
      number(*value);
  }
  // A list: the writer is called for each item, inside an object where it writes members only.
  template <class Items, class Write>
  void array(std::string_view name, const Items& items, const Write& write_item) {
    key(name);
    begin_array();
    for (const auto& item : items) write_item(item);
    end_array();
  }
  template <class Items, class Write>
  void objects(std::string_view name, const Items& items, const Write& write_members) {
    array(name, items, [&](const auto& item) {
      begin_object();
      write_members(item);
      end_object();
    });
  }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// "schema_version", the first member of every result: within 1.x members are only added.
void write_schema_version(JsonWriter& json);
// The same and "tool", who wrote it.
void write_tool(JsonWriter& json);

// What is written to it, as text.
std::string json_text(const std::function<void(JsonWriter&)>& write);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// What the readers of benchmark files share: JSON that may be truncated or of unexpected types, and
// the count of what was lost. Private to readers/benchmark.
#pragma once

#include <rapidjson/document.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/measurement/benchmark.h"
#include "model/note.h"

namespace proofline {

using JsonValue = rapidjson::Value;

// What tells one file from another: the members of the outermost object, up to the first that
// decides, which is "result" (what ours call themselves) or "benchmarks".
struct JsonOutline {
  std::string result;
  bool context = false;  // before "benchmarks"
  bool devices = false;  // or "meta", before "benchmarks"
  bool benchmarks = false;
};

// `text` may be cut anywhere, and need not be JSON.
JsonOutline json_outline(std::string_view text);

// Notes of one file; what is lost again is counted.
class BenchmarkNotes {
 public:
  void lose(std::string_view what, std::uint64_t count = 1) { add(NoteKind::kLoss, what, count); }
  void mention(std::string_view what) { add(NoteKind::kInfo, what, 1); }
  void add(Note note) { notes_.push_back(std::move(note)); }
  void append_to(std::vector<Note>& notes) const;

 private:
  void add(NoteKind kind, std::string_view what, std::uint64_t count);

  std::vector<Note> notes_;
};

// Of a truncated text the complete entries are kept; an error where there are none.
Result<void> parse_benchmark(std::string_view text, const std::string& name,
                             rapidjson::Document& document, BenchmarkNotes& notes);

// An object of a file, asked for its members. One that is absent or null is unknown, one of another
// type is unknown and lost; so is the second of a name.
class JsonFields {
 public:
  JsonFields(const JsonValue* object, BenchmarkNotes& notes);
  JsonFields(const JsonValue& object, BenchmarkNotes& notes) : JsonFields(&object, notes) {}

  const JsonValue* find(std::string_view name) const;
  std::string text(std::string_view name) const;
  std::optional<double> number(std::string_view name) const;    // finite
  std::optional<double> positive(std::string_view name) const;  // finite and above zero
  std::optional<std::uint64_t> whole(std::string_view name) const;
  std::optional<bool> flag(std::string_view name) const;
  std::span<const JsonValue> list(std::string_view name) const;
  JsonFields object(std::string_view name) const { return {find(name), *notes_}; }
  BenchmarkNotes& notes() const { return *notes_; }

 private:
  const JsonValue* object_ = nullptr;
  BenchmarkNotes* notes_;
};

std::string_view text_of(const JsonValue& value);  // "" for anything but a text
std::optional<double> positive_of(const JsonValue& value);
std::optional<std::uint64_t> whole_of(const JsonValue& value);
// Of what may be unknown; unknown too where a double cannot hold it.
std::optional<double> known_product(std::optional<double> a, std::optional<double> b);
// By one execution; they are whole, which the rate that the file has need not show.
std::optional<double> bytes_moved(std::optional<double> bytes_per_second, std::optional<double> ns);

// Marks a measurement without a plausible time as failed.
void settle(Measurement& measurement, BenchmarkNotes& notes);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "readers/benchmark/benchmark_parts.h"

namespace proofline {
namespace {

std::optional<double> finite_of(const JsonValue& value) {
  if (!value.IsNumber() || !std::isfinite(value.GetDouble())) return std::nullopt;
  return value.GetDouble();
}

}  // namespace

void BenchmarkNotes::add(NoteKind kind, std::string_view what, std::uint64_t count) {
  // There are few kinds of trouble, however often each happens.
  const auto same = std::find_if(notes_.begin(), notes_.end(), [&](const Note& note) {
    return note.kind == kind && note.what == what;
  });
  if (same == notes_.end())
    notes_.push_back({kind, "", std::string(what), count});
  else if (kind == NoteKind::kLoss)
    same->count += count;
}

void BenchmarkNotes::append_to(std::vector<Note>& notes) const {
  notes.insert(notes.end(), notes_.begin(), notes_.end());
}

std::string_view text_of(const JsonValue& value) {
  if (!value.IsString()) return {};
  return {value.GetString(), value.GetStringLength()};
}

std::optional<double> positive_of(const JsonValue& value) {
  const auto number = finite_of(value);
  return number && *number > 0 ? number : std::nullopt;
}

std::optional<std::uint64_t> whole_of(const JsonValue& value) {
  if (value.IsUint64()) return value.GetUint64();
  constexpr double kEnd = 18446744073709551616.0;  // the first that does not fit
  const auto number = finite_of(value);
  if (!number || *number < 0 || *number >= kEnd || *number != std::floor(*number)) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(*number);
}

std::optional<double> known_product(std::optional<double> a, std::optional<double> b) {
  if (!a || !b || !std::isnormal(*a * *b)) return std::nullopt;
  return *a * *b;
}

std::optional<double> bytes_moved(std::optional<double> bytes_per_second,
                                  std::optional<double> ns) {
  const auto bytes = known_product(bytes_per_second, known_product(ns, 1e-9));
  if (!bytes || std::round(*bytes) < 1) return std::nullopt;
  return std::round(*bytes);
}

JsonFields::JsonFields(const JsonValue* object, BenchmarkNotes& notes) : notes_(&notes) {
  if (object == nullptr) return;
  if (object->IsObject())
    object_ = object;
  else
    notes.lose("entries that are not objects");
}

const JsonValue* JsonFields::find(std::string_view name) const {
  if (object_ == nullptr) return nullptr;
  const JsonValue* found = nullptr;
  for (auto member = object_->MemberBegin(); member != object_->MemberEnd(); ++member) {
    if (text_of(member->name) != name) continue;
    if (found != nullptr) {
      notes_->lose(fmt::format("\"{}\" stands twice; the first is taken", name));
      break;
    }
    found = &member->value;
  }
  return found != nullptr && found->IsNull() ? nullptr : found;
}

std::string JsonFields::text(std::string_view name) const {
  const JsonValue* value = find(name);
  if (value == nullptr) return {};
  if (!value->IsString()) notes_->lose(fmt::format("\"{}\" is not a text", name));
  return std::string(text_of(*value));
}

std::optional<double> JsonFields::number(std::string_view name) const {
  const JsonValue* value = find(name);
  if (value == nullptr) return std::nullopt;
  const auto number = finite_of(*value);
  if (!number) notes_->lose(fmt::format("\"{}\" is not a finite number", name));
  return number;
}

std::optional<double> JsonFields::positive(std::string_view name) const {
  const JsonValue* value = find(name);
  if (value == nullptr) return std::nullopt;
  const auto number = positive_of(*value);
  if (!number) notes_->lose(fmt::format("\"{}\" is not a number above zero", name));
  return number;
}

std::optional<std::uint64_t> JsonFields::whole(std::string_view name) const {
  const JsonValue* value = find(name);
  if (value == nullptr) return std::nullopt;
  const auto number = whole_of(*value);
  if (!number) notes_->lose(fmt::format("\"{}\" is not a whole number", name));
  return number;
}

std::optional<bool> JsonFields::flag(std::string_view name) const {
  const JsonValue* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (value->IsBool()) return value->GetBool();
  notes_->lose(fmt::format("\"{}\" is neither true nor false", name));
  return std::nullopt;
}

std::span<const JsonValue> JsonFields::list(std::string_view name) const {
  const JsonValue* value = find(name);
  if (value == nullptr) return {};
  if (value->IsArray()) return {value->Begin(), value->Size()};
  notes_->lose(fmt::format("\"{}\" is not a list", name));
  return {};
}

void settle(Measurement& measurement) {
  const bool timed = !measurement.samples.empty() || measurement.summary_ns;
  if (measurement.state != MeasurementState::kMeasured || timed) return;
  measurement.state = MeasurementState::kInvalid;
  measurement.reason = "the file has no usable time for it";
}

}  // namespace proofline

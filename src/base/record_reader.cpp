// SPDX-License-Identifier: Apache-2.0
#include "base/record_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/json_object.h"

namespace proofline {
namespace {

// A record that holds records of its own kind is read to this depth.
constexpr std::size_t kMostDepth = 64;

JsonScalar scalar_of(const rapidjson::Value& value) {
  if (value.IsString()) return std::string_view(value.GetString(), value.GetStringLength());
  if (value.IsBool()) return value.GetBool();
  if (value.IsUint64()) return value.GetUint64();
  if (value.IsInt64()) return value.GetInt64();
  if (value.IsNumber() && std::isfinite(value.GetDouble())) return value.GetDouble();
  return std::monostate();
}

// Words that are not known are kept, but where the record depends on them: a later version has
// more.
bool is_within(const MemberLimits& limits, const JsonScalar& scalar, bool known_words) {
  if (const auto* text = std::get_if<std::string_view>(&scalar)) {
    const auto& names = limits.names;
    return text->size() >= limits.shortest &&
           (!known_words || names.empty() ||
            std::find(names.begin(), names.end(), *text) != names.end());
  }
  const auto number = shapes::as_real(scalar);
  if (!number) return true;
  return !(limits.minimum && *number < *limits.minimum) &&
         !(limits.above && *number <= *limits.above) &&
         !(limits.maximum && *number > *limits.maximum) &&
         !(limits.below && *number >= *limits.below);
}

// "a number above zero"
std::string_view expected_text(const ValueShape& shape, const MemberLimits& limits) {
  switch (shape.kind) {
    case ValueShape::Kind::kOptional: return expected_text(*shape.item, limits);
    case ValueShape::Kind::kList: return "a list";
    case ValueShape::Kind::kMap:
    case ValueShape::Kind::kRecord: return "an object";
    case ValueShape::Kind::kScalar: break;
  }
  if (shape.name != nullptr || !limits.names.empty()) return "a word that this version knows";
  if (shape.types == kJsonBoolean) return "true or false";
  if (shape.types == kJsonString) return limits.shortest > 0 ? "a text with a letter" : "a text";
  if (shape.types == kJsonInteger) return "a whole number";
  if (shape.types == kJsonNumber && limits.above == 0.0) return "a number above zero";
  return "a value that it can have";
}

// Where a value is in the document, as a chain that is on the stack.
struct Place {
  const Place* outer = nullptr;
  std::string_view name = {};
  std::optional<std::size_t> item = {};
  std::size_t depth = 0;

  Place member(std::string_view of) const { return {this, of, {}, depth + 1}; }
  Place at(std::size_t position) const { return {this, {}, position, depth + 1}; }
};

std::string place_text(const Place& place) {
  if (place.outer == nullptr) return ".";
  const std::string outer = place_text(*place.outer);
  if (place.item) return fmt::format("{}[{}]", outer, *place.item);
  return outer == "." ? std::string(place.name) : fmt::format("{}.{}", outer, place.name);
}

class RecordReader {
 public:
  // False where it is no object or has not all that is required.
  bool read_object(const rapidjson::Value& value, MemberSpan members, void* object,
                   const Place& place) {
    if (!value.IsObject() || place.depth > kMostDepth) {
      return flaw(place, "entries that are not objects");
    }
    bool complete = true;
    for (const Member& member : members) {
      complete = (read_member(value, member, object, place) || !member.is_required) && complete;
    }
    return complete;
  }

  RecordReading take() && { return std::move(reading_); }

 private:
  bool read_member(const rapidjson::Value& object, const Member& member, void* record,
                   const Place& outer) {
    if (member.kind == Member::Kind::kInlined) {
      if (member.place == nullptr) return true;
      return read_object(object, member.shape->record().members, member.place(record), outer);
    }
    if (!is_read(member)) return true;
    const Place place = outer.member(member.name);
    const rapidjson::Value* value = find(object, place);
    if (value == nullptr) return is_conditional(member) || absent(member, place);
    if (value->IsNull()) return is_nullable(member) || absent(member, place);
    if (member.kind == Member::Kind::kConstant) {
      return is_constant(*value, member) ||
             flaw(place, fmt::format("\"{}\" is not \"{}\"", member.name, member.constant));
    }
    if (member.kind == Member::Kind::kGroup) {
      return read_object(*value, member.members, record, place);
    }
    const auto fill = [&](void* into) { return read(*value, *member.shape, member, into, place); };
    if (member.put == nullptr) return fill(member.place(record));
    return member.put(record, fill, [&](std::string_view what) { flaw(place, what); });
  }

  // The first of that name.
  const rapidjson::Value* find(const rapidjson::Value& object, const Place& place) {
    const rapidjson::Value* found = nullptr;
    for (const auto& member : object.GetObject()) {
      if (place.name != std::string_view(member.name.GetString(), member.name.GetStringLength())) {
        continue;
      }
      if (found != nullptr) {
        flaw(place, fmt::format("\"{}\" stands twice; the first is taken", place.name));
        break;
      }
      found = &member.value;
    }
    return found;
  }

  // What follows from other members is not read.
  static bool is_read(const Member& member) {
    if (member.kind == Member::Kind::kValue) {
      return (member.place != nullptr || member.put != nullptr) && can_be_set(*member.shape);
    }
    return member.kind != Member::Kind::kPosition;
  }

  // Arrays and maps are only written so far.
  static bool can_be_set(const ValueShape& shape) {
    switch (shape.kind) {
      case ValueShape::Kind::kScalar: return shape.set != nullptr;
      case ValueShape::Kind::kOptional:
      case ValueShape::Kind::kList: return shape.add != nullptr && can_be_set(*shape.item);
      case ValueShape::Kind::kMap: return false;
      case ValueShape::Kind::kRecord: break;
    }
    return true;
  }

  static bool is_conditional(const Member& member) {
    return member.presence != Member::Presence::kAlways || member.is_there != nullptr;
  }

  static bool is_nullable(const Member& member) {
    return member.nullable || member.is_known != nullptr ||
           (member.shape != nullptr && member.shape->kind == ValueShape::Kind::kOptional);
  }

  static bool is_constant(const rapidjson::Value& value, const Member& member) {
    return value.IsString() &&
           (!member.limits.pattern.empty() || value.GetString() == member.constant);
  }

  bool read(const rapidjson::Value& value, const ValueShape& shape, const Member& member,
            void* into, const Place& place) {
    switch (shape.kind) {
      case ValueShape::Kind::kScalar: return read_scalar(value, shape, member, into, place);
      case ValueShape::Kind::kOptional:
        if (!value.IsNull()) read_item(value, shape, member, into, place);
        return true;
      case ValueShape::Kind::kList: return read_list(value, shape, member, into, place);
      case ValueShape::Kind::kMap: return true;
      case ValueShape::Kind::kRecord: break;
    }
    return read_object(value, shape.record().members, into, place);
  }

  bool read_scalar(const rapidjson::Value& value, const ValueShape& shape, const Member& member,
                   void* into, const Place& place) {
    const JsonScalar scalar = scalar_of(value);
    if (is_within(member.limits, scalar, member.is_required) && shape.set(into, scalar)) {
      return true;
    }
    return flaw(place, fmt::format("\"{}\" {} {}", member.name,
                                   place.item ? "has an entry that is not" : "is not",
                                   expected_text(shape, member.limits)));
  }

  // One that cannot be read is not kept.
  bool read_item(const rapidjson::Value& value, const ValueShape& shape, const Member& member,
                 void* into, const Place& place) {
    const bool kept = read(value, *shape.item, member, shape.add(into), place);
    if (!kept) shape.drop_last(into);
    return kept;
  }

  // Of numbers that are next to those of another list, one that cannot be read keeps its place.
  bool read_list(const rapidjson::Value& value, const ValueShape& shape, const Member& member,
                 void* into, const Place& place) {
    if (!value.IsArray()) return flaw(place, fmt::format("\"{}\" is not a list", member.name));
    std::size_t position = 0;
    for (const rapidjson::Value& item : value.GetArray()) {
      const bool kept = read_item(item, shape, member, into, place.at(position++));
      if (!kept && shape.item->types == kJsonNumber) {
        shape.item->set(shape.add(into), std::numeric_limits<double>::quiet_NaN());
      }
    }
    return true;
  }

  bool absent(const Member& member, const Place& place) {
    if (member.is_required) return flaw(place, fmt::format("\"{}\" is missing", member.name));
    if (reading_.first_absent.empty()) reading_.first_absent = place_text(place);
    return false;
  }

  bool flaw(const Place& place, std::string_view what) {
    auto& flaws = reading_.flaws;
    const auto same = std::find_if(flaws.begin(), flaws.end(),
                                   [&](const RecordFlaw& one) { return one.what == what; });
    if (same == flaws.end())
      flaws.push_back({std::string(what), place_text(place)});
    else
      ++same->count;
    return false;
  }

  RecordReading reading_;
};

}  // namespace

std::string RecordReading::first_wrong() const {
  return flaws.empty() ? first_absent : flaws.front().place;
}

RecordReading read_record(const rapidjson::Value& value, const Record& record, void* object) {
  RecordReader reader;
  const bool is_record = reader.read_object(value, record.members, object, Place());
  RecordReading reading = std::move(reader).take();
  reading.is_record = is_record;
  return reading;
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "base/record_reader.h"

#include <fmt/format.h>

#include <algorithm>

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
  if (value.IsNumber()) return value.GetDouble();
  return std::monostate();
}

bool is_within(const MemberLimits& limits, const JsonScalar& scalar) {
  if (const auto* text = std::get_if<std::string_view>(&scalar)) {
    const auto& names = limits.names;
    return text->size() >= limits.shortest &&
           (names.empty() || std::find(names.begin(), names.end(), *text) != names.end());
  }
  const auto number = shapes::as_real(scalar);
  if (!number) return true;
  return !(limits.minimum && *number < *limits.minimum) &&
         !(limits.above && *number <= *limits.above) &&
         !(limits.maximum && *number > *limits.maximum);
}

// Where a value is in the document, as a chain that lies on the stack.
struct Place {
  const Place* outer = nullptr;
  std::string_view name = {};
  std::optional<std::size_t> item = {};
  std::size_t depth = 0;

  Place member(std::string_view of) const { return {this, of, {}, depth + 1}; }
  Place at(std::size_t position) const { return {this, {}, position, depth + 1}; }
};

std::string place_text(const Place& place) {
  if (place.outer == nullptr) return "";
  const std::string outer = place_text(*place.outer);
  if (place.item) return fmt::format("{}[{}]", outer, *place.item);
  return outer.empty() ? std::string(place.name) : fmt::format("{}.{}", outer, place.name);
}

class RecordReader {
 public:
  // False where it is no object or has not all that is required.
  bool read_object(const rapidjson::Value& value, const std::vector<Member>& members, void* object,
                   const Place& place) {
    if (!value.IsObject() || place.depth > kMostDepth) return wrong(place);
    bool complete = true;
    for (const Member& member : members) {
      complete = (read_member(value, member, object, place) || !member.is_required) && complete;
    }
    return complete;
  }

  const std::string& first_wrong() const { return first_wrong_; }

 private:
  bool read_member(const rapidjson::Value& object, const Member& member, void* record,
                   const Place& outer) {
    if (member.kind == Member::Kind::kInlined) {
      return read_object(object, member.shape->record().members, member.place(record), outer);
    }
    if (!is_read(member)) return true;
    const Place place = outer.member(member.name);
    const rapidjson::Value* value = json_member(object, member.name);
    if (value == nullptr) return may_be_absent(member) || wrong(place);
    if (value->IsNull() && (member.nullable || member.is_known != nullptr)) return true;
    switch (member.kind) {
      case Member::Kind::kConstant: return is_constant(*value, member) || wrong(place);
      case Member::Kind::kGroup: return read_object(*value, member.members, record, place);
      default: break;
    }
    const auto fill = [&](void* into) {
      return read(*value, *member.shape, member.limits, into, place);
    };
    if (member.put != nullptr) return member.put(record, fill);
    return fill(member.place(record));
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

  static bool may_be_absent(const Member& member) {
    return member.presence != Member::Presence::kAlways || member.is_there != nullptr;
  }

  static bool is_constant(const rapidjson::Value& value, const Member& member) {
    return value.IsString() &&
           (!member.limits.pattern.empty() || value.GetString() == member.constant);
  }

  bool read(const rapidjson::Value& value, const ValueShape& shape, const MemberLimits& limits,
            void* into, const Place& place) {
    switch (shape.kind) {
      case ValueShape::Kind::kScalar: {
        const JsonScalar scalar = scalar_of(value);
        return (is_within(limits, scalar) && shape.set(into, scalar)) || wrong(place);
      }
      case ValueShape::Kind::kOptional:
        return value.IsNull() || read_item(value, shape, limits, into, place);
      case ValueShape::Kind::kList: return read_list(value, shape, limits, into, place);
      case ValueShape::Kind::kMap: return true;
      case ValueShape::Kind::kRecord: break;
    }
    return read_object(value, shape.record().members, into, place);
  }

  // One that cannot be read is not kept.
  bool read_item(const rapidjson::Value& value, const ValueShape& shape, const MemberLimits& limits,
                 void* into, const Place& place) {
    const bool kept = read(value, *shape.item, limits, shape.add(into), place);
    if (!kept) shape.drop_last(into);
    return kept;
  }

  bool read_list(const rapidjson::Value& value, const ValueShape& shape, const MemberLimits& limits,
                 void* into, const Place& place) {
    if (!value.IsArray()) return wrong(place);
    std::size_t position = 0;
    for (const rapidjson::Value& item : value.GetArray()) {
      read_item(item, shape, limits, into, place.at(position++));
    }
    return true;
  }

  bool wrong(const Place& place) {
    if (first_wrong_.empty()) first_wrong_ = place.outer == nullptr ? "." : place_text(place);
    return false;
  }

  std::string first_wrong_;
};

}  // namespace

RecordReading read_record(const rapidjson::Value& value, const Record& record, void* object) {
  RecordReader reader;
  RecordReading reading;
  reading.is_record = reader.read_object(value, record.members, object, Place());
  reading.first_wrong = reader.first_wrong();
  return reading;
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "base/record_json.h"

#include <algorithm>
#include <string>

#include "base/redact.h"

namespace proofline {
namespace {

bool is_none(const JsonScalar& scalar) {
  if (const auto* text = std::get_if<std::string_view>(&scalar)) return text->empty();
  return shapes::as_real(scalar) == 0.0;
}

// Nothing is there, or what means nothing.
bool is_none(const ValueShape& shape, const void* value) {
  if (shape.kind == ValueShape::Kind::kScalar) return is_none(shape.get(value));
  if (shape.kind == ValueShape::Kind::kRecord) return false;
  bool none = true;
  shape.each(value, [&](std::string_view /*key*/, const void* /*item*/) { none = false; });
  return none;
}

class RecordWriter {
 public:
  RecordWriter(JsonWriter& json, const WriteOptions& options) : json_(json), options_(options) {}

  // `position`: in the list that the record is an item of; `in`: the member that holds it.
  void write_object(MemberSpan members, const void* object, std::uint64_t position,
                    const Member* in = nullptr) {
    json_.begin_object();
    write_members(members, object, position, in);
    json_.end_object();
  }

  void write(const ValueShape& shape, const void* value, std::uint64_t position,
             const Member& member) {
    switch (shape.kind) {
      case ValueShape::Kind::kScalar: return write_scalar(shape.get(value), member);
      case ValueShape::Kind::kOptional: return write_optional(shape, value, member);
      case ValueShape::Kind::kList: return write_list(shape, value, member);
      case ValueShape::Kind::kMap: return write_map(shape, value, member);
      case ValueShape::Kind::kRecord: break;
    }
    write_object(shape.record().members, value, position, &member);
  }

 private:
  void write_members(MemberSpan members, const void* object, std::uint64_t position,
                     const Member* in) {
    for (const Member& member : members) {
      if (in == nullptr || in->holds(member)) write_member(member, object, position);
    }
  }

  void write_member(const Member& member, const void* object, std::uint64_t position) {
    if (member.is_there != nullptr && !member.is_there(object)) return;
    if (member.presence == Member::Presence::kOnRequest && !is_requested(member)) return;
    switch (member.kind) {
      case Member::Kind::kAbout: return;
      case Member::Kind::kConstant: return json_.member(member.name, member.constant);
      case Member::Kind::kPosition:
        return json_.member(member.name, member.first_position + position);
      case Member::Kind::kGroup: return write_group(member, object, position);
      case Member::Kind::kInlined:
      case Member::Kind::kValue: break;
    }
    const auto take = [&](const void* value) {
      if (member.kind == Member::Kind::kInlined) {
        write_members(member.shape->record().members, value, position, &member);
      } else {
        write_value(member, object, value);
      }
    };
    member.derive != nullptr ? member.derive(object, take) : take(at(member, object));
  }

  static const void* at(const Member& member, const void* object) {
    return member.place(const_cast<void*>(object));  // NOLINT: a reader uses the same accessor
  }

  bool is_requested(const Member& member) const {
    return std::find(options_.requested.begin(), options_.requested.end(), member.name) !=
           options_.requested.end();
  }

  void write_group(const Member& member, const void* object, std::uint64_t position) {
    json_.key(member.name);
    if (member.is_known != nullptr && !member.is_known(object)) return json_.null();
    write_object(member.members, object, position);
  }

  void write_value(const Member& member, const void* object, const void* value) {
    if (member.presence == Member::Presence::kIfThere && is_none(*member.shape, value)) return;
    json_.key(member.name);
    const bool unknown = member.is_known != nullptr && !member.is_known(object);
    if (unknown || (member.null_if_none && is_none(*member.shape, value))) return json_.null();
    write(*member.shape, value, 0, member);
  }

  void write_scalar(const JsonScalar& scalar, const Member& member) {
    if (const auto* text = std::get_if<std::string_view>(&scalar)) {
      member.is_redacted ? json_.text(redact_command(std::string(*text))) : json_.text(*text);
    } else if (const auto* real = std::get_if<double>(&scalar)) {
      json_.number(*real);
    } else if (const auto* whole = std::get_if<std::uint64_t>(&scalar)) {
      json_.number(*whole);
    } else if (const auto* integer = std::get_if<std::int64_t>(&scalar)) {
      json_.number(*integer);
    } else if (const bool* truth = std::get_if<bool>(&scalar)) {
      json_.boolean(*truth);
    } else {
      json_.null();
    }
  }

  void write_optional(const ValueShape& shape, const void* value, const Member& member) {
    bool present = false;
    shape.each(value, [&](std::string_view /*key*/, const void* item) {
      present = true;
      write(*shape.item, item, 0, member);
    });
    if (!present) json_.null();
  }

  void write_list(const ValueShape& shape, const void* value, const Member& member) {
    std::uint64_t position = 0;
    json_.begin_array();
    shape.each(value, [&](std::string_view /*key*/, const void* item) {
      write(*shape.item, item, position++, member);
    });
    json_.end_array();
  }

  void write_map(const ValueShape& shape, const void* value, const Member& member) {
    json_.begin_object();
    shape.each(value, [&](std::string_view key, const void* item) {
      json_.key(key);
      write(*shape.item, item, 0, member);
    });
    json_.end_object();
  }

  JsonWriter& json_;
  const WriteOptions& options_;
};

}  // namespace

void write_record(const Record& record, const void* object, JsonWriter& json,
                  const WriteOptions& options) {
  RecordWriter(json, options).write_object(record.members, object, 0);
}

void write_described(const ValueShape& shape, const void* value, JsonWriter& json) {
  RecordWriter(json, {}).write(shape, value, 0, {});
}

}  // namespace proofline

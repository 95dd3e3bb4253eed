// SPDX-License-Identifier: Apache-2.0
//
// Records are definitions that members refer to, each written once, in the order in which they are
// first met.
#include "base/record_schema.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace proofline {
namespace {

class SchemaWriter {
 public:
  explicit SchemaWriter(JsonWriter& json) : json_(json) {}

  void write(const ResultSchema& schema) {
    json_.begin_object();
    json_.member("$schema", "https://json-schema.org/draft/2020-12/schema");
    json_.member("$id", fmt::format("urn:proofline:{}:1", schema.name));
    json_.member("title", schema.name);
    json_.member("description",
                 fmt::format("{}; 1.x may add members where objects are open", schema.summary));
    if (schema.write != nullptr) {
      schema.write(json_);
    } else if (schema.records.size() == 1) {
      write_object_members(schema.records.front()());
    } else {
      json_.key("oneOf");
      json_.begin_array();
      for (const auto& record : schema.records) write_reference(record());
      json_.end_array();
    }
    write_definitions();
    json_.end_object();
  }

 private:
  // Writing a definition may meet more of them.
  void write_definitions() {
    json_.key("$defs");
    json_.begin_object();
    for (std::size_t i = 0; i < definitions_.size(); ++i) {
      const Record& record = *definitions_[i];
      json_.key(record.name);
      json_.begin_object();
      if (!record.meaning.empty()) json_.member("description", record.meaning);
      write_object_members(record);
      json_.end_object();
    }
    json_.end_object();
  }

  void write_object_members(const Record& record) {
    write_object(record.members);
    if (record.is_closed) json_.member("additionalProperties", false);
    if (record.more_schema != nullptr) record.more_schema(json_);
  }

  // `in`: the member that holds the record.
  void write_object(MemberSpan members, const Member* in = nullptr) {
    std::vector<Property> all;
    flatten(members, in, true, all);
    json_.member("type", "object");
    json_.key("required");
    json_.begin_array();
    for (const Property& property : all) {
      if (property.is_required) json_.text(property.member->name);
    }
    json_.end_array();
    json_.key("properties");
    json_.begin_object();
    for (const Property& property : all) {
      json_.key(property.member->name);
      json_.begin_object();
      write_property(*property.member);
      if (!property.member->meaning.empty()) json_.member("description", property.member->meaning);
      json_.end_object();
    }
    json_.end_object();
  }

  struct Property {
    const Member* member;
    bool is_required;
  };

  static bool is_always_written(const Member& member) {
    return member.presence == Member::Presence::kAlways && member.is_there == nullptr &&
           !member.is_added_later;
  }

  // With those of inlined records in their place.
  static void flatten(MemberSpan members, const Member* in, bool is_required,
                      std::vector<Property>& all) {
    for (const Member& member : members) {
      const bool always = is_required && is_always_written(member);
      if (member.kind == Member::Kind::kInlined) {
        flatten(member.shape->record().members, &member, always, all);
      } else if (in == nullptr || in->holds(member)) {
        all.push_back({&member, always});
      }
    }
  }

  void write_property(const Member& member) {
    const bool nullable = member.nullable || member.is_known != nullptr;
    switch (member.kind) {
      case Member::Kind::kConstant:
        if (member.limits.pattern.empty()) return json_.member("const", member.constant);
        return write_scalar(kShapeOf<std::string_view>, member, false);
      case Member::Kind::kPosition:
        json_.member("type", "integer");
        return json_.member("minimum", member.first_position);
      case Member::Kind::kGroup:
        return write_maybe_null(nullable, [&] { write_object(member.members); });
      case Member::Kind::kAbout:
      case Member::Kind::kInlined:
      case Member::Kind::kValue: break;
    }
    write_shape(*member.shape, member, nullable);
  }

  void write_shape(const ValueShape& shape, const Member& member, bool nullable) {
    switch (shape.kind) {
      case ValueShape::Kind::kScalar: return write_scalar(shape, member, nullable);
      case ValueShape::Kind::kOptional:
        return write_shape(*shape.item, member, !member.is_never_null);
      case ValueShape::Kind::kList:
        return write_maybe_null(nullable, [&] { write_list(shape, member); });
      case ValueShape::Kind::kMap:
        return write_maybe_null(nullable, [&] { write_map(shape, member); });
      case ValueShape::Kind::kRecord: break;
    }
    write_maybe_null(nullable, [&] {
      if (member.chosen.empty()) return write_reference_members(shape.record());
      write_object(shape.record().members, &member);
    });
  }

  template <class Write>
  void write_maybe_null(bool nullable, const Write& write) {
    if (!nullable) return write();
    json_.key("anyOf");
    json_.begin_array();
    json_.begin_object();
    write();
    json_.end_object();
    json_.begin_object();
    json_.member("type", "null");
    json_.end_object();
    json_.end_array();
  }

  void write_list(const ValueShape& shape, const Member& member) {
    json_.member("type", "array");
    const std::size_t fewest = shape.fixed_size > 0 ? shape.fixed_size : member.limits.fewest;
    if (fewest > 0) json_.member("minItems", std::uint64_t{fewest});
    if (shape.fixed_size > 0)
      json_.member("maxItems", std::uint64_t{shape.fixed_size});
    else if (member.limits.most)
      json_.member("maxItems", std::uint64_t{*member.limits.most});
    json_.key("items");
    json_.begin_object();
    write_shape(*shape.item, member, false);
    json_.end_object();
  }

  void write_map(const ValueShape& shape, const Member& member) {
    json_.member("type", "object");
    if (member.limits.most) json_.member("maxProperties", std::uint64_t{*member.limits.most});
    json_.key("additionalProperties");
    json_.begin_object();
    write_shape(*shape.item, member, false);
    json_.end_object();
  }

  void write_scalar(const ValueShape& shape, const Member& member, bool nullable) {
    const auto known = shape.name != nullptr ? names_of(shape) : std::vector<std::string_view>();
    const std::span<const std::string_view> names = known.empty() ? member.limits.names : known;
    if (!names.empty()) {
      json_.key("enum");
      json_.begin_array();
      for (const std::string_view name : names) json_.text(name);
      if (nullable) json_.null();
      return json_.end_array();
    }
    write_types(nullable ? shape.types | kJsonNull : shape.types);
    const auto minimum = member.limits.minimum || member.limits.above || !shape.is_unsigned
                             ? member.limits.minimum
                             : 0.0;
    write_limit("minimum", minimum);
    write_limit("exclusiveMinimum", member.limits.above);
    write_limit("maximum", member.limits.maximum);
    write_limit("exclusiveMaximum", member.limits.below);
    if ((shape.types & kJsonString) == 0) return;
    if (!member.limits.pattern.empty()) json_.member("pattern", member.limits.pattern);
    if (member.limits.shortest > 0)
      json_.member("minLength", std::uint64_t{member.limits.shortest});
  }

  void write_types(unsigned types) {
    constexpr std::pair<unsigned, const char*> kNames[] = {{kJsonBoolean, "boolean"},
                                                           {kJsonNumber, "number"},
                                                           {kJsonInteger, "integer"},
                                                           {kJsonString, "string"},
                                                           {kJsonNull, "null"}};
    json_.key("type");
    const bool several = (types & (types - 1)) != 0;
    if (several) json_.begin_array();
    for (const auto& [type, name] : kNames) {
      if ((types & type) != 0) json_.text(name);
    }
    if (several) json_.end_array();
  }

  void write_limit(std::string_view name, const std::optional<double>& limit) {
    if (!limit) return;
    const auto whole = static_cast<std::int64_t>(*limit);
    json_.key(name);
    if (static_cast<double>(whole) == *limit)
      json_.number(whole);
    else
      json_.number(*limit);
  }

  void write_reference(const Record& record) {
    json_.begin_object();
    write_reference_members(record);
    json_.end_object();
  }

  void write_reference_members(const Record& record) {
    const auto same = std::find_if(definitions_.begin(), definitions_.end(),
                                   [&](const Record* one) { return one->name == record.name; });
    const bool is_new = same == definitions_.end();
    CHECK(is_new || *same == &record,
          fmt::format("two records of a result are called {}", record.name));
    if (is_new) definitions_.push_back(&record);
    json_.member("$ref", fmt::format("#/$defs/{}", record.name));
  }

  JsonWriter& json_;
  std::vector<const Record*> definitions_;
};

}  // namespace

void write_schema(const ResultSchema& schema, JsonWriter& json) {
  SchemaWriter(json).write(schema);
}

}  // namespace proofline

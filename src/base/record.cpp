// SPDX-License-Identifier: Apache-2.0
#include "base/record.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/check.h"
#include "base/schema_version.h"
#include "proofline/version.h"

namespace proofline {
namespace {

// How many values an enumeration has.
std::size_t count_names(std::string_view (*name)(std::size_t)) {
  const auto is_new = [&](std::size_t i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (name(j) == name(i)) return false;
    }
    return !name(i).empty() || i == 0;
  };
  std::size_t count = 0;
  while (is_new(count)) ++count;
  return count;
}

void check_owners(MemberSpan members, const void* owner) {
  for (const Member& one : members) {
    CHECK(one.owner == nullptr || one.owner == owner,
          std::string(one.name) + " is a member of another struct");
    check_owners(one.members, owner);
  }
}

}  // namespace

std::vector<std::string_view> names_of(const ValueShape& shape) {
  std::vector<std::string_view> names(count_names(shape.name));
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = shape.name(i);
  return names;
}

Member Member::at_least(double minimum) && {
  limits.minimum = minimum;
  return std::move(*this);
}

Member Member::above(double bound) && {
  limits.above = bound;
  return std::move(*this);
}

Member Member::at_most(double maximum) && {
  limits.maximum = maximum;
  return std::move(*this);
}

Member Member::below(double bound) && {
  limits.below = bound;
  return std::move(*this);
}

Member Member::share() && { return std::move(*this).at_least(0).at_most(1); }

Member Member::not_empty() && {
  limits.shortest = 1;
  limits.fewest = 1;
  return std::move(*this);
}

Member Member::items(std::size_t fewest, std::optional<std::size_t> most) && {
  limits.fewest = fewest;
  limits.most = most;
  return std::move(*this);
}

Member Member::pattern(std::string_view expression) && {
  limits.pattern = expression;
  return std::move(*this);
}

Member Member::one_of(std::initializer_list<std::string_view> names) && {
  return std::move(*this).one_of(std::span(names.begin(), names.size()));
}

Member Member::one_of(std::span<const std::string_view> names) && {
  limits.names = names;
  return std::move(*this);
}

Member Member::or_null() && {
  nullable = true;
  return std::move(*this);
}

Member Member::never_null() && {
  is_never_null = true;
  return std::move(*this);
}

Member Member::none_is_null() && {
  nullable = true;
  null_if_none = true;
  return std::move(*this);
}

Member Member::if_there() && {
  presence = Presence::kIfThere;
  return std::move(*this);
}

Member Member::on_request() && {
  presence = Presence::kOnRequest;
  return std::move(*this);
}

Member Member::required() && {
  is_required = true;
  return std::move(*this);
}

Member Member::added_later() && {
  is_added_later = true;
  return std::move(*this);
}

Member Member::only(std::initializer_list<std::string_view> names) && {
  chosen = {names.begin(), names.size()};
  return std::move(*this);
}

bool Member::holds(const Member& of) const {
  return chosen.empty() || std::find(chosen.begin(), chosen.end(), of.name) != chosen.end();
}

Member Member::redacted() && {
  is_redacted = true;
  return std::move(*this);
}

Member Member::closed() && {
  is_closed = true;
  return std::move(*this);
}

Member Member::schema(void (*more)(JsonWriter& json)) && {
  more_schema = more;
  return std::move(*this);
}

Record::Record(std::initializer_list<Member> described) {
  MemberSpan all{described.begin(), described.size()};
  if (all.size > 0 && all.first->kind == Member::Kind::kAbout) {
    name = all.first->name;
    meaning = all.first->meaning;
    is_closed = all.first->is_closed;
    more_schema = all.first->more_schema;
    all = {all.first + 1, all.size - 1};
  }
  members = keep(all);
}

MemberSpan Record::keep(MemberSpan described) {
  std::vector<Member>& kept = members_.emplace_back(described.begin(), described.end());
  for (Member& member : kept) {
    member.members = keep(member.members);
    member.chosen = keep(member.chosen);
    member.limits.names = keep(member.limits.names);
  }
  return {kept.data(), kept.size()};
}

std::span<const std::string_view> Record::keep(std::span<const std::string_view> names) {
  if (names.empty()) return {};
  return names_.emplace_back(names.begin(), names.end());
}

namespace shapes {

std::optional<double> as_real(const JsonScalar& scalar) {
  if (const auto* real = std::get_if<double>(&scalar)) return *real;
  if (const auto* whole = std::get_if<std::uint64_t>(&scalar)) return static_cast<double>(*whole);
  if (const auto* integer = std::get_if<std::int64_t>(&scalar)) {
    return static_cast<double>(*integer);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> as_whole(const JsonScalar& scalar, std::uint64_t most) {
  if (const auto* whole = std::get_if<std::uint64_t>(&scalar)) {
    return *whole > most ? std::nullopt : std::optional(*whole);
  }
  constexpr double kEnd = 18446744073709551616.0;  // the first that does not fit
  const auto* real = std::get_if<double>(&scalar);
  if (real == nullptr || !(*real >= 0 && *real < kEnd) || *real != std::floor(*real)) {
    return std::nullopt;
  }
  return as_whole(static_cast<std::uint64_t>(*real), most);
}

std::optional<std::int64_t> as_integer(const JsonScalar& scalar, std::int64_t least,
                                       std::int64_t most) {
  if (const auto* integer = std::get_if<std::int64_t>(&scalar)) {
    return *integer < least || *integer > most ? std::nullopt : std::optional(*integer);
  }
  const auto whole = as_whole(scalar, static_cast<std::uint64_t>(most));
  return whole ? std::optional(static_cast<std::int64_t>(*whole)) : std::nullopt;
}

std::optional<std::size_t> as_name(const JsonScalar& scalar,
                                   std::string_view (*name)(std::size_t)) {
  const auto* text = std::get_if<std::string_view>(&scalar);
  if (text == nullptr) return std::nullopt;
  const std::size_t count = count_names(name);
  for (std::size_t i = 0; i < count; ++i) {
    if (name(i) == *text) return i;
  }
  return std::nullopt;
}

Member make_member(std::string_view name, std::string_view meaning, const ValueShape& shape,
                   const void* owner) {
  Member result;
  result.name = name;
  result.meaning = meaning;
  result.shape = &shape;
  result.owner = owner;
  return result;
}

Record checked(Record record, const void* owner) {
  check_owners(record.members, owner);
  return record;
}

}  // namespace shapes

Member about(std::string_view name, std::string_view meaning) {
  Member result;
  result.kind = Member::Kind::kAbout;
  result.name = name;
  result.meaning = meaning;
  return result;
}

Member group(std::string_view name, std::initializer_list<Member> members,
             std::string_view meaning) {
  Member result;
  result.kind = Member::Kind::kGroup;
  result.name = name;
  result.meaning = meaning;
  result.members = {members.begin(), members.size()};
  return result;
}

Member constant(std::string_view name, std::string_view text) {
  Member result;
  result.kind = Member::Kind::kConstant;
  result.name = name;
  result.constant = text;
  return result;
}

Member position(std::string_view name, std::uint64_t first, std::string_view meaning) {
  Member result;
  result.kind = Member::Kind::kPosition;
  result.name = name;
  result.meaning = meaning;
  result.first_position = first;
  return result;
}

Member schema_version() {
  return constant("schema_version", kSchemaVersion).pattern("^1\\.[0-9]+$");
}

Member tool() {
  static const Member kMembers[] = {constant("name", "proofline"),
                                    constant("version", kVersion).pattern(".")};
  Member result = group("tool", {});
  result.members = {kMembers, std::size(kMembers)};
  return result;
}

}  // namespace proofline

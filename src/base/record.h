// SPDX-License-Identifier: Apache-2.0
//
// A result's members are described once, as data. Plain interpreters walk the description:
// record_json.h writes JSON, record_reader.h reads our own files, record_schema.h prints the JSON
// schema. Beside a struct stands
//
//   Record describe(const Gate*) {
//     return {
//         about("gate", "One thing that a change must pass."),
//         member<&Gate::name>("name"),
//         member<&Gate::state>("state"),
//         member<&Gate::detail>("detail", "why; empty where it passed"),
//     };
//   }
//
// and a member whose type is a Gate, or a list of them, finds it by the type. So a member more is
// one line more. A member instantiates one accessor and nothing else: codecs as templates would
// cost build time for each member and each codec.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace proofline {

class JsonWriter;
struct Record;

// What a JSON null, boolean, number or string holds.
using JsonScalar =
    std::variant<std::monostate, bool, double, std::uint64_t, std::int64_t, std::string_view>;

// JSON's types, as a set of bits.
enum JsonType : unsigned {
  kJsonNull = 1,
  kJsonBoolean = 2,
  kJsonNumber = 4,
  kJsonInteger = 8,
  kJsonString = 16
};

// The key is empty but in a map.
using TakeItem = std::function<void(std::string_view key, const void* item)>;
using TakeValue = std::function<void(const void* value)>;
using FillValue = std::function<bool(void* value)>;
// Takes what is wrong with a file, in words: "\"throttled\" names a sample that is not there".
using Complain = std::function<void(std::string_view what)>;

// How values of one C++ type are reached. There is one constant of it for each type, kShapeOf<T>.
struct ValueShape {
  enum class Kind { kScalar, kOptional, kList, kMap, kRecord };

  Kind kind;
  // A scalar. It is not set where what is given does not fit the type.
  unsigned types = 0;  // of JsonType
  bool is_unsigned = false;
  JsonScalar (*get)(const void* value) = nullptr;
  bool (*set)(void* value, const JsonScalar& scalar) = nullptr;
  std::string_view (*name)(std::size_t value) = nullptr;  // of an enumerator; see names_of
  // An optional (0 or 1 items), a list or a map. What cannot be read has no `add`.
  const ValueShape* item = nullptr;
  void (*each)(const void* items, const TakeItem& take) = nullptr;
  void* (*add)(void* items) = nullptr;
  void (*drop_last)(void* items) = nullptr;
  std::size_t fixed_size = 0;  // of an array
  const Record& (*record)() = nullptr;
};

// The names of an enumeration's values, which count from 0: to_string of a value after the last
// one is empty, or the name of another.
std::vector<std::string_view> names_of(const ValueShape& shape);

// What the schema says of a member's values beyond their type, and the reader holds them to.
// Numbers and texts in a list are meant one by one.
struct MemberLimits {
  std::optional<double> minimum;
  std::optional<double> above;
  std::optional<double> maximum;
  std::optional<double> below;
  std::string_view pattern;
  std::span<const std::string_view> names;  // a text is one of these
  std::size_t shortest = 0;                 // of a text
  std::size_t fewest = 0;                   // items of a list
  std::optional<std::size_t> most;
};

struct Member;

// Members that somebody else owns.
struct MemberSpan {
  const Member* first = nullptr;
  std::size_t size = 0;

  const Member* begin() const { return first; }
  const Member* end() const;
};

// Trivial, so that a list of them compiles to stores. Whatever it refers to lives as long as the
// expression that describes the record, and then in the Record.
struct Member {
  enum class Kind {
    kValue,
    kAbout,     // none: the record's own name and meaning
    kConstant,  // the same text in every record
    kPosition,  // in the list that the record is an item of
    kGroup,     // an object of some members of the record
    kInlined,   // the members of a record in it, in the same object
  };
  enum class Presence {
    kAlways,
    kIfThere,    // left out where it is absent or empty
    kOnRequest,  // left out unless WriteOptions asks for it
  };

  // Tags. Each returns the member, so that they are put after one another.
  Member at_least(double minimum) &&;
  Member above(double bound) &&;
  Member at_most(double maximum) &&;
  Member below(double bound) &&;
  Member share() &&;      // 0 to 1
  Member not_empty() &&;  // a text with a character, a list with an item
  Member items(std::size_t fewest, std::optional<std::size_t> most = {}) &&;
  Member pattern(std::string_view expression) &&;
  Member one_of(std::span<const std::string_view> names) &&;
  Member one_of(std::initializer_list<std::string_view> names) &&;
  Member or_null() &&;       // a number that can be infinite or not a number
  Member never_null() &&;    // an optional that is there wherever it is written
  Member none_is_null() &&;  // "", 0 and an empty list mean "not known"
  Member if_there() &&;
  Member on_request() &&;
  Member required() &&;     // when reading: a record without it is none
  Member added_later() &&;  // files of earlier versions lack it: the schema does not require it
  Member only(std::initializer_list<std::string_view> names) &&;  // of the record that it holds
  Member redacted() &&;  // a command, whose secrets are not written
  Member closed() &&;    // of about(): 1.x adds no members to the record
  Member schema(void (*more)(JsonWriter& json)) &&;  // of about(): "if", "then", ...
  template <class Holds>
  Member when(Holds holds) &&;  // left out where it does not hold
  template <class Holds>
  Member null_unless(Holds holds) &&;

  Kind kind = Kind::kValue;
  std::string_view name;
  std::string_view meaning;
  const void* owner = nullptr;  // the type of the record; null: any
  const ValueShape* shape = nullptr;
  void* (*place)(void* object) = nullptr;  // null: computed
  void (*derive)(const void* object, const TakeValue& take) = nullptr;
  bool (*put)(void* object, const FillValue& fill, const Complain& complain) = nullptr;
  std::string_view constant;
  std::uint64_t first_position = 0;
  MemberSpan members;  // of a group
  Presence presence = Presence::kAlways;
  bool nullable = false;
  bool null_if_none = false;
  bool is_never_null = false;
  bool is_required = false;
  bool is_added_later = false;
  bool is_redacted = false;
  bool is_closed = false;
  void (*more_schema)(JsonWriter& json) = nullptr;
  bool (*is_there)(const void* object) = nullptr;
  bool (*is_known)(const void* object) = nullptr;
  std::span<const std::string_view> chosen;  // empty: all
  MemberLimits limits;

  // Whether a member of the record that it holds is written.
  bool holds(const Member& of) const;
};

inline const Member* MemberSpan::end() const { return first + size; }

struct Record {
  Record(std::initializer_list<Member> described);
  Record(Record&&) = default;

  std::string_view name;     // of its definition in a schema: "gate"
  std::string_view meaning;  // a sentence
  bool is_closed = false;
  void (*more_schema)(JsonWriter& json) = nullptr;
  MemberSpan members;

 private:
  MemberSpan keep(MemberSpan described);
  std::span<const std::string_view> keep(std::span<const std::string_view> names);

  // What members refer to; addresses in a deque stay.
  std::deque<std::vector<Member>> members_;
  std::deque<std::vector<std::string_view>> names_;
};

// ----------------------------------------------------------------------------------------------
// Shapes of C++ types.

namespace shapes {

std::optional<double> as_real(const JsonScalar& scalar);
std::optional<std::uint64_t> as_whole(const JsonScalar& scalar, std::uint64_t most);
std::optional<std::int64_t> as_integer(const JsonScalar& scalar, std::int64_t least,
                                       std::int64_t most);
std::optional<std::size_t> as_name(const JsonScalar& scalar, std::string_view (*name)(std::size_t));

template <class T>
inline constexpr bool kIsOptional = std::is_pointer_v<T>;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsVariant = false;
template <class... T>
inline constexpr bool kIsVariant<std::variant<T...>> = true;
template <class T>
inline constexpr bool kIsPair = false;
template <class A, class B>
inline constexpr bool kIsPair<std::pair<A, B>> = true;
template <class T>
inline constexpr std::size_t kArraySize = 0;
template <class T, std::size_t kSize>
inline constexpr std::size_t kArraySize<std::array<T, kSize>> = kSize;
template <class T>
concept IsRange = requires(const T& range) {
  range.begin();
  range.end();
};

template <class T>
constexpr ValueShape make_shape();

}  // namespace shapes

// The description of T.
template <class T>
const Record& record_of();

template <class T>
inline constexpr ValueShape kShapeOf = shapes::make_shape<std::remove_cv_t<T>>();

namespace shapes {

template <class T>
const T& value_at(const void* value) {
  return *static_cast<const T*>(value);
}

template <class Enum>
std::string_view enumerator_name(std::size_t value) {
  return to_string(static_cast<Enum>(value));
}

template <class T>
bool set_number(void* value, const JsonScalar& scalar) {
  using Most = std::numeric_limits<T>;
  const auto number = [&] {
    if constexpr (std::is_floating_point_v<T>)
      return as_real(scalar);
    else if constexpr (std::is_unsigned_v<T>)
      return as_whole(scalar, Most::max());
    else
      return as_integer(scalar, Most::min(), Most::max());
  }();
  if (number) *static_cast<T*>(value) = static_cast<T>(*number);
  return number.has_value();
}

template <class T>
constexpr ValueShape number_shape() {
  ValueShape shape{ValueShape::Kind::kScalar};
  shape.types = std::is_floating_point_v<T> ? kJsonNumber : kJsonInteger;
  shape.is_unsigned = std::is_unsigned_v<T>;
  shape.get = [](const void* value) -> JsonScalar {
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<double>(value_at<T>(value));
    else if constexpr (std::is_unsigned_v<T>)
      return std::uint64_t{value_at<T>(value)};
    else
      return std::int64_t{value_at<T>(value)};
  };
  shape.set = set_number<T>;
  return shape;
}

template <class Enum>
constexpr ValueShape enum_shape() {
  ValueShape shape{ValueShape::Kind::kScalar};
  shape.types = kJsonString;
  shape.name = enumerator_name<Enum>;
  shape.get = [](const void* value) -> JsonScalar { return to_string(value_at<Enum>(value)); };
  shape.set = [](void* value, const JsonScalar& scalar) {
    const auto found = as_name(scalar, enumerator_name<Enum>);
    if (found) *static_cast<Enum*>(value) = static_cast<Enum>(*found);
    return found.has_value();
  };
  return shape;
}

template <class T>
constexpr ValueShape text_shape() {
  ValueShape shape{ValueShape::Kind::kScalar};
  shape.types = kJsonString;
  shape.get = [](const void* value) -> JsonScalar { return std::string_view(value_at<T>(value)); };
  if constexpr (std::is_same_v<T, std::string>) {
    shape.set = [](void* value, const JsonScalar& scalar) {
      const auto* text = std::get_if<std::string_view>(&scalar);
      if (text != nullptr) *static_cast<T*>(value) = *text;
      return text != nullptr;
    };
  }
  return shape;
}

template <class... Alternative>
constexpr ValueShape variant_shape(const std::variant<Alternative...>* /*type*/) {
  using Variant = std::variant<Alternative...>;
  ValueShape shape{ValueShape::Kind::kScalar};
  shape.types = (kShapeOf<Alternative>.types | ...);
  shape.get = [](const void* value) {
    return std::visit(
        [](const auto& one) { return kShapeOf<std::decay_t<decltype(one)>>.get(&one); },
        value_at<Variant>(value));
  };
  shape.set = [](void* value, const JsonScalar& scalar) {
    const auto takes = [&](auto one) {
      const bool fits = kShapeOf<decltype(one)>.set(&one, scalar);
      if (fits) *static_cast<Variant*>(value) = std::move(one);
      return fits;
    };
    return (takes(Alternative{}) || ...);
  };
  return shape;
}

template <class T>
constexpr ValueShape optional_shape() {
  using Item = std::remove_cvref_t<decltype(*std::declval<const T&>())>;
  ValueShape shape{ValueShape::Kind::kOptional};
  shape.item = &kShapeOf<Item>;
  shape.each = [](const void* value, const TakeItem& take) {
    if (value_at<T>(value)) take({}, &*value_at<T>(value));
  };
  if constexpr (!std::is_pointer_v<T>) {
    shape.add = [](void* value) -> void* { return &static_cast<T*>(value)->emplace(Item{}); };
    shape.drop_last = [](void* value) { static_cast<T*>(value)->reset(); };
  }
  return shape;
}

template <class T>
constexpr ValueShape list_shape() {
  using Item = std::remove_cvref_t<decltype(*std::declval<const T&>().begin())>;
  ValueShape shape{ValueShape::Kind::kList};
  shape.item = &kShapeOf<Item>;
  shape.fixed_size = kArraySize<T>;
  shape.each = [](const void* value, const TakeItem& take) {
    for (const auto& item : value_at<T>(value)) take({}, &item);
  };
  if constexpr (requires(T & list) { list.pop_back(); }) {
    shape.add = [](void* value) -> void* { return &static_cast<T*>(value)->emplace_back(); };
    shape.drop_last = [](void* value) { static_cast<T*>(value)->pop_back(); };
  }
  return shape;
}

template <class T>
constexpr ValueShape map_shape() {
  using Item = std::remove_cvref_t<decltype(std::declval<const T&>().begin()->second)>;
  ValueShape shape{ValueShape::Kind::kMap};
  shape.item = &kShapeOf<Item>;
  shape.each = [](const void* value, const TakeItem& take) {
    for (const auto& [key, item] : value_at<T>(value)) {
      take(std::get<std::string_view>(kShapeOf<std::remove_cvref_t<decltype(key)>>.get(&key)),
           &item);
    }
  };
  return shape;
}

template <class T>
constexpr ValueShape make_shape() {
  if constexpr (std::is_same_v<T, std::monostate>) {
    return {.kind = ValueShape::Kind::kScalar,
            .types = kJsonNull,
            .get = [](const void* /*value*/) { return JsonScalar(); },
            .set = [](void* /*value*/, const JsonScalar& scalar) { return scalar.index() == 0; }};
  } else if constexpr (std::is_same_v<T, bool>) {
    return {.kind = ValueShape::Kind::kScalar,
            .types = kJsonBoolean,
            .get = [](const void* value) -> JsonScalar { return value_at<bool>(value); },
            .set =
                [](void* value, const JsonScalar& scalar) {
                  const bool* truth = std::get_if<bool>(&scalar);
                  if (truth != nullptr) *static_cast<bool*>(value) = *truth;
                  return truth != nullptr;
                }};
  } else if constexpr (std::is_arithmetic_v<T>) {
    return number_shape<T>();
  } else if constexpr (std::is_enum_v<T>) {
    return enum_shape<T>();
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return text_shape<T>();
  } else if constexpr (kIsVariant<T>) {
    return variant_shape(static_cast<const T*>(nullptr));
  } else if constexpr (kIsOptional<T>) {
    return optional_shape<T>();
  } else if constexpr (IsRange<T>) {
    using Item = std::remove_cvref_t<decltype(*std::declval<const T&>().begin())>;
    if constexpr (kIsPair<Item>)
      return map_shape<T>();
    else
      return list_shape<T>();
  } else {
    return {.kind = ValueShape::Kind::kRecord, .record = record_of<T>};
  }
}

// ----------------------------------------------------------------------------------------------
// Members.

// A tag that identifies a type.
template <class T>
inline constexpr char kTypeTag = 0;

template <class Pointer>
struct MemberPointer;
template <class Class, class Held>
struct MemberPointer<Held Class::*> {
  using Owner = Class;
  using Type = Held;
};

// Of a lambda without captures: the record that it takes, and what it returns.
template <class Call>
struct Signature : Signature<decltype(&Call::operator())> {};
template <class Call, class Returned, class Object>
struct Signature<Returned (Call::*)(const Object&) const> {
  using Owner = Object;
  using Type = std::remove_cvref_t<Returned>;
};

template <class Holds>
bool holds_of(const void* object) {
  return Holds{}(value_at<typename Signature<Holds>::Owner>(object));
}

template <class Get>
void derive_by(const void* object, const TakeValue& take) {
  const auto& value = Get{}(value_at<typename Signature<Get>::Owner>(object));
  take(&value);
}

Member make_member(std::string_view name, std::string_view meaning, const ValueShape& shape,
                   const void* owner);
// The same; every member is one of the type that the tag means.
Record checked(Record record, const void* owner);

}  // namespace shapes

template <class T>
const Record& record_of() {
  static const Record kRecord =
      shapes::checked(describe(static_cast<const T*>(nullptr)), &shapes::kTypeTag<T>);
  return kRecord;
}

template <class Holds>
Member Member::when(Holds /*holds*/) && {
  is_there = shapes::holds_of<Holds>;
  return std::move(*this);
}

template <class Holds>
Member Member::null_unless(Holds /*holds*/) && {
  is_known = shapes::holds_of<Holds>;
  return std::move(*this);
}

// The first of a description: what the record is called in a schema, and what it is.
Member about(std::string_view name, std::string_view meaning = {});

// A member of the struct. Owner is the struct itself where the member is one of its base.
template <auto kPointer, class Owner = typename shapes::MemberPointer<decltype(kPointer)>::Owner>
Member member(std::string_view name, std::string_view meaning = {}) {
  using Type = typename shapes::MemberPointer<decltype(kPointer)>::Type;
  Member result = shapes::make_member(name, meaning, kShapeOf<Type>, &shapes::kTypeTag<Owner>);
  result.place = [](void* object) -> void* { return &(static_cast<Owner*>(object)->*kPointer); };
  return result;
}

// What follows from the record by a lambda without captures; written, never read.
template <class Get>
Member derived(std::string_view name, std::string_view meaning, Get /*get*/) {
  using Call = shapes::Signature<Get>;
  Member result = shapes::make_member(name, meaning, kShapeOf<typename Call::Type>,
                                      &shapes::kTypeTag<typename Call::Owner>);
  result.derive = shapes::derive_by<Get>;
  return result;
}

template <class Get>
Member derived(std::string_view name, Get get) {
  return derived(name, {}, get);
}

// The same with its way back: `put` takes the record, the value that was read and, where it asks
// for one, a Complain.
template <class Get, class Put>
Member converted(std::string_view name, std::string_view meaning, Get get, Put /*put*/) {
  using Call = shapes::Signature<Get>;
  Member result = derived(name, meaning, get);
  result.put = [](void* object, const FillValue& fill, const Complain& complain) {
    typename Call::Type value{};
    const bool complete = fill(&value);
    auto& owner = *static_cast<typename Call::Owner*>(object);
    if constexpr (std::is_invocable_v<Put, decltype(owner), decltype(value), const Complain&>)
      Put{}(owner, std::move(value), complain);
    else
      Put{}(owner, std::move(value));
    return complete;
  };
  return result;
}

template <class Get, class Put>
Member converted(std::string_view name, Get get, Put put) {
  return converted(name, {}, get, put);
}

// The members of a record in the struct, written as if they were the struct's own.
template <auto kPointer, class Owner = typename shapes::MemberPointer<decltype(kPointer)>::Owner>
Member inlined() {
  Member result = member<kPointer, Owner>({});
  result.kind = Member::Kind::kInlined;
  return result;
}

// The same of a record that the lambda finds; written, never read.
template <class Get>
Member inlined(Get get) {
  Member result = derived({}, get);
  result.kind = Member::Kind::kInlined;
  return result;
}

// An object that the struct does not have: members of the struct that belong together.
Member group(std::string_view name, std::initializer_list<Member> members,
             std::string_view meaning = {});

Member constant(std::string_view name, std::string_view text);

// The place in the list that the record is an item of, counted from `first`.
Member position(std::string_view name, std::uint64_t first, std::string_view meaning = {});

// "schema_version", the first member of every result; and "tool", who wrote it.
Member schema_version();
Member tool();

}  // namespace proofline

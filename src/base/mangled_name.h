// SPDX-License-Identifier: Apache-2.0
//
// A mangled C++ name (Itanium ABI) as a tree. base/demangle.h is the entry.
//
//   _Z5scaleIfEvPT_i   Encoding(name = Template(Text "scale", Text "float"), return type = Text
//   "void",
//                               parameters = Pointer(Text "float"), Text "int")
//
// Parts are shared: a substitution (S0_) is the index of the part that it repeats. So the tree is
// no larger than the name, while its text can be exponentially longer: the writer works with a
// budget.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proofline {

using PartIndex = std::uint32_t;
constexpr PartIndex kNoPart = 0;  // the first part of a tree is a placeholder

enum class MangledKind : std::uint8_t {
  kText,      // text
  kNumber,    // the number that the compiler gave, e.g. of an unnamed type: text, counted from one
  kScoped,    // a::b
  kTemplate,  // a<list>
  kTagged,    // a[abi:text]
  kSpecial,   // text and then a: "vtable for "
  kConstructor,  // the last name of a
  kDestructor,   // the same after a tilde
  kOperator,     // operator text
  kConversion,   // operator a
  kLambda,       // {lambda(list)#text}
  kEncoding,     // b a(list)text: return type or none, name, parameters, qualifiers of the function
  kClone,        // a [clone text]
  kSuffixed,     // a and then text: "*", "&", " const"
  kMember,       // b a::*
  kArray,        // a [text or b]
  kFunction,     // a (list)text: a function's type
  kVector,       // a __vector(text or b)
  kPack,         // the arguments of a parameter pack: list
  kExpansion,    // a for each argument of the packs in it
  kParameter,    // T_: the argument a of the innermost template around it; auto in a lambda's list
  kLiteral,      // the value text of the type a
  kUnary,        // text a
  kBinary,       // a text b
  kConditional,  // list: condition, yes, no
  kCall,         // a(list)
  kCast,         // (a)list
  kNamedCast,    // text<a>(b)
  kWrapped,      // text(a): sizeof, decltype, noexcept
  kBraces,       // a{list}
};

struct MangledPart {
  MangledKind kind = MangledKind::kText;
  std::string_view text;  // of the mangled name, or a literal
  PartIndex a = kNoPart;
  PartIndex b = kNoPart;
  std::vector<PartIndex> list;
};

struct MangledTree {
  std::vector<MangledPart> parts;
  PartIndex root = kNoPart;

  const MangledPart& at(PartIndex index) const { return parts[index]; }
};

// Absent where the text is no mangled name. The tree refers to the text.
std::optional<MangledTree> parse_mangled_name(std::string_view mangled);

// Absent where the text would be longer than that, or take more than that many visits of parts.
// Empty where the tree has no meaning: a template parameter outside of every template.
std::optional<std::string> write_name(const MangledTree& tree, std::size_t limit);

}  // namespace proofline

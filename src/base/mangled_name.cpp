// SPDX-License-Identifier: Apache-2.0
//
// A recursive descent through the grammar of the Itanium C++ ABI, chapter "External names". Methods
// are named after its productions. After the first thing that is not in the grammar the rest of the
// text is gone, so that every loop ends, and there is no tree.
#include "base/mangled_name.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/characters.h"

namespace proofline {
namespace {

// Far beyond what compilers nest, and little enough for the stack of a thread.
constexpr int kMostNested = 512;

struct CodedText {
  std::string_view code;
  std::string_view text;
};

constexpr CodedText kBuiltinTypes[] = {
    {"v", "void"},
    {"w", "wchar_t"},
    {"b", "bool"},
    {"c", "char"},
    {"a", "signed char"},
    {"h", "unsigned char"},
    {"s", "short"},
    {"t", "unsigned short"},
    {"i", "int"},
    {"j", "unsigned int"},
    {"l", "long"},
    {"m", "unsigned long"},
    {"x", "long long"},
    {"y", "unsigned long long"},
    {"n", "__int128"},
    {"o", "unsigned __int128"},
    {"f", "float"},
    {"d", "double"},
    {"e", "long double"},
    {"g", "__float128"},
    {"z", "..."},
    {"Dd", "decimal64"},
    {"De", "decimal128"},
    {"Df", "decimal32"},
    {"Dh", "half"},
    {"Di", "char32_t"},
    {"Ds", "char16_t"},
    {"Du", "char8_t"},
    {"Da", "auto"},
    {"Dc", "decltype(auto)"},
    {"Dn", "decltype(nullptr)"},
};

constexpr CodedText kStandardNames[] = {
    {"Sa", "std::allocator"}, {"Sb", "std::basic_string"}, {"Ss", "std::string"},
    {"Si", "std::istream"},   {"So", "std::ostream"},      {"Sd", "std::iostream"},
};

struct OperatorCode {
  std::string_view code;
  std::string_view text;
  int operands;
};

constexpr OperatorCode kOperators[] = {
    {"nw", "new", 0},       {"na", "new[]", 0}, {"dl", "delete", 1}, {"da", "delete[]", 1},
    {"aw", "co_await ", 1}, {"ps", "+", 1},     {"ng", "-", 1},      {"ad", "&", 1},
    {"de", "*", 1},         {"co", "~", 1},     {"nt", "!", 1},      {"pp", "++", 1},
    {"mm", "--", 1},        {"pl", "+", 2},     {"mi", "-", 2},      {"ml", "*", 2},
    {"dv", "/", 2},         {"rm", "%", 2},     {"an", "&", 2},      {"or", "|", 2},
    {"eo", "^", 2},         {"aS", "=", 2},     {"pL", "+=", 2},     {"mI", "-=", 2},
    {"mL", "*=", 2},        {"dV", "/=", 2},    {"rM", "%=", 2},     {"aN", "&=", 2},
    {"oR", "|=", 2},        {"eO", "^=", 2},    {"ls", "<<", 2},     {"rs", ">>", 2},
    {"lS", "<<=", 2},       {"rS", ">>=", 2},   {"eq", "==", 2},     {"ne", "!=", 2},
    {"lt", "<", 2},         {"gt", ">", 2},     {"le", "<=", 2},     {"ge", ">=", 2},
    {"ss", "<=>", 2},       {"aa", "&&", 2},    {"oo", "||", 2},     {"cm", ",", 2},
    {"pm", "->*", 2},       {"ds", ".*", 2},    {"pt", "->", 2},     {"dt", ".", 2},
    {"cl", "()", 0},        {"ix", "[]", 2},    {"qu", "?", 0},
};

constexpr CodedText kSpecialNames[] = {
    {"TV", "vtable for "},
    {"TT", "VTT for "},
    {"TI", "typeinfo for "},
    {"TS", "typeinfo name for "},
    {"TH", "TLS init function for "},
    {"TW", "TLS wrapper function for "},
    {"GV", "guard variable for "},
};

constexpr CodedText kNamedCasts[] = {{"sc", "static_cast"},
                                     {"dc", "dynamic_cast"},
                                     {"rc", "reinterpret_cast"},
                                     {"cc", "const_cast"}};

class MangledNameParser {
 public:
  explicit MangledNameParser(std::string_view text) : rest_(text) { tree_.parts.emplace_back(); }

  std::optional<MangledTree> parse() {
    if (!take("_Z")) return std::nullopt;
    tree_.root = encoding(true);
    while (peek() == '.') tree_.root = clone(tree_.root);
    if (failed_ || !rest_.empty()) return std::nullopt;
    return std::move(tree_);
  }

 private:
  // What the name of an encoding says about the rest of it.
  struct NameTraits {
    bool ends_with_template = false;
    bool no_return_type = false;  // constructors, destructors and conversions
    std::string_view function_qualifiers;
  };

  // --- the text
  char peek(std::size_t ahead = 0) const { return ahead < rest_.size() ? rest_[ahead] : '\0'; }
  bool next_is(std::string_view text) const { return rest_.starts_with(text); }
  bool take(std::string_view text) {
    if (!next_is(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  std::string_view take_size(std::size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  PartIndex fail() {
    failed_ = true;
    rest_ = {};
    return kNoPart;
  }
  void expect(char c) {
    if (peek() != c)
      fail();
    else
      rest_.remove_prefix(1);
  }
  std::string_view digits() {
    std::size_t size = 0;
    while (is_digit(peek(size))) ++size;
    return take_size(size);
  }
  std::optional<std::size_t> number() {
    const std::string_view text = digits();
    if (text.empty() || text.size() > 9) return std::nullopt;
    std::size_t value = 0;
    for (const char digit : text) value = 10 * value + static_cast<std::size_t>(digit - '0');
    return value;
  }
  // "_" is 0, "0_" is 1: how the ABI counts repetitions, in base 36 for substitutions.
  std::optional<std::size_t> sequence(std::size_t base) {
    if (take("_")) return 0;
    std::size_t value = 0;
    while (peek() != '_') {
      const char c = peek();
      std::size_t digit = base;
      if (is_digit(c)) digit = static_cast<std::size_t>(c - '0');
      if (c >= 'A' && c <= 'Z') digit = 10 + static_cast<std::size_t>(c - 'A');
      if (digit >= base || value > rest_.size() * base + (std::size_t{1} << 20U)) {
        fail();
        return std::nullopt;
      }
      value = base * value + digit;
      take_size(1);
    }
    take("_");
    return value + 1;
  }

  // --- the tree
  PartIndex add(MangledPart part) {
    if (failed_) return kNoPart;
    tree_.parts.push_back(std::move(part));
    return static_cast<PartIndex>(tree_.parts.size() - 1);
  }
  PartIndex text(std::string_view text) { return add({MangledKind::kText, text, 0, 0, {}}); }
  PartIndex unary(MangledKind kind, std::string_view text, PartIndex a) {
    return add({kind, text, a, 0, {}});
  }
  PartIndex substitutable(PartIndex part) {
    substitutions_.push_back(part);
    return part;
  }
  PartIndex scoped(PartIndex scope, PartIndex name) {
    return scope == kNoPart ? name : add({MangledKind::kScoped, "", scope, name, {}});
  }

  // Counts how deep the calls are; names nest without limit.
  class DepthGuard {
   public:
    explicit DepthGuard(MangledNameParser& parser) : depth_(parser.depth_) {
      if (++depth_ > kMostNested) parser.fail();
    }
    ~DepthGuard() { --depth_; }
    DepthGuard(const DepthGuard&) = delete;
    DepthGuard& operator=(const DepthGuard&) = delete;

   private:
    int& depth_;
  };

  // --- encodings and special names
  PartIndex encoding(bool outermost) {
    const DepthGuard guard(*this);
    if (peek() == 'T' || (peek() == 'G' && (peek(1) == 'V' || peek(1) == 'R' || peek(1) == 'T')))
      return special_name();
    NameTraits traits;
    const PartIndex whole_name = name(&traits);
    PartIndex whole = whole_name;
    if (!rest_.empty() && peek() != 'E' && peek() != '.') {
      MangledPart part{MangledKind::kEncoding, traits.function_qualifiers, whole_name, 0, {}};
      if (traits.ends_with_template && !traits.no_return_type) part.b = type();
      // Only a whole name is written with its return type, not one that others are local to.
      if (!outermost) part.b = kNoPart;
      part.list = parameters();
      whole = add(std::move(part));
    }
    return whole;
  }

  // The parameters of a function: at least one type; a lone "v" means none.
  std::vector<PartIndex> parameters() {
    std::vector<PartIndex> types;
    if (peek() == 'v' && (peek(1) == '\0' || peek(1) == 'E' || peek(1) == '.' || peek(1) == 'Q')) {
      take("v");
      return types;
    }
    while (!rest_.empty() && peek() != 'E' && peek() != '.' && !next_is("RE") && !next_is("OE"))
      types.push_back(type());
    return types;
  }

  PartIndex clone(PartIndex of) {
    std::size_t size = 1;
    if (is_digit(peek(1))) {
      while (is_digit(peek(size))) ++size;
    } else {
      while ((peek(size) >= 'a' && peek(size) <= 'z') || is_digit(peek(size)) || peek(size) == '_')
        ++size;
    }
    if (size == 1) return fail();
    while (peek(size) == '.' && is_digit(peek(size + 1))) {
      size += 2;
      while (is_digit(peek(size))) ++size;
    }
    return unary(MangledKind::kClone, take_size(size), of);
  }

  PartIndex special_name() {
    for (const CodedText& special : kSpecialNames) {
      if (!take(special.code)) continue;
      const bool of_type = special.code[0] == 'T' && special.code != "TH" && special.code != "TW";
      return unary(MangledKind::kSpecial, special.text, of_type ? type() : name(nullptr));
    }
    if (take("GR")) {
      const PartIndex object = name(nullptr);
      const std::string_view order = rest_.substr(0, rest_.find('_'));
      take_size(order.size());
      expect('_');
      return unary(MangledKind::kSpecial,
                   order.empty() ? "reference temporary #0 for " : "reference temporary for ",
                   object);
    }
    if (take("GTt")) return unary(MangledKind::kSpecial, "transaction clone for ", encoding(false));
    if (next_is("Th") || next_is("Tv")) {
      const bool is_virtual = next_is("Tv");
      take("T");
      call_offset();
      return unary(MangledKind::kSpecial,
                   is_virtual ? "virtual thunk to " : "non-virtual thunk to ", encoding(false));
    }
    if (take("Tc")) {
      call_offset();
      call_offset();
      return unary(MangledKind::kSpecial, "covariant return thunk to ", encoding(false));
    }
    if (take("TC")) {
      const PartIndex derived = type();
      number();
      expect('_');
      const PartIndex base = type();
      return add({MangledKind::kSpecial,
                  "construction vtable for ",
                  add({MangledKind::kBinary, "-in-", base, derived, {}}),
                  0,
                  {}});
    }
    return fail();
  }
  void call_offset() {
    const bool is_virtual = peek() == 'v';
    if (!is_virtual && peek() != 'h') fail();
    take_size(1);
    for (int i = is_virtual ? 2 : 1; i > 0; --i) {
      take("n");
      digits();
      expect('_');
    }
  }

  // --- names
  // With traits it is the name of an encoding.
  PartIndex name(NameTraits* traits) {
    const DepthGuard guard(*this);
    if (peek() == 'N') return nested_name(traits);
    if (peek() == 'Z') return local_name(traits);
    PartIndex named = kNoPart;
    const bool substituted = peek() == 'S' && peek(1) != 't';
    if (substituted) {
      named = substitution(false);
      if (peek() != 'I') return named;
    } else {
      const PartIndex scope = take("St") ? text("std") : kNoPart;
      named = scoped(scope, unqualified_name(kNoPart, traits));
    }
    if (peek() != 'I') return named;
    if (!substituted) substitutable(named);
    return template_of(named, traits);
  }

  PartIndex template_of(PartIndex named, NameTraits* traits) {
    const PartIndex whole = add({MangledKind::kTemplate, "", named, 0, template_arguments()});
    if (traits != nullptr) traits->ends_with_template = true;
    return whole;
  }

  PartIndex nested_name(NameTraits* traits) {
    expect('N');
    take("H");  // an explicit object parameter
    const std::string_view qualifiers = function_qualifiers();
    if (traits != nullptr) traits->function_qualifiers = qualifiers;
    PartIndex scope = kNoPart;
    while (!failed_ && !take("E")) {
      if (traits != nullptr) traits->ends_with_template = false;
      if (peek() == 'S' && peek(1) != 't') {
        const PartIndex repeated = substitution(true);
        scope = scoped(scope, repeated);
        continue;  // no substitution of its own
      }
      if (take("St")) {
        scope = text("std");
        continue;
      }
      if (peek() == 'T') {
        scope = scoped(scope, template_parameter());
      } else if (peek() == 'I') {
        if (scope == kNoPart) return fail();
        scope = template_of(scope, traits);
      } else if (peek() == 'D' && (peek(1) == 't' || peek(1) == 'T')) {
        scope = scoped(scope, decltype_of());
      } else if (take("M")) {
        continue;  // the initialiser of a member, which its name tells
      } else {
        const PartIndex member = unqualified_name(scope, traits);
        scope = scoped(scope, member);
      }
      if (peek() != 'E') substitutable(scope);
    }
    return scope == kNoPart ? fail() : scope;
  }

  // "r", "V", "K" and then "R" or "O", as they are written after a function's parameters.
  std::string_view function_qualifiers() {
    constexpr CodedText kQualifiers[] = {
        {"VKR", " const volatile &"},
        {"VKO", " const volatile &&"},
        {"VK", " const volatile"},
        {"KR", " const &"},
        {"KO", " const &&"},
        {"K", " const"},
        {"VR", " volatile &"},
        {"VO", " volatile &&"},
        {"V", " volatile"},
        {"R", " &"},
        {"O", " &&"},
    };
    take("r");
    for (const CodedText& qualifiers : kQualifiers) {
      if (take(qualifiers.code)) return qualifiers.text;
    }
    return "";
  }

  PartIndex local_name(NameTraits* traits) {
    expect('Z');
    const PartIndex function = encoding(false);
    expect('E');
    if (take("s")) {
      discriminator();
      return scoped(function, text("string literal"));
    }
    PartIndex entity = kNoPart;
    if (take("d")) {
      MangledPart argument{MangledKind::kNumber, "{default arg#", 0, 0, {}};
      argument.a = counted();
      const PartIndex defaulted = add(std::move(argument));
      entity = scoped(defaulted, name(traits));
    } else {
      entity = name(traits);
      discriminator();
    }
    return scoped(function, entity);
  }
  void discriminator() {
    if (!take("_")) return;
    if (take("_")) {
      digits();
      expect('_');
    } else {
      digits();
    }
  }
  // The count of "_", "0_", ...: the digits, or nothing for the first.
  PartIndex counted() {
    const std::string_view count = digits();
    expect('_');
    return text(count);
  }

  PartIndex unqualified_name(PartIndex scope, NameTraits* traits) {
    take("L");  // internal linkage
    PartIndex part = kNoPart;
    if (is_digit(peek())) {
      part = text(source_name());
    } else if (next_is("Ut")) {
      part = unnamed("Ut", "{unnamed type#");
    } else if (next_is("Ul")) {
      part = lambda();
    } else if (take("DC")) {
      MangledPart names{MangledKind::kBraces, "", 0, 0, {}};
      while (!failed_ && !take("E")) names.list.push_back(text(source_name()));
      part = add(std::move(names));
    } else if (peek() == 'C' || peek() == 'D') {
      if (traits != nullptr) traits->no_return_type = true;
      part = constructor(scope);
    } else {
      part = operator_name(traits);
    }
    while (take("B")) part = unary(MangledKind::kTagged, source_name(), part);
    return part;
  }

  std::string_view source_name() {
    const std::optional<std::size_t> size = number();
    if (!size || *size == 0 || *size > rest_.size()) {
      fail();
      return "";
    }
    const std::string_view name = take_size(*size);
    const bool anonymous = name.size() >= 10 && name.starts_with("_GLOBAL_") && name[9] == 'N' &&
                           (name[8] == '_' || name[8] == '.' || name[8] == '$');
    return anonymous ? "(anonymous namespace)" : name;
  }

  PartIndex unnamed(std::string_view code, std::string_view words) {
    take(code);
    const PartIndex count = counted();
    return add({MangledKind::kNumber, words, count, 0, {}});
  }

  PartIndex lambda() {
    take("Ul");
    std::vector<PartIndex> types = parameters();
    expect('E');
    const PartIndex count = counted();
    return add({MangledKind::kLambda, "", count, 0, std::move(types)});
  }

  PartIndex constructor(PartIndex scope) {
    const bool is_constructor = peek() == 'C';
    if (is_constructor && peek(1) == 'I') take("C");  // inherited: a type follows its number
    const bool inherited = peek() == 'I';
    take_size(1);
    if (!is_digit(peek()) || scope == kNoPart) return fail();
    take_size(1);
    if (inherited) type();
    return unary(is_constructor ? MangledKind::kConstructor : MangledKind::kDestructor, "", scope);
  }

  PartIndex operator_name(NameTraits* traits) {
    if (take("cv")) {
      if (traits != nullptr) traits->no_return_type = true;
      // Template arguments after the target type are the operator's own.
      const bool outer = std::exchange(in_conversion_, true);
      const PartIndex target = type();
      in_conversion_ = outer;
      return unary(MangledKind::kConversion, "", target);
    }
    if (take("li")) return unary(MangledKind::kOperator, "\"\" ", text(source_name()));
    for (const OperatorCode& one : kOperators) {
      if (take(one.code)) return unary(MangledKind::kOperator, one.text, kNoPart);
    }
    return fail();
  }

  // --- substitutions and template parameters
  PartIndex substitution(bool in_scope) {
    for (const CodedText& standard : kStandardNames) {
      if (!take(standard.code)) continue;
      // Their constructors are called by the template's name.
      if (in_scope && (peek() == 'C' || peek() == 'D')) return whole_standard_name(standard.code);
      return text(standard.text);
    }
    expect('S');
    const std::optional<std::size_t> index = sequence(36);
    if (!index || *index >= substitutions_.size()) return fail();
    return substitutions_[*index];
  }
  PartIndex whole_standard_name(std::string_view code) {
    constexpr CodedText kWhole[] = {
        {"Ss", "std::basic_string<char, std::char_traits<char>, std::allocator<char> >"},
        {"Si", "std::basic_istream<char, std::char_traits<char> >"},
        {"So", "std::basic_ostream<char, std::char_traits<char> >"},
        {"Sd", "std::basic_iostream<char, std::char_traits<char> >"},
        {"Sa", "std::allocator"},
        {"Sb", "std::basic_string"},
    };
    const auto* found = std::find_if(std::begin(kWhole), std::end(kWhole),
                                     [&](const CodedText& one) { return one.code == code; });
    return text(found->text);
  }

  PartIndex template_parameter() {
    expect('T');
    if (take("L")) {
      digits();
      expect('_');
    }
    const std::optional<std::size_t> index = sequence(10);
    if (!index) return fail();
    return add({MangledKind::kParameter, "", static_cast<PartIndex>(*index), 0, {}});
  }

  std::vector<PartIndex> template_arguments() {
    const DepthGuard guard(*this);
    expect('I');
    std::vector<PartIndex> list;
    while (!failed_ && !take("E")) list.push_back(template_argument());
    return list;
  }

  PartIndex template_argument() {
    if (take("X")) {
      const PartIndex value = expression();
      expect('E');
      return value;
    }
    if (peek() == 'L') return literal();
    if (take("J")) {
      MangledPart pack{MangledKind::kPack, "", 0, 0, {}};
      while (!failed_ && !take("E")) pack.list.push_back(template_argument());
      return add(std::move(pack));
    }
    return type();
  }

  // --- types
  PartIndex type() {
    const DepthGuard guard(*this);
    if (const PartIndex builtin = builtin_type(); builtin != kNoPart || failed_) return builtin;
    switch (peek()) {
      case 'r':
      case 'V':
      case 'K': return qualified_type();
      case 'P': return suffixed_type("P", "*");
      case 'R': return suffixed_type("R", "&");
      case 'O': return suffixed_type("O", "&&");
      case 'C': return suffixed_type("C", " _Complex");
      case 'G': return suffixed_type("G", " _Imaginary");
      case 'F': return substitutable(function_type(""));
      case 'A': return array_type();
      case 'M': return member_type();
      case 'U': return vendor_qualified_type();
      case 'D': return compound_type();
      case 'T': return parameter_type();
      case 'u': take("u"); return substitutable(text(source_name()));
      case 'S':
        if (peek(1) != 't') return substituted_type();
        break;
      default: break;
    }
    return substitutable(name(nullptr));
  }

  PartIndex builtin_type() {
    for (const CodedText& builtin : kBuiltinTypes) {
      if (take(builtin.code)) return text(builtin.text);
    }
    if (!take("DF")) return kNoPart;
    const std::string_view bits = digits();
    if (take("b")) return text("std::bfloat16_t");
    const PartIndex type = unary(MangledKind::kSpecial, "_Float", text(bits));
    expect('_');
    return type;
  }

  PartIndex qualified_type() {
    std::size_t size = 0;
    while (peek(size) == 'r' || peek(size) == 'V' || peek(size) == 'K') ++size;
    const std::string_view codes = take_size(size);
    if (peek() == 'F' || next_is("DoF") || next_is("DxF")) {
      const bool is_const = codes.find('K') != std::string_view::npos;
      const bool is_volatile = codes.find('V') != std::string_view::npos;
      const char* words = is_const && is_volatile ? " const volatile"
                          : is_const              ? " const"
                          : is_volatile           ? " volatile"
                                                  : "";
      return substitutable(function_type(words));
    }
    PartIndex qualified = type();
    for (std::size_t i = codes.size(); i > 0; --i) {
      const char code = codes[i - 1];
      const std::string_view words = code == 'K'   ? " const"
                                     : code == 'V' ? " volatile"
                                                   : " __restrict";
      qualified = unary(MangledKind::kSuffixed, words, qualified);
    }
    return substitutable(qualified);
  }
  PartIndex suffixed_type(std::string_view code, std::string_view suffix) {
    take(code);
    return substitutable(unary(MangledKind::kSuffixed, suffix, type()));
  }

  PartIndex function_type(std::string_view qualifiers) {
    std::string_view after = qualifiers;
    if (take("Do")) after = qualifiers.empty() ? " noexcept" : " const noexcept";
    take("Dx");
    expect('F');
    take("Y");  // extern "C"
    MangledPart function{MangledKind::kFunction, after, type(), 0, {}};
    function.list = parameters();
    if (take("R")) function.text = qualifiers.empty() ? " &" : " const &";
    if (take("O")) function.text = qualifiers.empty() ? " &&" : " const &&";
    expect('E');
    return add(std::move(function));
  }

  PartIndex array_type() {
    expect('A');
    MangledPart array{MangledKind::kArray, digits(), 0, 0, {}};
    if (array.text.empty() && peek() != '_') array.b = expression();
    expect('_');
    array.a = type();
    return substitutable(add(std::move(array)));
  }

  PartIndex member_type() {
    expect('M');
    const PartIndex owner = type();
    const PartIndex member = type();
    return substitutable(add({MangledKind::kMember, "", owner, member, {}}));
  }

  PartIndex vendor_qualified_type() {
    take("U");
    const std::string_view qualifier = source_name();
    if (peek() == 'I') template_arguments();  // of the qualifier, which are not written
    const PartIndex base = type();
    return substitutable(add({MangledKind::kScoped, " ", base, text(qualifier), {}}));
  }

  PartIndex compound_type() {
    if (take("Dp")) return substitutable(unary(MangledKind::kExpansion, "", type()));
    if (next_is("Dt") || next_is("DT")) return substitutable(decltype_of());
    if (next_is("Do") || next_is("Dx")) return substitutable(function_type(""));
    if (!take("Dv")) return fail();
    MangledPart vector{MangledKind::kVector, digits(), 0, 0, {}};
    if (vector.text.empty()) {
      take("_");
      vector.b = expression();
    }
    expect('_');
    vector.a = type();
    return substitutable(add(std::move(vector)));
  }

  PartIndex decltype_of() {
    take_size(2);
    const PartIndex value = expression();
    expect('E');
    return unary(MangledKind::kWrapped, "decltype ", value);
  }

  PartIndex parameter_type() {
    if (take("Ts") || take("Tu") || take("Te")) return substitutable(name(nullptr));
    PartIndex parameter = substitutable(template_parameter());
    if (peek() == 'I' && !in_conversion_) {
      parameter =
          substitutable(add({MangledKind::kTemplate, "", parameter, 0, template_arguments()}));
    }
    return parameter;
  }

  PartIndex substituted_type() {
    const PartIndex repeated = substitution(false);
    if (peek() != 'I') return repeated;
    return substitutable(add({MangledKind::kTemplate, "", repeated, 0, template_arguments()}));
  }

  // --- expressions
  PartIndex literal() {
    expect('L');
    if (take("_Z")) {
      const PartIndex object = encoding(true);
      expect('E');
      return object;
    }
    const PartIndex of = type();
    std::size_t size = 0;
    while (size < rest_.size() && peek(size) != 'E') ++size;
    const PartIndex value = unary(MangledKind::kLiteral, take_size(size), of);
    expect('E');
    return value;
  }

  std::vector<PartIndex> expressions() {
    std::vector<PartIndex> list;
    while (!failed_ && !take("E")) list.push_back(expression());
    return list;
  }

  PartIndex expression() {
    const DepthGuard guard(*this);
    if (peek() == 'L') return literal();
    if (peek() == 'T') return template_parameter();
    if (next_is("fp") || next_is("fL")) return function_parameter();
    if (take("gs")) return unary(MangledKind::kSpecial, "::", expression());
    if (take("sr")) return unresolved_name();
    if (take("sp")) return unary(MangledKind::kExpansion, "", expression());
    if (take("st")) return unary(MangledKind::kWrapped, "sizeof ", type());
    if (take("sz")) return unary(MangledKind::kWrapped, "sizeof ", expression());
    if (take("at")) return unary(MangledKind::kWrapped, "alignof ", type());
    if (take("az")) return unary(MangledKind::kWrapped, "alignof ", expression());
    if (take("nx")) return unary(MangledKind::kWrapped, "noexcept ", expression());
    if (take("sZ"))
      return unary(MangledKind::kWrapped, "sizeof...",
                   peek() == 'T' ? template_parameter() : function_parameter());
    if (take("on")) return template_if_arguments(operator_name(nullptr));
    if (take("il")) return add({MangledKind::kBraces, "", 0, 0, expressions()});
    if (take("tl")) {
      const PartIndex of = type();
      return add({MangledKind::kBraces, "", of, 0, expressions()});
    }
    if (take("cl")) {
      const PartIndex callee = expression();
      return add({MangledKind::kCall, "", callee, 0, expressions()});
    }
    if (take("cv")) {
      const PartIndex target = type();
      if (take("_")) return add({MangledKind::kCast, "_", target, 0, expressions()});
      return add({MangledKind::kCast, "", target, 0, {expression()}});
    }
    if (take("qu")) {
      const PartIndex condition = expression();
      const PartIndex yes = expression();
      const PartIndex no = expression();
      return add({MangledKind::kConditional, "", 0, 0, {condition, yes, no}});
    }
    for (const CodedText& cast : kNamedCasts) {
      if (!take(cast.code)) continue;
      const PartIndex target = type();
      const PartIndex value = expression();
      return add({MangledKind::kNamedCast, cast.text, target, value, {}});
    }
    if (next_is("dt") || next_is("pt")) {
      const std::string_view access = take_size(2) == "dt" ? "." : "->";
      const PartIndex object = expression();
      const PartIndex member = take("sr")
                                   ? unresolved_name()
                                   : template_if_arguments(unqualified_name(kNoPart, nullptr));
      return add({MangledKind::kBinary, access, object, member, {}});
    }
    for (const OperatorCode& one : kOperators) {
      if (one.operands == 0 || !take(one.code)) continue;
      if (one.operands == 1) {
        take("_");  // ++x instead of x++, which are written alike
        return unary(MangledKind::kUnary, one.text, expression());
      }
      const PartIndex left = expression();
      const PartIndex right = expression();
      return add({MangledKind::kBinary, one.text, left, right, {}});
    }
    if (is_digit(peek())) return template_if_arguments(text(source_name()));
    return fail();
  }

  PartIndex template_if_arguments(PartIndex named) {
    if (peek() != 'I') return named;
    return add({MangledKind::kTemplate, "", named, 0, template_arguments()});
  }

  PartIndex function_parameter() {
    if (take("fpT")) return text("this");
    if (take("fL")) {
      digits();
      expect('p');
    } else {
      take("fp");
    }
    while (peek() == 'r' || peek() == 'V' || peek() == 'K') take_size(1);
    const PartIndex count = counted();
    return add({MangledKind::kNumber, "{parm#", count, 0, {}});
  }

  // After "sr": a type, or names up to an E, and then the name that is looked up in it.
  PartIndex unresolved_name() {
    PartIndex scope = kNoPart;
    if (is_digit(peek())) {
      while (!failed_ && !take("E"))
        scope = scoped(scope, template_if_arguments(unqualified_name(scope, nullptr)));
    } else {
      scope = type();
    }
    return scoped(scope, template_if_arguments(unqualified_name(scope, nullptr)));
  }

  std::string_view rest_;
  MangledTree tree_;
  std::vector<PartIndex> substitutions_;
  int depth_ = 0;
  bool in_conversion_ = false;
  bool failed_ = false;
};

}  // namespace

std::optional<MangledTree> parse_mangled_name(std::string_view mangled) {
  return MangledNameParser(mangled).parse();
}

}  // namespace proofline

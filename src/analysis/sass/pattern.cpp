// SPDX-License-Identifier: Apache-2.0
//
// A parser by recursive descent over one line. The first error sticks and turns what is left into
// the end of the text, so that the parsing functions need not look at it.
#include "analysis/sass/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <utility>

#include "analysis/sass/pattern_terms.h"
#include "arch/sass_decoder.h"
#include "base/characters.h"
#include "base/nearest.h"
#include "base/text.h"
#include "vocabulary/ptx_names.h"

namespace proofline {
namespace {

using Term = ValueClaim::Term;
using Measure = Term::Measure;

constexpr std::size_t kMostCharacters = 1000;
constexpr std::string_view kAll = "all";
constexpr std::string_view kSpill = "spill";

bool is_word(char c) {
  constexpr std::string_view kMarks = "_.*?:-";
  return is_alphanumeric(c) || kMarks.find(c) != kMarks.npos;
}

std::optional<InstructionClass> class_named(std::string_view name) {
  for (std::size_t i = 0; i < kInstructionClasses; ++i) {
    const auto kind = static_cast<InstructionClass>(i);
    if (to_string(kind) == name) return kind;
  }
  return std::nullopt;
}

bool has_wildcard(std::string_view part) { return part.find_first_of("*?") != part.npos; }

// Whether some generation has the mnemonic; one with wildcards may be new.
bool may_be_opcode(std::string_view name) {
  const std::string_view mnemonic = name.substr(0, name.find('.'));
  return has_wildcard(mnemonic) || instruction_class(mnemonic) != InstructionClass::kUnknown;
}

// The first modifier that no architecture's instruction of this name has; "" for none.
// Disassemblers call an IMAD with certain operands by other names.
std::string_view unknown_modifier(std::string_view name) {
  const std::string_view mnemonic = take_until('.', name);
  while (!name.empty()) {
    const std::string_view part = take_until('.', name);
    const bool alias = mnemonic == "IMAD" && is_one_of(part, {"MOV", "IADD", "SHL"});
    if (!alias && !has_wildcard(part) && !SassDecoder::has_modifier(mnemonic, part)) return part;
  }
  return {};
}

std::string did_you_mean(std::string_view name) {
  std::vector<std::string_view> known = {kAll, kSpill};
  for (const TermName& term : term_names()) known.push_back(term.name);
  for (std::size_t i = 0; i < kInstructionClasses; ++i) {
    known.push_back(to_string(static_cast<InstructionClass>(i)));
  }
  for (const Mnemonics& generation : mnemonics()) {
    for (const Mnemonic& mnemonic : generation.added) known.push_back(mnemonic.name);
  }
  for (const PtxName& ptx : ptx_names()) known.push_back(ptx.ptx);
  constexpr std::size_t kMost = 3;
  const auto near = nearest(name.substr(0, name.find('.')), known, kMost);
  return near.empty() ? "" : fmt::format("; did you mean {}?", fmt::join(near, ", "));
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { advance(); }

  Result<Pattern> parse();
  Result<Pattern> parse_unbounded();

 private:
  struct Token {
    std::size_t at = 0;
    std::string_view text;  // "" at the end

    bool is_number() const { return !text.empty() && is_digit(text.front()); }
    bool is_name() const { return !text.empty() && is_word(text.front()) && !is_number(); }
  };

  void advance();
  bool take(std::string_view text);
  void expected(std::string_view what);
  void wrong(const Token& token, std::string message);

  // A number as it is in a bound, to be held against the unit of what it bounds.
  struct Number {
    Token token;
    double value = 0;
    std::string text;  // with its suffix
    bool percent = false;
    bool kibibytes = false;
  };

  bool compares() const;
  Result<Pattern> parse_rest();
  void parse_claim();
  void parse_order(Selector first);
  Selector parse_selector();
  void parse_name(Selector& selector);
  void add_ptx(const Token& token, const PtxName& ptx, Selector& selector);
  std::optional<ValueClaim> parse_value();
  std::optional<Term> parse_term();
  void parse_bound_before(PatternBounds& bounds);
  void parse_bound_after(PatternBounds& bounds);
  Number parse_number();
  void check_units(TermUnit unit);
  void check_reach(const Token& term, TermReach reach);
  void parse_place();
  void parse_loop(const Token& first);
  std::optional<RoleKind> parse_role();

  std::string_view text_;
  std::size_t next_ = 0;  // the character after the token
  Token token_;
  Pattern pattern_;
  std::vector<Number> numbers_;                        // of the bounds
  std::vector<std::pair<Token, TermReach>> measured_;  // the claim's terms
  std::optional<std::string> error_;
};

void Parser::advance() {
  while (next_ < text_.size() && (text_[next_] == ' ' || text_[next_] == '\t')) ++next_;
  std::size_t end = next_;
  while (end < text_.size() && is_word(text_[end])) ++end;
  if (end == next_ && end < text_.size()) {
    const bool compares = text_[end] == '>' || text_[end] == '<' || text_[end] == '=';
    ++end;
    const bool doubled = text_[end - 1] == '>' && end < text_.size() && text_[end] == '>';
    if (doubled || (compares && end < text_.size() && text_[end] == '=')) ++end;
  }
  token_ = {next_, text_.substr(next_, end - next_)};
  next_ = end;
}

bool Parser::take(std::string_view text) {
  if (!equal_but_case(token_.text, text)) return false;
  advance();
  return true;
}

void Parser::wrong(const Token& token, std::string message) {
  if (!error_) {
    error_ = fmt::format("pattern {}, character {}: {}", quote(text_), token.at + 1, message);
  }
  next_ = text_.size();
  token_ = {next_, {}};
}

void Parser::expected(std::string_view what) {
  wrong(token_, fmt::format("expected {}, found {}", what,
                            token_.text.empty() ? "the end" : quote(token_.text)));
}

Result<Pattern> Parser::parse() {
  parse_claim();
  return parse_rest();
}

Result<Pattern> Parser::parse_unbounded() {
  using Kind = PatternPlace::Kind;
  if (auto value = parse_value()) {
    pattern_.claim = std::move(*value);
  } else {
    expected("count(...), registers or another value");
  }
  auto pattern = parse_rest();
  if (!pattern) return pattern;
  switch (pattern->place.kind) {
    case Kind::kAnyLoop:
    case Kind::kEveryLoop:
    case Kind::kAnyRole:
    case Kind::kEveryRole:
      return fail(ErrorKind::kUsage,
                  fmt::format("pattern {}: a number is that of one place, not of any or every one",
                              quote(text_)));
    default: return pattern;
  }
}

Result<Pattern> Parser::parse_rest() {
  pattern_.text = text_;
  if (text_.size() > kMostCharacters) {
    return fail(ErrorKind::kUsage, fmt::format("pattern {}: longer than {} characters",
                                               quote(text_, 40), kMostCharacters));
  }
  if (take("after")) pattern_.after = parse_selector();
  if (take("in")) parse_place();
  if (!token_.text.empty()) {
    expected(pattern_.after ? "\"in\" or the end" : "\"after\", \"in\" or the end");
  }
  for (const auto& [term, reach] : measured_) check_reach(term, reach);
  if (error_) return fail(ErrorKind::kUsage, std::move(*error_));
  return std::move(pattern_);
}

// Whether a comparison is here; ">>" is an order.
bool Parser::compares() const {
  return token_.text != ">>" && token_.text.find_first_of("<=>") == 0;
}

void Parser::parse_claim() {
  PatternBounds bounds;
  const bool bounded = token_.is_number();
  if (bounded) parse_bound_before(bounds);
  if (auto value = parse_value()) {
    if (compares() || !bounded) parse_bound_after(bounds);
    check_units(value->divisor ? TermUnit::kRatio : name_of(value->value).unit);
    value->bounds = std::move(bounds);
    pattern_.claim = std::move(*value);
    return;
  }
  Selector selector = parse_selector();
  if (take("width")) {
    if (compares() || !bounded) parse_bound_after(bounds);
    check_units(TermUnit::kBytes);
    pattern_.claim = WidthClaim{std::move(selector), std::move(bounds)};
    return;
  }
  if (!bounded && (token_.text == ">" || token_.text == ">>")) {
    return parse_order(std::move(selector));
  }
  if (compares()) parse_bound_after(bounds);
  if (bounds.empty()) bounds.emplace_back();
  check_units(TermUnit::kNumber);
  pattern_.claim = ValueClaim{{Measure::kCount, std::move(selector)}, {}, std::move(bounds)};
}

// An order, or a count: what is after the first ">" tells.
void Parser::parse_order(Selector first) {
  OrderClaim order;
  order.steps.push_back({std::move(first)});
  std::size_t in_a_row = 1;
  while (token_.text == ">" || token_.text == ">>") {
    const Token sign = token_;
    const bool directly = sign.text == ">>";
    advance();
    if (!directly && order.steps.size() == 1 && token_.is_number()) {
      next_ = sign.at;
      advance();
      ValueClaim count{{Measure::kCount, std::move(order.steps.front().of)}, {}, {}};
      parse_bound_after(count.bounds);
      check_units(TermUnit::kNumber);
      pattern_.claim = std::move(count);
      return;
    }
    in_a_row = directly ? in_a_row + 1 : 1;
    if (in_a_row > OrderClaim::kMostInARun) {
      return wrong(sign, fmt::format("at most {} instructions can be directly behind one another",
                                     OrderClaim::kMostInARun));
    }
    order.steps.push_back({parse_selector(), directly});
  }
  pattern_.claim = std::move(order);
}

std::optional<ValueClaim> Parser::parse_value() {
  auto term = parse_term();
  if (!term) return std::nullopt;
  ValueClaim claim{std::move(*term), std::nullopt, {}};
  if (take("/")) {
    claim.divisor = parse_term();
    if (!claim.divisor) expected("count(...), bytes(...) or another value");
  }
  return claim;
}

std::optional<Term> Parser::parse_term() {
  const Token start = token_;
  for (const TermName& name : term_names()) {
    if (!take(name.name)) continue;
    measured_.emplace_back(start, name.reach);
    Term term{name.measure, {}};
    if (name.name == "instructions") {
      term.of = {std::string(name.name), {{InstructionName::Kind::kAll, {}, {}}}};
    }
    if (!name.selects) return term;
    if (!take("(")) expected("\"(\"");
    const Token argument = token_;
    term.of = parse_selector();
    if (name.measure == Measure::kPasses && term.of.text != "shared-store") {
      wrong(argument, "only passes(shared-store) is known");
    }
    if (!take(")")) expected("\"|\" or \")\"");
    return term;
  }
  return std::nullopt;
}

void Parser::check_reach(const Token& term, TermReach reach) {
  using Kind = PatternPlace::Kind;
  const Kind kind = pattern_.place.kind;
  const bool in_role = kind == Kind::kRole || kind == Kind::kAnyRole || kind == Kind::kEveryRole;
  const bool in_loop = kind != Kind::kFunction && !in_role;
  const auto refuse = [&](bool found, std::string_view where) {
    if (found) wrong(term, fmt::format("{} can be told of {}", term.text, where));
  };
  switch (reach) {
    case TermReach::kAnywhere: break;
    case TermReach::kNotAfter:
      return refuse(pattern_.after.has_value(), "functions, loops and roles, not \"after\"");
    case TermReach::kLoops:
      return refuse(pattern_.after || in_role, "functions and loops, not of roles or \"after\"");
    case TermReach::kRoles:
      return refuse(pattern_.after || in_loop, "functions and roles, not of loops or \"after\"");
    case TermReach::kFunction:
      return refuse(pattern_.after || kind != Kind::kFunction,
                    "whole functions, not of loops, roles or \"after\"");
  }
}

Selector Parser::parse_selector() {
  Selector selector;
  do {
    parse_name(selector);
  } while (take("|"));
  return selector;
}

void add(Selector& selector, InstructionName name, std::string_view text) {
  if (!selector.text.empty()) selector.text += '|';
  selector.text += text;
  selector.names.push_back(std::move(name));
}

// False where the name is none of a class, `all` or `spill`.
bool add_class(std::string_view name, Selector& selector) {
  using Kind = InstructionName::Kind;
  if (name == kAll) {
    add(selector, {Kind::kAll, {}, {}}, name);
  } else if (name == kSpill) {
    add(selector, {Kind::kSpill, {}, {}}, name);
  } else if (const auto kind = class_named(name)) {
    add(selector, {Kind::kClass, {}, *kind}, name);
  } else {
    return false;
  }
  return true;
}

void Parser::parse_name(Selector& selector) {
  using Kind = InstructionName::Kind;
  constexpr std::array<std::string_view, 5> kKeywords = {"after", "in", "width", "with", "of"};
  const Token token = token_;
  const bool keyword = std::any_of(kKeywords.begin(), kKeywords.end(), [&](std::string_view word) {
    return equal_but_case(token.text, word);
  });
  if (!token.is_name() || keyword) {
    return expected("the name of an instruction or of a class");
  }
  advance();
  if (add_class(token.text, selector)) return;
  if (const PtxName* ptx = find_ptx_name(token.text)) return add_ptx(token, *ptx, selector);
  const std::string opcode = upper_case(token.text);
  // PTX has mnemonics in common with SASS (st, red, shfl) but other modifiers.
  const std::string_view unknown = unknown_modifier(opcode);
  const bool ptx = is_lower(token.text.front()) && !unknown.empty();
  if (may_be_opcode(opcode) && !ptx) {
    const std::string_view mnemonic = std::string_view(opcode).substr(0, opcode.find('.'));
    const bool wrong_modifier = !unknown.empty() && SassDecoder::has_modifier(mnemonic, "");
    if (!wrong_modifier) return add(selector, {Kind::kOpcode, opcode, {}}, opcode);
    return wrong(token, fmt::format("no {} known here has the modifier .{} (with a * at its end, "
                                    ".{}*, it is looked for all the same)",
                                    mnemonic, unknown, unknown));
  }
  if (add_class(lower_case(token.text), selector)) return;
  wrong(token, fmt::format("no instruction and no class known here is called {}{} (with a * at its "
                           "end it is looked for all the same)",
                           quote(token.text), did_you_mean(token.text)));
}

void Parser::add_ptx(const Token& token, const PtxName& ptx, Selector& selector) {
  const std::string why = ptx.why.empty() ? "" : fmt::format(". {}", ptx.why);
  if (ptx.sass.empty()) {
    return wrong(token, fmt::format("{} is no instruction of its own in SASS; leave it out{}",
                                    token.text, why));
  }
  pattern_.remarks.push_back(fmt::format("{} is {} in SASS{}", token.text, ptx.sass, why));
  std::string_view rest = ptx.sass;
  while (!rest.empty()) {
    const std::string_view name = rest.substr(0, rest.find('|'));
    add(selector, {InstructionName::Kind::kOpcode, std::string(name), {}}, name);
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
  }
}

struct ComparisonSign {
  std::string_view sign;
  PatternBound::Comparison comparison;
  std::string_view turned;  // as it reads from the other side
};

constexpr std::array<ComparisonSign, 6> kComparisonSigns = {
    {{">=", PatternBound::Comparison::kAtLeast, "<="},
     {"<=", PatternBound::Comparison::kAtMost, ">="},
     {">", PatternBound::Comparison::kMore, "<"},
     {"<", PatternBound::Comparison::kLess, ">"},
     {"=", PatternBound::Comparison::kEqual, "="},
     {"==", PatternBound::Comparison::kEqual, "="}}};

const ComparisonSign* find_sign(std::string_view text) {
  const auto* found = std::find_if(kComparisonSigns.begin(), kComparisonSigns.end(),
                                   [&](const ComparisonSign& one) { return one.sign == text; });
  return found == kComparisonSigns.end() ? nullptr : found;
}

// "2 <=" says of what follows that it is ">= 2".
void Parser::parse_bound_before(PatternBounds& bounds) {
  const Number number = parse_number();
  const ComparisonSign* sign = find_sign(token_.text);
  if (sign == nullptr) return expected("one of >= <= > < =");
  advance();
  sign = find_sign(sign->turned);
  bounds.push_back({sign->comparison, number.value, fmt::format("{} {}", sign->sign, number.text)});
}

void Parser::parse_bound_after(PatternBounds& bounds) {
  const ComparisonSign* sign = find_sign(token_.text);
  if (sign == nullptr) return expected("one of >= <= > < =");
  advance();
  const Number number = parse_number();
  bounds.push_back({sign->comparison, number.value, fmt::format("{} {}", sign->sign, number.text)});
}

Parser::Number Parser::parse_number() {
  constexpr std::string_view kKibibytes = "KiB";
  Number number{token_, 0, std::string(token_.text), false, false};
  const char* end = token_.text.data() + token_.text.size();
  const auto parsed = std::from_chars(token_.text.data(), end, number.value);
  const std::string_view rest(parsed.ptr, static_cast<std::size_t>(end - parsed.ptr));
  number.kibibytes = equal_but_case(rest, kKibibytes);
  if (!token_.is_number() || parsed.ec != std::errc() || !(rest.empty() || number.kibibytes)) {
    expected("a number");
    return number;
  }
  advance();
  if (take("%")) {
    number.percent = true;
    number.text += '%';
    number.value /= 100;
  } else if (!number.kibibytes && take(kKibibytes)) {
    number.kibibytes = true;
    number.text += " KiB";
  }
  if (number.kibibytes) number.value *= 1024;
  numbers_.push_back(number);
  return number;
}

void Parser::check_units(TermUnit unit) {
  for (const Number& number : numbers_) {
    if (number.percent && unit != TermUnit::kShare && unit != TermUnit::kRatio) {
      wrong(number.token, "% is for shares and ratios; this is a number");
    } else if (number.kibibytes && unit != TermUnit::kBytes) {
      wrong(number.token, "KiB is for bytes");
    } else if (unit == TermUnit::kShare && number.value > 1) {
      wrong(
          number.token,
          fmt::format("a share is 0 to 1{}",
                      number.percent ? "" : fmt::format("; did you mean {}%?", number.token.text)));
    }
  }
}

void Parser::parse_place() {
  using Kind = PatternPlace::Kind;
  PatternPlace& place = pattern_.place;
  if (take("function")) return;
  const Token first = token_;
  if (take("role")) {
    place.kind = Kind::kRole;
    place.role = parse_role();
    return;
  }
  const bool any = take("any");
  const bool every = !any && take("every");
  if ((any || every) && take("role")) {
    place.kind = any ? Kind::kAnyRole : Kind::kEveryRole;
    return;
  }
  place.kind = any ? Kind::kAnyLoop : every ? Kind::kEveryLoop : Kind::kHotLoop;
  parse_loop(first);
}

void Parser::parse_loop(const Token& first) {
  using Kind = PatternPlace::Kind;
  PatternPlace& place = pattern_.place;
  if (!take("loop")) {
    return expected(token_.at == first.at ? "\"function\", \"loop\", \"any loop\", \"every loop\", "
                                            "\"role\", \"any role\" or \"every role\""
                                          : "\"loop\" or \"role\"");
  }
  if (place.kind == Kind::kHotLoop && token_.is_number()) {
    std::string_view digits = token_.text;
    if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
    const char* end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), end, place.address, 16);
    if (parsed.ec != std::errc() || parsed.ptr != end) return expected("an address like 0x0a30");
    place.kind = Kind::kLoopAt;
    advance();
    return;
  }
  if (take("with")) place.with = parse_selector();
  if (!take("of")) return;
  if (!take("role")) return expected("\"role\"");
  place.role = parse_role();
}

std::optional<RoleKind> Parser::parse_role() {
  for (const RoleKind kind :
       {RoleKind::kLoad, RoleKind::kMma, RoleKind::kEpilogue, RoleKind::kOther}) {
    if (take(to_string(kind))) return kind;
  }
  expected("a role: load, mma, epilogue or other");
  return std::nullopt;
}

}  // namespace

Result<Pattern> parse_pattern(std::string_view text) { return Parser(text).parse(); }
Result<Pattern> parse_code_value(std::string_view text) { return Parser(text).parse_unbounded(); }

}  // namespace proofline

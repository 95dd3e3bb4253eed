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

#include "arch/sass_decoder.h"
#include "base/characters.h"
#include "base/nearest.h"
#include "base/text.h"
#include "vocabulary/ptx_names.h"

namespace proofline {
namespace {

using Term = ValueClaim::Term;

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

// Whether some generation has the mnemonic; one with wildcards may be new.
bool may_be_opcode(std::string_view name) {
  const std::string_view mnemonic = name.substr(0, name.find('.'));
  return mnemonic.find_first_of("*?") != mnemonic.npos ||
         instruction_class(mnemonic) != InstructionClass::kUnknown;
}

// Takes the first part of a name off it.
std::string_view take_part(std::string_view& opcode) {
  const std::string_view part = opcode.substr(0, opcode.find('.'));
  opcode.remove_prefix(std::min(opcode.size(), part.size() + 1));
  return part;
}

// Whether each modifier is one that some architecture's instruction of this name has.
bool has_known_modifiers(std::string_view name) {
  const std::string_view mnemonic = take_part(name);
  while (!name.empty()) {
    const std::string_view part = take_part(name);
    const bool open = part.find_first_of("*?") != part.npos;
    if (!open && !SassDecoder::has_modifier(mnemonic, part)) return false;
  }
  return true;
}

std::string did_you_mean(std::string_view name) {
  std::vector<std::string_view> known = {kAll, kSpill};
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

  void parse_claim();
  Selector parse_selector();
  void parse_name(Selector& selector);
  void add_ptx(const Token& token, const PtxName& ptx, Selector& selector);
  std::optional<Term> parse_term();
  PatternBound parse_bound();
  PatternBound parse_bound(PatternBound::Comparison comparison, std::string_view sign);
  void parse_place();

  std::string_view text_;
  std::size_t next_ = 0;  // the character after the token
  Token token_;
  Pattern pattern_;
  std::optional<std::string> error_;
};

void Parser::advance() {
  while (next_ < text_.size() && (text_[next_] == ' ' || text_[next_] == '\t')) ++next_;
  std::size_t end = next_;
  while (end < text_.size() && is_word(text_[end])) ++end;
  if (end == next_ && end < text_.size()) {
    const bool compares = text_[end] == '>' || text_[end] == '<' || text_[end] == '=';
    ++end;
    if (compares && end < text_.size() && text_[end] == '=') ++end;
  }
  token_ = {next_, text_.substr(next_, end - next_)};
  next_ = end;
}

bool Parser::take(std::string_view text) {
  if (token_.text != text) return false;
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
  pattern_.text = text_;
  if (text_.size() > kMostCharacters) {
    return fail(ErrorKind::kUsage, fmt::format("pattern {}: longer than {} characters",
                                               quote(text_, 40), kMostCharacters));
  }
  parse_claim();
  const Token after = token_;
  if (take("after")) {
    pattern_.after = parse_selector();
    const auto* claim = std::get_if<ValueClaim>(&pattern_.claim);
    const auto counts_passes = [](const Term& term) {
      return term.measure == Term::Measure::kPasses;
    };
    if (claim != nullptr &&
        (counts_passes(claim->value) || (claim->divisor && counts_passes(*claim->divisor)))) {
      wrong(after, "passes are counted in whole functions and loops, not after an instruction");
    }
  }
  if (take("in")) parse_place();
  if (!token_.text.empty()) {
    expected(pattern_.after ? "\"in\" or the end" : "\"after\", \"in\" or the end");
  }
  if (error_) return fail(ErrorKind::kUsage, std::move(*error_));
  return std::move(pattern_);
}

void Parser::parse_claim() {
  if (auto term = parse_term()) {
    ValueClaim claim{std::move(*term), std::nullopt, {}};
    if (take("/")) {
      claim.divisor = parse_term();
      if (!claim.divisor) expected("count(...) or bytes(...)");
    }
    claim.bound = parse_bound();
    pattern_.claim = std::move(claim);
    return;
  }
  Selector selector = parse_selector();
  if (take("width")) {
    pattern_.claim = WidthClaim{std::move(selector), parse_bound()};
    return;
  }
  OrderClaim order;
  while (token_.text == ">") {
    advance();
    if (order.steps.empty() && token_.is_number()) {
      pattern_.claim = ValueClaim{{Term::Measure::kCount, std::move(selector)},
                                  std::nullopt,
                                  parse_bound(PatternBound::Comparison::kMore, ">")};
      return;
    }
    order.steps.push_back(std::exchange(selector, parse_selector()));
  }
  if (!order.steps.empty()) {
    order.steps.push_back(std::move(selector));
    pattern_.claim = std::move(order);
    return;
  }
  constexpr std::string_view kCompares = "<=";
  const bool compares = token_.text.find_first_of(kCompares) != token_.text.npos;
  pattern_.claim = ValueClaim{{Term::Measure::kCount, std::move(selector)},
                              std::nullopt,
                              compares ? parse_bound() : PatternBound{}};
}

std::optional<Term> Parser::parse_term() {
  constexpr std::array<std::pair<std::string_view, Term::Measure>, 3> kMeasures = {
      {{"count", Term::Measure::kCount},
       {"bytes", Term::Measure::kBytes},
       {"passes", Term::Measure::kPasses}}};
  for (const auto& [name, measure] : kMeasures) {
    if (!take(name)) continue;
    if (!take("(")) expected("\"(\"");
    const Token argument = token_;
    Term term{measure, parse_selector()};
    if (measure == Term::Measure::kPasses && term.of.text != "shared-store") {
      wrong(argument, "only passes(shared-store) is known");
    }
    if (!take(")")) expected("\"|\" or \")\"");
    return term;
  }
  return std::nullopt;
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
  constexpr std::array<std::string_view, 3> kKeywords = {"after", "in", "width"};
  const Token token = token_;
  if (!token.is_name() ||
      std::find(kKeywords.begin(), kKeywords.end(), token.text) != kKeywords.end()) {
    return expected("the name of an instruction or of a class");
  }
  advance();
  if (add_class(token.text, selector)) return;
  if (const PtxName* ptx = find_ptx_name(token.text)) return add_ptx(token, *ptx, selector);
  const std::string opcode = upper_case(token.text);
  // PTX has mnemonics in common with SASS (st, red, shfl) but other modifiers.
  const bool ptx = is_lower(token.text.front()) && !has_known_modifiers(opcode);
  if (may_be_opcode(opcode) && !ptx) return add(selector, {Kind::kOpcode, opcode, {}}, opcode);
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

PatternBound Parser::parse_bound() {
  using Comparison = PatternBound::Comparison;
  constexpr std::array<std::pair<std::string_view, Comparison>, 6> kSigns = {
      {{">=", Comparison::kAtLeast},
       {"<=", Comparison::kAtMost},
       {">", Comparison::kMore},
       {"<", Comparison::kLess},
       {"=", Comparison::kEqual},
       {"==", Comparison::kEqual}}};
  for (const auto& [sign, comparison] : kSigns) {
    if (take(sign)) return parse_bound(comparison, sign);
  }
  expected("one of >= <= > < =");
  return {};
}

PatternBound Parser::parse_bound(PatternBound::Comparison comparison, std::string_view sign) {
  PatternBound bound{comparison, 0, fmt::format("{} {}", sign, token_.text)};
  const char* end = token_.text.data() + token_.text.size();
  const auto parsed = std::from_chars(token_.text.data(), end, bound.number);
  if (!token_.is_number() || parsed.ec != std::errc() || parsed.ptr != end) {
    expected("a number");
    return bound;
  }
  advance();
  return bound;
}

void Parser::parse_place() {
  using Kind = PatternPlace::Kind;
  if (take("function")) return;
  const Token first = token_;
  if (take("any")) {
    pattern_.place.kind = Kind::kAnyLoop;
  } else if (take("every")) {
    pattern_.place.kind = Kind::kEveryLoop;
  } else {
    pattern_.place.kind = Kind::kHotLoop;
  }
  if (!take("loop")) {
    const bool at_start = token_.at == first.at;
    return expected(at_start ? "\"function\", \"loop\", \"any loop\" or \"every loop\""
                             : "\"loop\"");
  }
  if (pattern_.place.kind != Kind::kHotLoop || !token_.is_number()) return;
  std::string_view digits = token_.text;
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  const char* end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, pattern_.place.address, 16);
  if (parsed.ec != std::errc() || parsed.ptr != end) return expected("an address like 0x0a30");
  pattern_.place.kind = Kind::kLoopAt;
  advance();
}

}  // namespace

bool PatternBound::holds(double value) const {
  switch (comparison) {
    case Comparison::kAtLeast: return value >= number;
    case Comparison::kAtMost: return value <= number;
    case Comparison::kMore: return value > number;
    case Comparison::kLess: return value < number;
    case Comparison::kEqual: return value == number;
  }
  return false;
}

Result<Pattern> parse_pattern(std::string_view text) { return Parser(text).parse(); }

namespace {

// Whether whole parts at the opcode's front are the name; a * may stand for several parts.
bool matches_front(std::string_view name, std::string_view opcode) {
  // After a mismatch the last * takes one letter more; earlier ones need not be tried again.
  std::size_t n = 0;
  std::size_t o = 0;
  std::size_t star = name.npos;
  std::size_t taken = 0;
  while (true) {
    if (n == name.size() && (o == opcode.size() || opcode[o] == '.')) return true;
    if (n < name.size() && name[n] == '*') {
      star = n++;
      taken = o;
    } else if (n < name.size() && o < opcode.size() &&
               (name[n] == '?' || to_lower(name[n]) == to_lower(opcode[o]))) {
      ++n;
      ++o;
    } else if (star != name.npos && taken < opcode.size()) {
      n = star + 1;
      o = ++taken;
    } else {
      return false;
    }
  }
}

}  // namespace

bool matches_opcode(std::string_view name, std::string_view opcode) {
  if (matches_front(name, opcode)) return true;
  if (!matches_front(take_part(name), take_part(opcode))) return false;
  while (!name.empty()) {
    const std::string_view wanted = take_part(name);
    while (!opcode.empty() && !matches_front(wanted, opcode.substr(0, opcode.find('.')))) {
      take_part(opcode);
    }
    if (opcode.empty()) return false;
    take_part(opcode);
  }
  return true;
}

}  // namespace proofline

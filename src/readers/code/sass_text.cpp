// SPDX-License-Identifier: Apache-2.0
#include "readers/code/sass_text.h"

#include <algorithm>
#include <cstring>

#include "base/characters.h"

namespace proofline {
namespace {

// What registers, special registers and modifiers are made of.
constexpr auto kWordChars = [] {
  std::array<bool, 256> table{};
  for (unsigned c = 0; c < table.size(); ++c) {
    table[c] = is_alphanumeric(static_cast<char>(c)) || c == '_';
  }
  return table;
}();

constexpr std::uint8_t kNoDigit = 16;
constexpr auto kHexDigits = [] {
  std::array<std::uint8_t, 256> table{};
  table.fill(kNoDigit);
  for (std::uint8_t i = 0; i < 10; ++i) table['0' + i] = i;
  for (std::uint8_t i = 0; i < 6; ++i) {
    table['a' + i] = static_cast<std::uint8_t>(10 + i);
    table['A' + i] = static_cast<std::uint8_t>(10 + i);
  }
  return table;
}();

bool is_word(char c) { return kWordChars[static_cast<unsigned char>(c)]; }

// Moves past hex digits; what does not fit in 64 bits loses its front.
std::uint64_t take_hex(const char*& at, const char* end) {
  std::uint64_t value = 0;
  for (; at < end; ++at) {
    const std::uint8_t digit = kHexDigits[static_cast<unsigned char>(*at)];
    if (digit == kNoDigit) break;
    value = value << 4U | digit;
  }
  return value;
}

struct Register {
  OperandKind kind = OperandKind::kSpecial;
  std::uint16_t index = 0;
};

// Moves past R4, RZ, UR4, URZ, P0, PT, UP0, UPT or B0; special, and no movement, for anything else.
Register take_register(const char*& at, const char* end) {
  const char* to = at;
  const bool uniform = to < end && *to == 'U';
  if (uniform) ++to;
  if (end - to < 2) return {};
  Register one;
  std::uint16_t last = Operand::kZero;  // the number of RZ and PT
  char name_of_last = 'Z';
  switch (*to++) {
    case 'R': one.kind = uniform ? OperandKind::kUniformRegister : OperandKind::kRegister; break;
    case 'P':
      one.kind = uniform ? OperandKind::kUniformPredicate : OperandKind::kPredicate;
      last = Operand::kTrue;
      name_of_last = 'T';
      break;
    case 'B':
      if (uniform) return {};
      one.kind = OperandKind::kBarrier;
      break;
    default: return {};
  }
  unsigned index = 0;
  if (*to == name_of_last) {
    index = last;
    ++to;
  } else if (is_digit(*to)) {
    for (; to < end && is_digit(*to) && index <= last; ++to) {
      index = index * 10 + static_cast<unsigned>(*to - '0');
    }
  } else {
    return {};
  }
  if (index > last || (to < end && is_word(*to))) return {};
  one.index = static_cast<std::uint16_t>(index);
  at = to;
  return one;
}

// Reads the operands of one instruction. Each step moves on by one character at least.
class OperandScanner {
 public:
  OperandScanner(std::string_view text, CodeFunction& function, std::vector<LabelUse>& labels)
      : at_(text.data()),
        end_(text.data() + text.size()),
        begin_(at_),
        operands_(function.operands),
        first_char_(static_cast<std::uint32_t>(function.text.size())),
        instruction_(static_cast<std::uint32_t>(function.instructions.size())),
        labels_(labels) {}

  // From the end of the opcode to the end of the text.
  void scan(const char* from) {
    at_ = from;
    while (true) {
      const bool comma = skip_separators();
      // Disassemblers for sm_100 and later print schedules there: "&req={1} ?trans2".
      if (at_ == end_ || *at_ == '&' || *at_ == '?') break;
      last_is_offset_ = false;
      last_is_label_ = false;
      after_space_ = !comma;
      scan_operand();
    }
  }

  // Where the operands end.
  const char* at() const { return at_; }
  // Whether the last operand is an absolute number, unlike the 0x0 of
  // "RET.REL.NODEC R8 0x0", which is added to the register.
  bool last_is_offset() const { return last_is_offset_; }
  bool last_is_label() const { return last_is_label_; }

 private:
  bool next_is(char c) const { return at_ < end_ && *at_ == c; }
  bool next_is_digit() const { return at_ < end_ && is_digit(*at_); }

  // True after a comma, and before the first operand.
  bool skip_separators() {
    bool comma = first_;
    first_ = false;
    for (; at_ < end_ && (*at_ == ' ' || *at_ == ',' || *at_ == '\t'); ++at_) {
      comma = comma || *at_ == ',';
    }
    return comma;
  }

  std::string_view take_word() {
    const char* from = at_;
    while (at_ < end_ && is_word(*at_)) ++at_;
    return {from, static_cast<std::size_t>(at_ - from)};
  }

  Operand& add(OperandKind kind, OperandUse use = OperandUse::kRead) {
    Operand& one = operands_.emplace_back();
    one.kind = kind;
    one.use = use;
    return one;
  }

  void scan_operand() {
    bool minus = false;
    for (; at_ < end_; ++at_) {
      if (*at_ == '-' || *at_ == '~' || *at_ == '!') {
        minus = true;
      } else if (*at_ != '|' && *at_ != '+') {
        break;
      }
    }
    if (at_ == end_) return;
    const char first = *at_;
    if (is_digit(first)) {
      scan_number(minus);
    } else if (is_word(first)) {
      scan_name(minus);
    } else if (first == '[') {
      scan_groups();
    } else if (first == '`') {
      scan_label();
    } else if (first == '(') {
      scan_remark();
    } else {
      scan_unknown();
    }
    skip_modifiers(nullptr);
  }

  void scan_name(bool minus) {
    if (add_register(OperandUse::kRead, minus)) return;
    const std::string_view word = take_word();
    if (!next_is('[')) {
      const bool number = word == "INF" || word == "QNAN" || word == "SNAN";
      add(number ? OperandKind::kImmediate : OperandKind::kSpecial).negated = minus && !number;
    } else if (word == "c") {
      scan_constant(minus);
    } else {
      scan_groups();
    }
  }

  bool add_register(OperandUse use, bool minus) {
    const Register named = take_register(at_, end_);
    if (named.kind == OperandKind::kSpecial) return false;
    Operand& one = add(named.kind, use);
    one.index = named.index;
    one.negated = minus;
    skip_modifiers(&one);
    return true;
  }

  // ".reuse", ".H0_H0", ".64", and the bar that closes |R4|.
  void skip_modifiers(Operand* one) {
    while (at_ < end_ && (*at_ == '.' || *at_ == '|')) {
      if (*at_++ == '.' && take_word() == "64" && one != nullptr) one->count = 2;
    }
  }

  // A whole number, hexadecimal or decimal; nothing, and no movement, for anything else.
  std::optional<std::int64_t> take_integer() {
    const char* to = at_;
    std::uint64_t value = 0;
    if (end_ - at_ > 2 && at_[0] == '0' && at_[1] == 'x') {
      to = at_ + 2;
      value = take_hex(to, end_);
    } else {
      for (; to < end_ && is_digit(*to); ++to) {
        value = value * 10 + static_cast<std::uint64_t>(*to - '0');
      }
    }
    if (to == at_ || (to < end_ && (is_word(*to) || *to == '.' || *to == '@'))) return {};
    at_ = to;
    return static_cast<std::int64_t>(value);
  }

  void scan_number(bool minus) {
    if (const auto value = take_integer()) {
      add(OperandKind::kImmediate).value = signed_value(*value, minus);
      last_is_offset_ = !after_space_;
      return;
    }
    // 1.5e-39 is a number and 2D is not; 32@lo(NAME) becomes one only when the program is linked.
    const char* from = at_;
    while (at_ < end_ && (is_digit(*at_) || *at_ == '.')) ++at_;
    if (at_ - from > 0 && next_is('e')) {
      ++at_;
      while (at_ < end_ && (is_digit(*at_) || *at_ == '-' || *at_ == '+')) ++at_;
    }
    const bool relocated = next_is('@');
    const bool number = (at_ == end_ || !is_word(*at_)) && !relocated;
    add(number ? OperandKind::kImmediate : OperandKind::kSpecial);
    if (relocated) skip_balanced();
    take_word();
  }

  // Negates in two's complement, without overflow.
  static std::int64_t signed_value(std::int64_t value, bool minus) {
    return minus ? static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(value)) : value;
  }

  // Past "@lo((NAME + .L_x_0@srel))".
  void skip_balanced() {
    int depth = 0;
    for (; at_ < end_; ++at_) {
      if (*at_ == '(') ++depth;
      if (*at_ == ')' && --depth <= 0) {
        ++at_;
        return;
      }
      if (depth == 0 && (*at_ == ',' || *at_ == ' ')) return;
    }
  }

  // c[0x0][0x28], c[0x2][R4+0x10]; of c[`(NAME)] the bank is unknown. Half-precision code has a
  // space between the brackets: c[0x0] [0x168].H0_H0.
  void scan_constant(bool minus) {
    ++at_;
    const auto bank = next_is_digit() ? take_integer() : std::nullopt;
    if (!bank || !next_is(']')) {
      add(OperandKind::kSpecial);
      skip_past(']');
      return;
    }
    ++at_;
    const std::size_t constant = operands_.size();
    Operand& one = add(OperandKind::kConstant);
    one.index = static_cast<std::uint16_t>(*bank);
    one.negated = minus;
    if (next_is(' ') && end_ - at_ > 1 && at_[1] == '[') ++at_;
    if (next_is('[')) operands_[constant].value = scan_terms();
  }

  // [R2+0x10], desc[UR4][R2.64], tmem[UR4+0x10], [0x2000]: each bracket is an address, and its
  // displacement belongs to its first register.
  void scan_groups() {
    while (next_is('[')) {
      const std::size_t first = operands_.size();
      const std::int64_t displacement = scan_terms();
      if (operands_.size() == first) add(OperandKind::kImmediate, OperandUse::kAddress);
      operands_[first].value = displacement;
    }
  }

  // Adds the registers between brackets, and returns the sum of the numbers.
  std::int64_t scan_terms() {
    std::uint64_t sum = 0;
    bool minus = false;
    ++at_;
    while (at_ < end_ && *at_ != ']') {
      if (*at_ == '-') {
        minus = true;
        ++at_;
      } else if (const auto number = next_is_digit() ? take_integer() : std::nullopt) {
        sum += static_cast<std::uint64_t>(signed_value(*number, minus));
        minus = false;
      } else if (add_register(OperandUse::kAddress, minus)) {
        minus = false;
      } else if (is_word(*at_)) {
        take_word();
        add(OperandKind::kSpecial, OperandUse::kAddress);
        minus = false;
      } else {
        ++at_;
      }
    }
    if (at_ < end_) ++at_;
    return static_cast<std::int64_t>(sum);
  }

  // `(.L_x_1)
  void scan_label() {
    add(OperandKind::kSpecial);
    ++at_;
    if (!next_is('(')) return skip_token();
    const char* from = ++at_;
    skip_past(')');
    use_label(LabelUse::Kind::kOperand, from, at_ > from && at_[-1] == ')' ? at_ - 1 : at_);
    last_is_label_ = true;
  }

  void use_label(LabelUse::Kind kind, const char* from, const char* to) {
    labels_.push_back({kind, instruction_, static_cast<std::uint32_t>(operands_.size() - 1),
                       first_char_ + static_cast<std::uint32_t>(from - begin_),
                       static_cast<std::uint32_t>(to - from)});
  }

  // (*"BRANCH_TARGETS .L_x_1,.L_x_2"*) tells where an indirect branch goes; other remarks tell
  // nothing that we use.
  void scan_remark() {
    constexpr std::string_view kTargets = "(*\"BRANCH_TARGETS";
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    const std::size_t size = std::min(rest.find(')'), rest.size() - 1) + 1;
    const char* remark_end = at_ + size;
    if (rest.starts_with(kTargets)) {
      const auto in_name = [](char c) { return c != ',' && c != ' ' && c != '"'; };
      for (at_ += std::min(kTargets.size(), size); at_ < remark_end && *at_ != '"';) {
        const char* from = at_;
        while (at_ < remark_end && in_name(*at_)) ++at_;
        if (at_ > from) use_label(LabelUse::Kind::kTable, from, at_);
        if (at_ < remark_end && *at_ != '"') ++at_;
      }
    }
    at_ = remark_end;
  }

  // {4,3,2,1}, and operands of future architectures.
  void scan_unknown() {
    add(OperandKind::kSpecial);
    if (*at_ == '{') {
      skip_past('}');
    } else {
      ++at_;
      skip_token();
    }
  }

  void skip_token() {
    while (at_ < end_ && *at_ != ',' && *at_ != ' ') ++at_;
  }

  void skip_past(char c) {
    const void* found = std::memchr(at_, c, static_cast<std::size_t>(end_ - at_));
    at_ = found != nullptr ? static_cast<const char*>(found) + 1 : end_;
  }

  const char* at_;
  const char* end_;
  const char* begin_;  // of the opcode
  std::vector<Operand>& operands_;
  std::uint32_t first_char_;
  std::uint32_t instruction_;
  std::vector<LabelUse>& labels_;
  bool first_ = true;
  bool after_space_ = false;
  bool last_is_offset_ = false;
  bool last_is_label_ = false;
};

// Takes "@!P0 " off the front; false if something else follows the '@'.
bool take_guard(std::string_view& text, Guard& guard) {
  if (text.empty() || text[0] != '@') return true;
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return false;
  const char* at = text.data() + 1;
  const char* const end = text.data() + space;
  guard.negated = *at == '!';
  if (guard.negated) ++at;
  const Register predicate = take_register(at, end);
  guard.uniform = predicate.kind == OperandKind::kUniformPredicate;
  if ((!guard.uniform && predicate.kind != OperandKind::kPredicate) || at != end) return false;
  guard.index = static_cast<std::uint8_t>(predicate.index);
  text = without_blanks(text.substr(space));
  return true;
}

// Mixes the length with the first and the last eight characters.
std::size_t slot_of(std::string_view name) {
  std::uint64_t front = 0;
  std::uint64_t back = 0;
  if (name.size() >= sizeof front) {
    std::memcpy(&front, name.data(), sizeof front);
    std::memcpy(&back, name.data() + name.size() - sizeof back, sizeof back);
  } else {
    for (const char c : name) front = front << 8U | static_cast<unsigned char>(c);
  }
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
  return ((front * kOdd ^ back) * kOdd + name.size()) >> 32U;
}

}  // namespace

std::string_view without_blanks(std::string_view text) {
  // Most of a listing is spaces, so they go eight at a time.
  constexpr std::string_view kSpaces = "        ";
  const char* at = text.data();
  const char* const end = at + text.size();
  while (static_cast<std::size_t>(end - at) >= kSpaces.size() &&
         std::memcmp(at, kSpaces.data(), kSpaces.size()) == 0) {
    at += kSpaces.size();
  }
  while (at < end && is_blank(*at)) ++at;
  return {at, static_cast<std::size_t>(end - at)};
}

std::optional<std::uint64_t> take_address(std::string_view& text) {
  constexpr std::ptrdiff_t kFewestDigits = 4;
  if (!text.starts_with("/*")) return {};
  const char* const end = text.data() + text.size();
  const char* const from = text.data() + 2;
  const char* at = from;
  const std::uint64_t address = take_hex(at, end);
  if (at - from < kFewestDigits || at - from > 16) return {};
  if (end - at < 2 || at[0] != '*' || at[1] != '/') return {};
  text.remove_prefix(static_cast<std::size_t>(at + 2 - text.data()));
  return address;
}

std::optional<std::uint64_t> parse_encoding(std::string_view text) {
  constexpr std::string_view kStart = "/* 0x";
  if (!text.starts_with(kStart)) return {};
  const char* at = text.data() + kStart.size();
  const char* const from = at;
  const std::uint64_t word = take_hex(at, text.data() + text.size());
  const std::string_view rest = text.substr(static_cast<std::size_t>(at - text.data()));
  if (at - from != 16 || !rest.starts_with(" */")) return {};
  return word;
}

const SassText::Opcode& SassText::opcode(std::string_view name) {
  Opcode& cached = cache_[slot_of(name) % kCacheSize];
  if (opcodes_[cached.id] == name) return cached;
  cached = {opcodes_.intern(name), false, LabelUse::Kind::kOperand};
  const std::string_view mnemonic = name.substr(0, name.find('.'));
  if (mnemonic == "BRA" || mnemonic == "BSSY" || name.starts_with("WARPSYNC.COLLECTIVE")) {
    cached.offset_is_target = true;
    cached.label = LabelUse::Kind::kBranch;
  } else if (mnemonic == "CALL" || mnemonic == "JMP") {
    // The offsets of CALL.ABS and JMP are addresses of the whole program.
    cached.offset_is_target = name.starts_with("CALL.REL");
    cached.label = LabelUse::Kind::kCall;
  }
  return cached;
}

SassText::Parsed SassText::append(std::string_view text, CodeFunction& function,
                                  std::vector<LabelUse>& labels) {
  Instruction one;
  text = without_blanks(text);
  if (!take_guard(text, one.guard)) return Parsed::kNotAnInstruction;
  if (text.empty() || !is_upper(text[0])) return Parsed::kNotAnInstruction;
  std::size_t size = 0;
  while (size < text.size() && !is_blank(text[size])) ++size;
  const Opcode& named = opcode(text.substr(0, size));

  one.opcode = named.id;
  one.first_operand = static_cast<std::uint32_t>(function.operands.size());
  one.first_char = static_cast<std::uint32_t>(function.text.size());
  OperandScanner scanner(text, function, labels);
  scanner.scan(text.data() + size);

  const std::size_t count = function.operands.size() - one.first_operand;
  if (scanner.last_is_label()) labels.back().kind = named.label;
  if (named.offset_is_target && scanner.last_is_offset()) {
    Operand& target = function.operands.back();
    target.kind = OperandKind::kTarget;
    if (target.value >= 0 && target.value < Instruction::kNone) {
      one.target = static_cast<std::uint32_t>(target.value);
    }
  }
  const char* text_end = scanner.at();
  while (is_blank(text_end[-1])) --text_end;  // the opcode is not
  function.text.append(text.data(), text_end);
  one.text_size = static_cast<std::uint16_t>(
      std::min<std::size_t>(function.text.size() - one.first_char, UINT16_MAX));
  one.operand_count = static_cast<std::uint8_t>(std::min(count, kMaxOperands));
  function.instructions.push_back(one);
  return count > kMaxOperands ? Parsed::kTooManyOperands : Parsed::kWell;
}

}  // namespace proofline

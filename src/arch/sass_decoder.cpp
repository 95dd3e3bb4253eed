// SPDX-License-Identifier: Apache-2.0
//
// The tables are rows of text, parsed once for each architecture that is asked for;
// scripts/sass/derive-tables says what a row holds. Decoding is one lookup by the opcode's number,
// then one by each field that bears on its name.
#include "arch/sass_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "base/characters.h"

namespace proofline {
namespace {

constexpr std::string_view kSm75[] = {
#include "arch/sass_sm75.inc"
};
constexpr std::string_view kSm80[] = {
#include "arch/sass_sm80.inc"
};
constexpr std::string_view kSm89[] = {
#include "arch/sass_sm89.inc"
};
constexpr std::string_view kSm90[] = {
#include "arch/sass_sm90.inc"
};
constexpr std::string_view kSm100[] = {
#include "arch/sass_sm100.inc"
};
constexpr std::string_view kSm120[] = {
#include "arch/sass_sm120.inc"
};

// Branches on a uniform predicate, which hand-scheduled code for sm_80 and sm_90 has but compilers
// hardly ever make for them, so that the tables lack them. nvdisasm 13.0 reads encodings made by
// hand so, with and without a guard.
constexpr std::string_view kUniformBranchSm80[] = {
    "= 547",
    ". @*BRA *U",
    "! 33,82-86,90,92-104 32,87-89,91",
    "> 547 !?27 Q24 T34:48s",
};
constexpr std::string_view kUniformBranchSm90[] = {
    "= 547",
    ". @*BRA *U ANY",
    "84: 0= 1=ANY",
    "! 33,82-83,85-86,90,92-104 32,87-89,91",
    "> 547 !?27 Q24 T34:56s",
};

constexpr std::uint32_t kNumbers = 1U << 12;
constexpr std::uint64_t kInstructionBytes = 16;
constexpr std::uint16_t kNoOpcode = 0xffff;

constexpr std::uint64_t low_bits(std::uint32_t width) {
  return width < 64 ? (std::uint64_t{1} << width) - 1 : ~std::uint64_t{0};
}

std::uint64_t bits_of(const Encoding& encoding, std::uint32_t place, std::uint32_t width) {
  if (place >= 64) return (encoding.high >> (place - 64)) & low_bits(width);
  std::uint64_t value = encoding.low >> place;
  if (place + width > 64) value |= encoding.high << (64 - place);
  return value & low_bits(width);
}

std::int64_t sign_extended(std::uint64_t value, std::uint32_t width) {
  const std::uint32_t unused = 64 - width;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

// Bits that decide whether something is written.
struct Condition {
  std::vector<std::uint8_t> bits;     // none: always
  std::vector<std::uint64_t> values;  // that show it, in order
};

// One word of how an instruction's operands are written: a value's place, or text.
struct Word {
  // R U O P Q N I F E H G C c D T A J B S M X Y: a value; ': a text; [ and ]: brackets; - ~ ! |:
  // signs before the next; s: the next number has a sign; _: a space, not a comma, before the next;
  // .: a suffix; r: that the register is kept for reuse; #: something that nobody knows.
  char kind = 0;
  std::uint8_t place = 0;
  std::uint8_t width = 0;
  bool is_signed = false;
  std::uint8_t scale = 1;
  bool starts = false;                // an operand, or a bracket directly behind another
  std::optional<std::uint64_t> rest;  // the value with which it is left out,
  bool rests_signed = false;          // with a sign, too
  std::string_view text;
  Operand literal;  // that the text stands for
  Condition condition;
};

// Parts of a family's names, by position.
using PartSet = std::bitset<128>;

// Bits that decide together which parts are shown.
struct Field {
  std::vector<std::uint8_t> bits;
  std::vector<std::pair<std::uint64_t, PartSet>> values;  // in the order of the first
};

// Opcodes that differ only in the form of their operands share what makes their names.
struct Family {
  std::vector<std::string_view> parts;  // of names, in their order
  PartSet mnemonics;
  PartSet always;
  std::vector<Field> fields;
  Encoding fixed_mask;  // bits that no known instruction has otherwise
  Encoding fixed;
  bool uniform_guard = false;
};

struct Opcode {
  std::uint16_t family = 0;
  std::vector<Word> words = {};
  bool has_words = false;  // else nobody knows how its operands are written
};

std::string_view next_word(std::string_view& row) {
  const std::size_t end = std::min(row.find(' '), row.size());
  const std::string_view word = row.substr(0, end);
  row.remove_prefix(std::min(end + 1, row.size()));
  return word;
}

// The number at the beginning, which is removed.
std::uint64_t take_number(std::string_view& text, int base = 10) {
  std::uint64_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value, base).ptr;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

// "72-74,80" -> 72, 73, 74, 80; "-" -> none.
std::vector<std::uint8_t> bit_list(std::string_view text) {
  std::vector<std::uint8_t> bits;
  while (!text.empty() && text != "-") {
    const std::uint64_t first = take_number(text);
    const std::uint64_t last = take(text, '-') ? take_number(text) : first;
    for (std::uint64_t bit = first; bit <= last; ++bit) {
      bits.push_back(static_cast<std::uint8_t>(bit));
    }
    take(text, ',');
  }
  return bits;
}

void set_bits(Encoding& encoding, std::span<const std::uint8_t> bits) {
  for (const std::uint8_t bit : bits) {
    (bit < 64 ? encoding.low : encoding.high) |= std::uint64_t{1} << (bit % 64);
  }
}

void parse_parts(std::string_view row, Family& family) {
  while (!row.empty()) {
    std::string_view part = next_word(row);
    const std::size_t position = family.parts.size();
    if (take(part, '@')) family.mnemonics.set(position);
    if (take(part, '*')) family.always.set(position);
    family.parts.push_back(part);
  }
}

// Of "F32+F64~".
PartSet part_set(std::string_view names, const Family& family) {
  PartSet set;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find('+'), names.size());
    const auto part = std::find(family.parts.begin(), family.parts.end(), names.substr(0, end));
    set.set(static_cast<std::size_t>(part - family.parts.begin()));
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return set;
}

Field parse_field(std::string_view bits, std::string_view row, const Family& family) {
  Field field;
  field.bits = bit_list(bits.substr(0, bits.size() - 1));
  while (!row.empty()) {
    std::string_view word = next_word(row);
    const std::uint64_t value = take_number(word, 16);
    take(word, '=');
    field.values.emplace_back(value, part_set(word, family));
  }
  return field;
}

Condition parse_condition(std::string_view text) {
  Condition condition;
  if (take(text, '!')) {
    condition.values = {0};
    condition.bits = bit_list(text);
    return condition;
  }
  const std::size_t bits = std::min(text.find('='), text.size());
  condition.bits = bit_list(text.substr(0, bits));
  text.remove_prefix(bits);
  if (text.empty()) condition.values = {1};
  while (!text.empty()) {
    text.remove_prefix(1);
    condition.values.push_back(take_number(text, 16));
  }
  return condition;
}

// What a text of a table stands for: RZ, PT, B0, 0x0, PR.
Operand literal_of(std::string_view text) {
  Operand operand;
  const auto is = [&](OperandKind kind, std::uint16_t index) {
    operand.kind = kind;
    operand.index = index;
  };
  if (text == "RZ") is(OperandKind::kRegister, Operand::kZero);
  if (text == "URZ") is(OperandKind::kUniformRegister, Operand::kZero);
  if (text == "PT") is(OperandKind::kPredicate, Operand::kTrue);
  if (text == "UPT") is(OperandKind::kUniformPredicate, Operand::kTrue);
  if (text.starts_with("0x")) {
    operand.kind = OperandKind::kImmediate;
    text.remove_prefix(2);
    operand.value = static_cast<std::int64_t>(take_number(text, 16));
    return operand;
  }
  for (const auto& [file, kind] : {std::pair{std::string_view("UR"), OperandKind::kUniformRegister},
                                   {"UP", OperandKind::kUniformPredicate},
                                   {"R", OperandKind::kRegister},
                                   {"P", OperandKind::kPredicate},
                                   {"B", OperandKind::kBarrier}}) {
    std::string_view digits = text;
    if (!digits.starts_with(file)) continue;
    digits.remove_prefix(file.size());
    if (digits.empty() || !is_digit(digits.front())) continue;
    is(kind, static_cast<std::uint16_t>(take_number(digits)));
  }
  return operand;
}

bool is_sign(char kind) { return std::string_view("-~!|s_").find(kind) != std::string_view::npos; }

bool is_suffix(char kind) { return kind == '.' || kind == 'r' || kind == ']'; }

Word parse_word(std::string_view word) {
  Word parsed;
  const std::size_t condition = word.find('?', 1);
  if (condition != std::string_view::npos) {
    parsed.condition = parse_condition(word.substr(condition + 1));
    word = word.substr(0, condition);
  }
  parsed.kind = word.front();
  const bool bracket = word.back() == '[';
  if (bracket) parsed.kind = '[';
  if (bracket || parsed.kind == '.') parsed.text = word;
  if (bracket || is_sign(parsed.kind)) return parsed;
  word.remove_prefix(1);
  if (parsed.kind == '\'') {
    parsed.text = word;
    parsed.literal = literal_of(word);
    return parsed;
  }
  const auto bit = [&word] { return static_cast<std::uint8_t>(take_number(word)); };
  parsed.place = bit();
  if (take(word, ':')) parsed.width = bit();
  parsed.is_signed = take(word, 's');
  if (take(word, 'x')) parsed.scale = bit();
  if (take(word, '@')) {
    parsed.rests_signed = !word.empty();
    take(word, '@');
    parsed.rest = take_number(word, 16);
  }
  return parsed;
}

std::uint8_t width_of(char kind, std::uint8_t place, std::uint8_t uniform_bits) {
  switch (kind) {
    case 'P':
    case 'Q':
    case 'N':
    case 'S': return 3;
    case 'B': return 4;
    case 'M': return 6;
    case 'U':
    case 'O': return uniform_bits;
    case 'H':
    case 'G': return 16;
    case 'F':
    case 'E': return 32;
    case 'C':
    case 'c': return static_cast<std::uint8_t>(54 - place);  // up to the bank
    default: return 8;
  }
}

// Registers and predicates that are all ones are RZ and PT.
bool rests_at_ones(char kind) { return kind == 'R' || kind == 'U' || kind == 'P' || kind == 'Q'; }

std::vector<Word> parse_words(std::string_view row, std::uint8_t uniform_bits) {
  std::vector<Word> words;
  bool inside = false;
  bool behind_sign = false;
  while (!row.empty()) {
    Word word = parse_word(next_word(row));
    if (word.width == 0) word.width = width_of(word.kind, word.place, uniform_bits);
    if (word.rest && rests_at_ones(word.kind)) word.rest = low_bits(word.width);
    word.starts = !inside && !behind_sign && !is_suffix(word.kind);
    behind_sign = is_sign(word.kind);
    if (word.kind == '[') inside = true;
    if (word.kind == ']') inside = false;
    words.push_back(std::move(word));
  }
  return words;
}

std::uint64_t value_of(std::span<const std::uint8_t> bits, const Encoding& encoding) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    value |= bits_of(encoding, bits[i], 1) << i;
  }
  return value;
}

// IMAD with operands that make it something simpler is printed as that; "" where it is not.
std::string_view imad_alias(const Encoding& encoding) {
  const auto is_zero = [&encoding](std::uint32_t place) {
    return bits_of(encoding, place, 8) == Operand::kZero;
  };
  const bool with_carry = bits_of(encoding, 74, 1) != 0;
  const bool is_signed = bits_of(encoding, 73, 1) != 0;
  if (with_carry) return "";
  switch (encoding.low & (kNumbers - 1)) {
    case 0x224: return is_zero(24) && is_zero(32) ? ".MOV" : "";
    case 0x424:
    case 0x624: return is_zero(24) && is_zero(64) ? ".MOV" : "";
    case 0x824: {
      const auto factor = static_cast<std::uint32_t>(bits_of(encoding, 32, 32));
      if (factor == 1) return ".IADD";
      // A shift by 16 or 31 is not printed as one.
      const bool shift = std::has_single_bit(factor) && factor != 1U << 16 && factor != 1U << 31;
      return shift && !is_signed && is_zero(64) ? ".SHL" : "";
    }
    default: return "";
  }
}

// Says whether every field was known.
bool name_opcode(const Family& family, const Encoding& encoding, std::string& name) {
  bool known = (encoding.low & family.fixed_mask.low) == family.fixed.low &&
               (encoding.high & family.fixed_mask.high) == family.fixed.high;
  PartSet shown = family.always;
  for (const Field& field : family.fields) {
    const std::uint64_t value = value_of(field.bits, encoding);
    const auto found = std::lower_bound(
        field.values.begin(), field.values.end(), value,
        [](const auto& entry, std::uint64_t wanted) { return entry.first < wanted; });
    if (found != field.values.end() && found->first == value) {
      shown |= found->second;
    } else {
      known = false;
    }
  }
  if ((shown & family.mnemonics).none()) return false;
  for (std::size_t i = 0; i < family.parts.size(); ++i) {
    if (!shown[i]) continue;
    const std::string_view part = family.parts[i];
    if (!name.empty()) name += '.';
    name += part.substr(0, part.find('~'));
    if (part == "IMAD") name += imad_alias(encoding);
  }
  return known;
}

OperandKind kind_of(char letter) {
  switch (letter) {
    case 'R': return OperandKind::kRegister;
    case 'U':
    case 'O': return OperandKind::kUniformRegister;
    case 'P': return OperandKind::kPredicate;
    case 'Q':
    case 'N': return OperandKind::kUniformPredicate;
    case 'C':
    case 'c': return OperandKind::kConstant;
    case 'T':
    case 'A': return OperandKind::kTarget;
    case 'B': return OperandKind::kBarrier;
    case 'S':
    case 'M':
    case 'X': return OperandKind::kSpecial;
    default: return OperandKind::kImmediate;
  }
}

// Targets are words of four bytes; the widest have their lower eight bits elsewhere.
constexpr std::uint32_t kTargetPlace = 34;
constexpr std::uint32_t kSplitTarget = 56;
constexpr std::uint32_t kLowTarget = 8;
constexpr std::uint32_t kLowTargetPlace = 16;

std::uint64_t target_of(const Encoding& encoding, std::uint32_t width, std::uint64_t address) {
  const std::uint64_t words = width == kSplitTarget
                                  ? bits_of(encoding, kTargetPlace, kSplitTarget - kLowTarget)
                                            << kLowTarget |
                                        bits_of(encoding, kLowTargetPlace, kLowTarget)
                                  : bits_of(encoding, kTargetPlace, width);
  return address + kInstructionBytes + 4 * static_cast<std::uint64_t>(sign_extended(words, width));
}

bool holds(const Condition& condition, const Encoding& encoding) {
  if (condition.bits.empty()) return true;
  const std::uint64_t value = value_of(condition.bits, encoding);
  return std::find(condition.values.begin(), condition.values.end(), value) !=
         condition.values.end();
}

constexpr std::uint32_t kBankPlace = 54;
constexpr std::uint32_t kBankBits = 5;

// The table of PLOP3 lies in two places.
std::uint64_t split_number(const Encoding& encoding) {
  return bits_of(encoding, 64, 3) | bits_of(encoding, 72, 5) << 3U;
}

// All but a displacement, which belongs to another operand.
Operand operand_at(const Word& word, const Encoding& encoding, std::uint64_t address,
                   bool is_signed) {
  Operand operand;
  operand.kind = kind_of(word.kind);
  const std::uint64_t value = bits_of(encoding, word.place, word.width);
  switch (word.kind) {
    case 'R':
    case 'U':
      operand.index =
          value == low_bits(word.width) ? Operand::kZero : static_cast<std::uint16_t>(value);
      break;
    case 'C':
    case 'c':
      operand.index = static_cast<std::uint16_t>(bits_of(encoding, kBankPlace, kBankBits));
      operand.value = static_cast<std::int64_t>(value);
      break;
    case 'T':
    case 'A':
      operand.value = static_cast<std::int64_t>(word.place == kTargetPlace
                                                    ? target_of(encoding, word.width, address)
                                                    : address + kInstructionBytes + value);
      break;
    case 'J':
      operand.value = static_cast<std::int64_t>(target_of(encoding, word.width, 0)) -
                      static_cast<std::int64_t>(kInstructionBytes);
      break;
    case 'O': operand.index = static_cast<std::uint16_t>((value + 1) & low_bits(word.width)); break;
    case 'N': operand.index = static_cast<std::uint16_t>(Operand::kTrue - value); break;
    case 'Y': operand.value = static_cast<std::int64_t>(split_number(encoding)); break;
    case 'F':  // its bits
    case 'E':
    case 'H':
    case 'G':
    case 'I':
      operand.value =
          is_signed ? sign_extended(value, word.width) : static_cast<std::int64_t>(value);
      break;
    default: operand.index = static_cast<std::uint16_t>(value);
  }
  return operand;
}

// Bits of a number of 16 bits as one of 32; the shorter kind is its upper half.
float half_of(std::uint64_t bits) {
  const bool negative = (bits & 0x8000U) != 0;
  const auto exponent = static_cast<int>(bits >> 10U & 0x1fU);
  const auto fraction = static_cast<float>(bits & 0x3ffU);
  float value = 0;
  if (exponent == 31) {
    value = fraction == 0 ? std::numeric_limits<float>::infinity()
                          : std::numeric_limits<float>::quiet_NaN();
  } else if (exponent == 0) {
    value = std::ldexp(fraction, -24);
  } else {
    value = std::ldexp(fraction + 1024, exponent - 25);
  }
  return std::copysign(value, negative ? -1.0F : 1.0F);
}

double number_of(char kind, std::uint64_t bits) {
  switch (kind) {
    case 'E': return std::bit_cast<double>(bits << 32U);
    case 'H': return static_cast<double>(half_of(bits));
    case 'G':
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16U)));
    default: return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
}

// As NVIDIA's disassemblers write them.
std::string float_text(double value) {
  constexpr double kFirstWithExponent = 1e9;
  if (std::isnan(value)) return std::signbit(value) ? "-QNAN" : "+QNAN";
  if (std::isinf(value)) return value < 0 ? "-INF" : "+INF";
  if (value == 0 && std::signbit(value)) return "-0.0";
  return std::abs(value) < kFirstWithExponent ? fmt::format("{:.20g}", value)
                                              : fmt::format("{:.20e}", value);
}

std::string hex_text(std::int64_t value) {
  return value < 0 ? fmt::format("-{:#x}", 0 - static_cast<std::uint64_t>(value))
                   : fmt::format("{:#x}", value);
}

std::string register_text(const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::kRegister:
      return operand.index == Operand::kZero ? "RZ" : fmt::format("R{}", operand.index);
    case OperandKind::kUniformRegister:
      return operand.index == Operand::kZero ? "URZ" : fmt::format("UR{}", operand.index);
    case OperandKind::kPredicate:
      return operand.index == Operand::kTrue ? "PT" : fmt::format("P{}", operand.index);
    default: return operand.index == Operand::kTrue ? "UPT" : fmt::format("UP{}", operand.index);
  }
}

// {5,4,0}
std::string set_text(std::uint64_t set) {
  std::string text;
  for (int bit = 63; bit >= 0; --bit) {
    if ((set >> static_cast<unsigned>(bit) & 1U) == 0) continue;
    text += text.empty() ? "" : ",";
    text += std::to_string(bit);
  }
  return "{" + text + "}";
}

// The tables of a family, and the architectures that they hold for.
struct Generation {
  std::span<const std::string_view> rows;
  std::span<const std::string_view> more_rows;
  std::initializer_list<std::uint32_t> members;
};
constexpr Generation kGenerations[] = {
    {kSm75, kUniformBranchSm80, {75}}, {kSm80, kUniformBranchSm80, {80, 86, 87, 88}},
    {kSm89, kUniformBranchSm80, {89}}, {kSm90, kUniformBranchSm90, {90}},
    {kSm100, {}, {100, 103}},          {kSm120, {}, {120, 121}}};

}  // namespace

struct SassDecoder::Tables {
  explicit Tables(std::span<const std::string_view> rows,
                  std::span<const std::string_view> more_rows = {});
  void add(std::span<const std::string_view> rows);

  std::array<std::uint16_t, kNumbers> opcode_of{};  // by number; kNoOpcode
  std::vector<Opcode> opcodes;
  std::vector<Family> families;
  std::array<std::string_view, 256> specials{};  // special registers by number; "" unknown
};

SassDecoder::Tables::Tables(std::span<const std::string_view> rows,
                            std::span<const std::string_view> more_rows) {
  opcode_of.fill(kNoOpcode);
  add(rows);
  add(more_rows);
}

// A number that is there already gets what these rows say.
void SassDecoder::Tables::add(std::span<const std::string_view> rows) {
  std::uint8_t uniform_bits = 0;
  for (std::string_view row : rows) {
    const std::string_view word = next_word(row);
    if (word == "uniform") {
      uniform_bits = static_cast<std::uint8_t>(take_number(row));
    } else if (word == "special") {
      while (!row.empty()) {
        std::string_view name = next_word(row);
        const std::uint64_t number = take_number(name, 16);
        take(name, '=');
        specials[number % specials.size()] = name;
      }
    } else if (word == "=") {
      Family& family = families.emplace_back();
      while (!row.empty()) {
        std::string_view number = next_word(row);
        if (number == "uniform") {
          family.uniform_guard = true;
          continue;
        }
        opcode_of[take_number(number, 16) % kNumbers] = static_cast<std::uint16_t>(opcodes.size());
        opcodes.push_back({static_cast<std::uint16_t>(families.size() - 1), {}});
      }
    } else if (word == ".") {
      parse_parts(row, families.back());
    } else if (word == "!") {
      Family& family = families.back();
      set_bits(family.fixed_mask, bit_list(next_word(row)));
      const std::vector<std::uint8_t> ones = bit_list(next_word(row));
      set_bits(family.fixed_mask, ones);
      set_bits(family.fixed, ones);
    } else if (word == ">") {
      std::string_view number = next_word(row);
      Opcode& opcode = opcodes[opcode_of[take_number(number, 16) % kNumbers]];
      opcode.words = parse_words(row, uniform_bits);
      opcode.has_words = true;
    } else {
      families.back().fields.push_back(parse_field(word, row, families.back()));
    }
  }
}

std::optional<SassDecoder> SassDecoder::for_arch(std::string_view arch) {
  const auto* found = std::find_if(std::begin(kGenerations), std::end(kGenerations),
                                   [sm = sm_number(arch)](const Generation& one) {
                                     return std::find(one.members.begin(), one.members.end(), sm) !=
                                            one.members.end();
                                   });
  if (found == std::end(kGenerations)) return std::nullopt;
  // Tables are made the first time they are needed. Not by std::call_once: an exception that passes
  // through glibc's part of it needs memory, which may be what has run out.
  static std::mutex making;
  static std::array<std::unique_ptr<const Tables>, std::size(kGenerations)> made;
  const auto index = static_cast<std::size_t>(found - std::begin(kGenerations));
  const std::scoped_lock lock(making);
  if (made[index] == nullptr) {
    made[index] = std::make_unique<const Tables>(found->rows, found->more_rows);
  }
  return SassDecoder(*made[index]);
}

std::vector<std::string> SassDecoder::archs() {
  std::vector<std::string> names;
  for (const Generation& generation : kGenerations) {
    for (const std::uint32_t sm : generation.members) names.push_back("sm_" + std::to_string(sm));
  }
  return names;
}

bool SassDecoder::has_modifier(std::string_view mnemonic, std::string_view modifier) {
  for (const Generation& generation : kGenerations) {
    for (std::string_view row : generation.rows) {
      if (next_word(row) != ".") continue;
      Family family;
      parse_parts(row, family);
      bool named = false;
      bool modified = false;
      for (std::size_t i = 0; i < family.parts.size(); ++i) {
        const std::string_view part = family.parts[i].substr(0, family.parts[i].find('~'));
        named = named || (family.mnemonics[i] && part == mnemonic);
        modified = modified || equal_but_case(part, modifier);
      }
      if (named && modified) return true;
    }
  }
  return false;
}

// Goes through the words of one instruction's operands.
class SassDecoder::OperandWalk {
 public:
  OperandWalk(const Tables& tables, const Encoding& encoding, std::uint64_t address)
      : tables_(tables), encoding_(encoding), address_(address) {}

  // `text` may be null.
  void run(std::span<const Word> words, std::vector<Operand>& operands, std::string* text) {
    operands_ = &operands;
    text_ = text;
    for (const Word& word : words) {
      if (word.starts) start_operand();
      if (skipping_ && word.kind != '[') {
        skipping_ = word.kind != ']';
        shown_ = false;
        continue;
      }
      const bool shown = holds(word.condition, encoding_);
      if (!is_suffix(word.kind)) shown_ = shown;  // a suffix goes with what it stands behind
      if (word.kind == '[') skipping_ = !shown;   // and all in brackets with them
      if (shown) take_word(word);
    }
    close_bar();
  }

  bool known() const { return known_; }
  std::optional<std::uint64_t> target() const { return target_; }

 private:
  void start_operand() {
    close_bar();
    comma_ = true;
    signed_ = false;
    signs_.clear();
  }

  void take_word(const Word& word) {
    switch (word.kind) {
      case '-':
      case '~':
      case '!':
      case '|': signs_ += word.kind; return;
      case '_': space_ = true; return;
      case 's': signed_ = true; return;
      case '.': return take_suffix(word.text);
      case 'r': return take_suffix(".reuse");
      case '[': return open(word.text);
      case ']': return close();
      case '\'': return add(word.literal, word.text);
      case 'D': return displace(word);
      case '#': known_ = false; return;
      default: return take_value(word);
    }
  }

  // A comma before an operand, a plus between the terms of an address.
  void begin() {
    if (inside_) {
      if (terms_++ > 0) write("+");
    } else if (comma_) {
      if (any_) write(space_ ? " " : trailing_blank_ ? " , " : ", ");
      comma_ = space_ = trailing_blank_ = false;
    }
    any_ = true;
    write(signs_);
    bar_ = signs_.ends_with('|');
    negated_ = signs_.size() > (bar_ ? 1 : 0);
    signs_.clear();
  }

  void take_value(const Word& word) {
    const bool resting = word.rest && bits_of(encoding_, word.place, word.width) == *word.rest;
    if (resting && (word.rests_signed || signs_.empty())) {
      if (inside_ && left_out_ == nullptr) left_out_ = &word;
      shown_ = false;
      return;
    }
    add(operand_at(word, encoding_, address_, signed_ || word.is_signed), text_of(word));
    if (word.kind == 'T') target_ = static_cast<std::uint64_t>(operands_->back().value);
    if (word.kind == 'F' || word.kind == 'E') {  // and a blank behind a word
      trailing_blank_ = text_ != nullptr && !text_->empty() && text_->back() >= 'A';
    }
  }

  void add(Operand operand, std::string_view text) {
    begin();
    operand.use = inside_ ? OperandUse::kAddress : OperandUse::kRead;
    operand.negated = negated_;
    signed_ = false;
    write(text);
    operands_->push_back(operand);
    if (bar_ && operand.kind == OperandKind::kRegister) close_bar();
  }

  std::string text_of(const Word& word) {
    if (text_ == nullptr) return {};
    const Operand operand = operand_at(word, encoding_, address_, signed_ || word.is_signed);
    const std::uint64_t bits = bits_of(encoding_, word.place, word.width);
    switch (word.kind) {
      case 'R':
      case 'U':
      case 'O':
      case 'P':
      case 'Q':
      case 'N': return register_text(operand);
      case 'C': return fmt::format("c[{:#x}][{:#x}]", operand.index, operand.value);
      case 'c': return fmt::format("c[{:#x}] [{:#x}]", operand.index, operand.value);
      case 'B': return fmt::format("B{}", bits);
      case 'S': return fmt::format("SB{}", bits);
      case 'M': return set_text(bits);
      case 'X':
        known_ = known_ && !tables_.specials[bits % 256].empty();
        return std::string(tables_.specials[bits % 256]);
      case 'F':
      case 'E':
      case 'H':
      case 'G': return float_text(number_of(word.kind, bits));
      default: return hex_text(operand.value);
    }
  }

  void take_suffix(std::string_view text) {
    if (!shown_) return;
    if (text == ".64" && inside_ && operands_->size() > bracket_) operands_->back().count = 2;
    write(text);
  }

  void open(std::string_view text) {
    if (text == "][") {
      end_address();
    } else {
      begin();
    }
    write(text);
    inside_ = true;
    terms_ = 0;
    displacement_ = 0;
    left_out_ = nullptr;
    bracket_ = operands_->size();
    if (text != "c[") return;
    Operand constant;
    constant.kind = OperandKind::kConstant;
    constant.index = static_cast<std::uint16_t>(bits_of(encoding_, kBankPlace, kBankBits));
    constant.negated = negated_;
    operands_->push_back(constant);
    write(fmt::format("{:#x}][", constant.index));
  }

  void displace(const Word& word) {
    const std::uint64_t bits = bits_of(encoding_, word.place, word.width);
    const std::int64_t value = word.is_signed ? sign_extended(bits, word.width) * word.scale
                                              : static_cast<std::int64_t>(bits);
    displacement_ += value;
    if (value == 0 && word.rest) {
      if (left_out_ == nullptr) left_out_ = &word;
      return;
    }
    if (terms_++ > 0) write("+");
    write(hex_text(value));
  }

  void close() {
    shown_ = inside_;
    if (!inside_) return;
    end_address();
    write("]");
    inside_ = false;
  }

  // What is left out at rest is written where nothing else is.
  void end_address() {
    if (terms_ == 0 && left_out_ != nullptr) {
      if (left_out_->kind == 'D') {
        write("0x0");
      } else {
        add(operand_at(*left_out_, encoding_, address_, false), text_of(*left_out_));
      }
    }
    if (operands_->size() == bracket_) {
      Operand number;
      number.kind = OperandKind::kImmediate;
      number.use = OperandUse::kAddress;
      operands_->push_back(number);
    }
    (*operands_)[bracket_].value = displacement_;
  }

  void close_bar() {
    if (std::exchange(bar_, false)) write("|");
  }

  void write(std::string_view text) {
    if (text_ != nullptr) *text_ += text;
  }

  const Tables& tables_;
  const Encoding& encoding_;
  std::uint64_t address_;
  std::vector<Operand>* operands_ = nullptr;
  std::string* text_ = nullptr;
  std::optional<std::uint64_t> target_;
  bool known_ = true;
  bool any_ = false;             // something was written
  bool comma_ = false;           // and an operand begins
  bool space_ = false;           // with a space
  bool trailing_blank_ = false;  // behind one that ends with a blank
  bool shown_ = false;           // what the last word says
  std::string signs_;            // before the next
  bool negated_ = false;
  bool signed_ = false;
  bool bar_ = false;       // of an absolute value is open
  bool inside_ = false;    // brackets
  bool skipping_ = false;  // those that are not there
  int terms_ = 0;          // of the address
  std::int64_t displacement_ = 0;
  std::size_t bracket_ = 0;  // the first operand in it
  const Word* left_out_ = nullptr;
};

void SassDecoder::decode(const Encoding& encoding, std::uint64_t address,
                         DecodedInstruction& out) const {
  out.opcode.clear();
  out.all_modifiers = false;
  out.operands.clear();
  out.target.reset();
  out.guard = {static_cast<std::uint8_t>(bits_of(encoding, 12, 3)), bits_of(encoding, 15, 1) != 0,
               false};

  const std::uint16_t number = tables_->opcode_of[encoding.low & (kNumbers - 1)];
  if (number == kNoOpcode) return;
  const Opcode& opcode = tables_->opcodes[number];
  const Family& family = tables_->families[opcode.family];
  out.guard.uniform = family.uniform_guard;
  out.all_modifiers = name_opcode(family, encoding, out.opcode) && opcode.has_words;
  OperandWalk walk(*tables_, encoding, address);
  walk.run(opcode.words, out.operands, nullptr);
  out.target = walk.target();
}

bool SassDecoder::write_operands(const Encoding& encoding, std::uint64_t address,
                                 std::string& text) const {
  const std::uint16_t number = tables_->opcode_of[encoding.low & (kNumbers - 1)];
  if (number == kNoOpcode) return false;
  const Opcode& opcode = tables_->opcodes[number];
  if (!opcode.has_words) {
    text += "...";
    return true;
  }
  std::vector<Operand> operands;
  OperandWalk walk(*tables_, encoding, address);
  walk.run(opcode.words, operands, &text);
  return walk.known();
}

Encoding SassDecoder::renameable_bits(const Encoding& encoding) const {
  constexpr std::uint32_t kGuardPlace = 12;
  constexpr std::uint32_t kGuardBits = 3;
  constexpr std::uint32_t kControlPlace = 105;
  constexpr std::uint32_t kControlBits = 21;
  Encoding bits;
  const auto add = [&bits](std::uint32_t place, std::uint32_t width) {
    for (std::uint32_t bit = place; bit < std::min(place + width, 128U); ++bit) {
      (bit < 64 ? bits.low : bits.high) |= std::uint64_t{1} << (bit % 64);
    }
  };
  add(kGuardPlace, kGuardBits);
  add(kControlPlace, kControlBits);
  const std::uint16_t number = tables_->opcode_of[encoding.low & (kNumbers - 1)];
  if (number == kNoOpcode) return bits;
  for (const Word& slot : tables_->opcodes[number].words) {
    switch (slot.kind) {
      case 'R':
      case 'U':
      case 'P':
      case 'Q':
      case 'N':
      case 'B': add(slot.place, slot.width); break;
      case 'T':
      case 'A':
        if (slot.place != kTargetPlace) break;
        add(kTargetPlace, slot.width == kSplitTarget ? kSplitTarget - kLowTarget : slot.width);
        if (slot.width == kSplitTarget) add(kLowTargetPlace, kLowTarget);
        break;
      default: break;
    }
  }
  return bits;
}

}  // namespace proofline

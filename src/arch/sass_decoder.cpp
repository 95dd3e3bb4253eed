// SPDX-License-Identifier: Apache-2.0
//
// The tables are rows of text, parsed once for each architecture that is asked for;
// scripts/sass/derive-tables says what a row holds. Decoding is one lookup by the opcode's number,
// then one by each field that bears on its name.
#include "arch/sass_decoder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <charconv>
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
    "> 547 Q24-27 T34:48s",
};
constexpr std::string_view kUniformBranchSm90[] = {
    "= 547",
    ". @*BRA *U ANY",
    "84: 0= 1=ANY",
    "! 33,82-83,85-86,90,92-104 32,87-89,91",
    "> 547 Q24-27 T34:56s",
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

// Where an operand stands.
struct Slot {
  static constexpr std::uint8_t kNone = 255;    // no such bit
  static constexpr std::uint8_t kAlways = 254;  // no bit: always so

  char kind = 0;
  std::uint8_t place = 0;
  std::uint8_t width = 0;
  bool is_signed = false;
  std::uint8_t scale = 1;
  bool address = false;             // in brackets,
  bool opens = false;               // and the first in them
  std::uint8_t negation = kNone;    // the bit that negates it
  std::uint8_t pair = kNone;        // the bit that makes it two registers
  std::uint8_t condition = kNone;   // it is there when this bit
  std::uint64_t condition_value{};  // has this value
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
  std::vector<Slot> slots;
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

Slot parse_slot(std::string_view word) {
  const auto bit = [&word] { return static_cast<std::uint8_t>(take_number(word)); };
  Slot slot;
  slot.kind = word.front();
  word.remove_prefix(1);
  slot.place = bit();
  if (take(word, ':')) slot.width = bit();
  slot.is_signed = take(word, 's');
  if (take(word, 'x')) slot.scale = bit();
  if (take(word, '-')) slot.negation = bit();
  if (take(word, '*')) {
    slot.pair = word.empty() || word.front() == '?' ? Slot::kAlways : bit();
  }
  if (take(word, '?')) {
    slot.condition_value = take(word, '!') ? 0 : 1;
    slot.condition = bit();
  }
  return slot;
}

std::vector<Slot> parse_slots(std::string_view row) {
  std::vector<Slot> slots;
  bool address = false;
  bool opens = false;
  while (!row.empty()) {
    const std::string_view word = next_word(row);
    if (word == "[" || word == "]") {
      address = opens = word == "[";
      continue;
    }
    slots.push_back(parse_slot(word));
    slots.back().address = address;
    slots.back().opens = std::exchange(opens, false);
  }
  return slots;
}

std::uint64_t value_of(const Field& field, const Encoding& encoding) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < field.bits.size(); ++i) {
    value |= bits_of(encoding, field.bits[i], 1) << i;
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
    const std::uint64_t value = value_of(field, encoding);
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
    case 'U': return OperandKind::kUniformRegister;
    case 'P': return OperandKind::kPredicate;
    case 'Q': return OperandKind::kUniformPredicate;
    case 'C': return OperandKind::kConstant;
    case 'T':
    case 'A': return OperandKind::kTarget;
    case 'B': return OperandKind::kBarrier;
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

bool is_set(const Encoding& encoding, std::uint8_t bit) {
  return bit == Slot::kAlways || (bit != Slot::kNone && bits_of(encoding, bit, 1) != 0);
}

// All but a displacement, which belongs to another operand.
Operand operand_at(const Slot& slot, const Encoding& encoding, std::uint64_t address) {
  constexpr std::uint32_t kBankPlace = 54;
  constexpr std::uint32_t kBankBits = 5;
  Operand operand;
  operand.kind = kind_of(slot.kind);
  operand.use = slot.address ? OperandUse::kAddress : OperandUse::kRead;
  operand.count = is_set(encoding, slot.pair) ? 2 : 1;
  operand.negated = is_set(encoding, slot.negation);
  const std::uint64_t value = bits_of(encoding, slot.place, slot.width);
  switch (slot.kind) {
    case 'R':
    case 'U':
      operand.index =
          value == low_bits(slot.width) ? Operand::kZero : static_cast<std::uint16_t>(value);
      break;
    case 'C':
      operand.index = static_cast<std::uint16_t>(bits_of(encoding, kBankPlace, kBankBits));
      operand.value = static_cast<std::int64_t>(value);
      break;
    case 'T':
    case 'A':
      operand.value = static_cast<std::int64_t>(target_of(encoding, slot.width, address));
      break;
    case 'F':  // its bits
    case 'I':
      operand.value =
          slot.is_signed ? sign_extended(value, slot.width) : static_cast<std::int64_t>(value);
      break;
    default: operand.index = static_cast<std::uint16_t>(value);
  }
  return operand;
}

std::uint8_t width_of(char kind, std::uint8_t place, std::uint8_t uniform_bits) {
  switch (kind) {
    case 'P':
    case 'Q': return 3;
    case 'B': return 4;
    case 'U': return uniform_bits;
    case 'C': return static_cast<std::uint8_t>(54 - place);  // up to the bank
    case 'F': return static_cast<std::uint8_t>(64 - place);  // up to the next 64 bits
    default: return 8;
  }
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
      std::vector<Slot> slots = parse_slots(row);
      for (Slot& slot : slots) {
        if (slot.width == 0) slot.width = width_of(slot.kind, slot.place, uniform_bits);
      }
      // Two halves lie behind one another.
      for (std::size_t i = 1; i < slots.size(); ++i) {
        const bool pair = slots[i - 1].kind == 'F' && slots[i].kind == 'F';
        if (pair) slots[i - 1].width = slots[i].width = 16;
      }
      opcodes[opcode_of[take_number(number, 16) % kNumbers]].slots = std::move(slots);
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
  // Tables are made the first time they are needed.
  static std::array<std::once_flag, std::size(kGenerations)> once;
  static std::array<std::unique_ptr<const Tables>, std::size(kGenerations)> made;
  const auto index = static_cast<std::size_t>(found - std::begin(kGenerations));
  std::call_once(once[index], [&] {
    made[index] = std::make_unique<const Tables>(found->rows, found->more_rows);
  });
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

void SassDecoder::decode(const Encoding& encoding, std::uint64_t address,
                         DecodedInstruction& out) const {
  out.opcode.clear();
  out.all_modifiers = false;
  out.operands.clear();
  out.target.reset();
  out.guard = {static_cast<std::uint8_t>(bits_of(encoding, 12, 3)), is_set(encoding, 15), false};

  const std::uint16_t number = tables_->opcode_of[encoding.low & (kNumbers - 1)];
  if (number == kNoOpcode) return;
  const Opcode& opcode = tables_->opcodes[number];
  const Family& family = tables_->families[opcode.family];
  out.guard.uniform = family.uniform_guard;
  out.all_modifiers = name_opcode(family, encoding, out.opcode);

  std::size_t bracket = 0;  // the first operand in it
  for (const Slot& slot : opcode.slots) {
    if (slot.opens) bracket = out.operands.size();
    if (slot.condition != Slot::kNone &&
        bits_of(encoding, slot.condition, 1) != slot.condition_value) {
      continue;
    }
    if (slot.kind == 'D') {
      const std::uint64_t value = bits_of(encoding, slot.place, slot.width);
      if (bracket < out.operands.size()) {
        out.operands[bracket].value += sign_extended(value, slot.width) * slot.scale;
      }
      continue;
    }
    out.operands.push_back(operand_at(slot, encoding, address));
    if (slot.kind == 'T') out.target = static_cast<std::uint64_t>(out.operands.back().value);
  }
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
  for (const Slot& slot : tables_->opcodes[number].slots) {
    switch (slot.kind) {
      case 'R':
      case 'U':
      case 'P':
      case 'Q':
      case 'B': add(slot.place, slot.width); break;
      case 'T':
      case 'A':
        add(kTargetPlace, slot.width == kSplitTarget ? kSplitTarget - kLowTarget : slot.width);
        if (slot.width == kSplitTarget) add(kLowTargetPlace, kLowTarget);
        break;
      default: break;
    }
  }
  return bits;
}

}  // namespace proofline

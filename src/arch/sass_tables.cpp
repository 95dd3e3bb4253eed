// SPDX-License-Identifier: Apache-2.0
//
// The tables are rows of text, parsed once for each architecture that is asked for.
#include "arch/sass_tables.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <memory>
#include <mutex>

#include "base/characters.h"

namespace proofline {
namespace {

constexpr std::string_view kSm75[] = {
#include "arch/sass_sm75.inc"
};
constexpr std::string_view kSm80[] = {
#include "arch/sass_sm80.inc"
};
constexpr std::string_view kSm86[] = {
#include "arch/sass_sm86.inc"
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
constexpr std::string_view kSm103[] = {
#include "arch/sass_sm103.inc"
};
constexpr std::string_view kSm120[] = {
#include "arch/sass_sm120.inc"
};

// Branches on a uniform predicate, which hand-scheduled code for sm_80 has but compilers hardly
// ever make for it, so that the tables lack them. nvdisasm 13.0 reads encodings made by hand so,
// with and without a guard.
constexpr std::string_view kUniformBranchSm80[] = {
    "= 547",
    ". @*BRA *U",
    "! 33,82-86,90,92-104 32,87-89,91",
    "> 547 !?27 Q24 T34:48s",
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

void parse_parts(std::string_view row, SassFamily& family) {
  while (!row.empty()) {
    std::string_view part = next_word(row);
    const std::size_t position = family.parts.size();
    if (take(part, '@')) family.mnemonics.set(position);
    if (take(part, '*')) family.always.set(position);
    family.parts.push_back(part);
  }
}

// Of "F32+F64~".
SassPartSet part_set(std::string_view names, const SassFamily& family) {
  SassPartSet set;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find('+'), names.size());
    const auto part = std::find(family.parts.begin(), family.parts.end(), names.substr(0, end));
    set.set(static_cast<std::size_t>(part - family.parts.begin()));
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return set;
}

SassField parse_field(std::string_view bits, std::string_view row, const SassFamily& family) {
  SassField field;
  field.bits = bit_list(bits.substr(0, bits.size() - 1));
  while (!row.empty()) {
    std::string_view word = next_word(row);
    const std::uint64_t value = take_number(word, 16);
    take(word, '=');
    field.values.emplace_back(value, part_set(word, family));
  }
  return field;
}

SassCondition parse_condition(std::string_view text) {
  SassCondition condition;
  if (take(text, '!')) {
    condition.values = {0};
    condition.bits = bit_list(text);
    return condition;
  }
  const std::size_t bits = std::min(text.find_first_of("=~"), text.size());
  condition.bits = bit_list(text.substr(0, bits));
  text.remove_prefix(bits);
  condition.excludes = text.starts_with('~');
  if (text.empty()) condition.values = {1};
  while (!text.empty()) {
    text.remove_prefix(1);
    condition.values.push_back(take_number(text, 16));
  }
  return condition;
}

// What a text of a table means: RZ, PT, B0, 0x0, PR.
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

SassWord parse_word(std::string_view word) {
  SassWord parsed;
  const std::size_t condition = word.find('?', 1);
  if (condition != std::string_view::npos) {
    parsed.condition = parse_condition(word.substr(condition + 1));
    word = word.substr(0, condition);
  }
  const std::size_t under = word.find('%', 1);
  if (under != std::string_view::npos) {
    parsed.rest_condition = parse_condition(word.substr(under + 1));
    word = word.substr(0, under);
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
  if (take(word, '+')) {
    parsed.above_place = bit();
    take(word, ':');
    parsed.above_width = bit();
  }
  parsed.bare = word.starts_with('S');
  parsed.is_signed = take(word, 's') || take(word, 'S');
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
    case 'K':
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

std::vector<SassWord> parse_words(std::string_view row, std::uint8_t uniform_bits) {
  std::vector<SassWord> words;
  bool inside = false;
  bool behind_sign = false;
  while (!row.empty()) {
    SassWord word = parse_word(next_word(row));
    if (word.width == 0) word.width = width_of(word.kind, word.place, uniform_bits);
    if (word.rest && rests_at_ones(word.kind)) word.rest = low_bits(word.width);
    word.starts = !inside && !behind_sign && !is_suffix(word);
    behind_sign = is_sign(word.kind);
    if (word.kind == '[') inside = true;
    if (word.kind == ']') inside = false;
    words.push_back(std::move(word));
  }
  return words;
}

// The tables of a family, and the architectures that they hold for.
struct Generation {
  std::span<const std::string_view> rows;
  std::span<const std::string_view> more_rows;
  std::initializer_list<std::uint32_t> members;
};
constexpr Generation kGenerations[] = {{kSm75, kUniformBranchSm80, {75}},
                                       {kSm80, kUniformBranchSm80, {80}},
                                       {kSm86, kUniformBranchSm80, {86, 87, 88}},
                                       {kSm89, kUniformBranchSm80, {89}},
                                       {kSm90, {}, {90}},
                                       {kSm100, {}, {100}},
                                       {kSm103, {}, {103}},
                                       {kSm120, {}, {120, 121}}};

}  // namespace

bool holds(const SassCondition& condition, const Encoding& encoding) {
  if (condition.bits.empty()) return true;
  const std::uint64_t value = value_of(condition.bits, encoding);
  const bool listed =
      std::find(condition.values.begin(), condition.values.end(), value) != condition.values.end();
  return listed != condition.excludes;
}

bool is_suffix(const SassWord& word) {
  return word.kind == '.' || word.kind == 'r' || word.kind == ']';
}

std::uint64_t value_of(std::span<const std::uint8_t> bits, const Encoding& encoding) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    value |= bits_of(encoding, bits[i], 1) << i;
  }
  return value;
}

SassTables::SassTables(std::span<const std::string_view> rows,
                       std::span<const std::string_view> more_rows) {
  opcode_of.fill(kNoOpcode);
  add(rows);
  add(more_rows);
}

// A number that is there already gets what these rows say.
void SassTables::add(std::span<const std::string_view> rows) {
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
      SassFamily& family = families.emplace_back();
      while (!row.empty()) {
        std::string_view number = next_word(row);
        if (number == "uniform") {
          family.uniform_guard = true;
          continue;
        }
        opcode_of[take_number(number, 16) % kSassNumbers] =
            static_cast<std::uint16_t>(opcodes.size());
        opcodes.push_back({static_cast<std::uint16_t>(families.size() - 1), {}});
      }
    } else if (word == ".") {
      parse_parts(row, families.back());
    } else if (word == "!") {
      SassFamily& family = families.back();
      set_bits(family.fixed_mask, bit_list(next_word(row)));
      const std::vector<std::uint8_t> ones = bit_list(next_word(row));
      set_bits(family.fixed_mask, ones);
      set_bits(family.fixed, ones);
    } else if (word == ">") {
      std::string_view number = next_word(row);
      SassOpcode& opcode = opcodes[opcode_of[take_number(number, 16) % kSassNumbers]];
      opcode.words = parse_words(row, uniform_bits);
      opcode.has_words = true;
    } else {
      families.back().fields.push_back(parse_field(word, row, families.back()));
    }
  }
}

const SassOpcode* SassTables::opcode(const Encoding& encoding) const {
  const std::uint16_t index = opcode_of[sass_number(encoding)];
  return index == kNoOpcode ? nullptr : &opcodes[index];
}

const SassTables* SassTables::for_arch(std::string_view arch) {
  const auto* found = std::find_if(std::begin(kGenerations), std::end(kGenerations),
                                   [sm = sm_number(arch)](const Generation& one) {
                                     return std::find(one.members.begin(), one.members.end(), sm) !=
                                            one.members.end();
                                   });
  if (found == std::end(kGenerations)) return nullptr;
  // Tables are made the first time they are needed. Not by std::call_once: an exception that passes
  // through glibc's part of it needs memory, which may be what has run out.
  static std::mutex making;
  static std::array<std::unique_ptr<const SassTables>, std::size(kGenerations)> made;
  const auto index = static_cast<std::size_t>(found - std::begin(kGenerations));
  const std::scoped_lock lock(making);
  if (made[index] == nullptr) {
    made[index] = std::make_unique<const SassTables>(found->rows, found->more_rows);
  }
  return made[index].get();
}

std::vector<std::string> SassTables::archs() {
  std::vector<std::string> names;
  for (const Generation& generation : kGenerations) {
    for (const std::uint32_t sm : generation.members) names.push_back("sm_" + std::to_string(sm));
  }
  return names;
}

bool SassTables::has_modifier(std::string_view mnemonic, std::string_view modifier) {
  for (const Generation& generation : kGenerations) {
    for (std::string_view row : generation.rows) {
      if (next_word(row) != ".") continue;
      SassFamily family;
      parse_parts(row, family);
      bool named = false;
      bool modified = modifier.empty();
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

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// What scripts/sass/derive-tables found out about an architecture's encodings; it says what a row
// of its tables holds.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arch/sass_encoding.h"
#include "model/code/listing.h"

namespace proofline {

// Bits that decide whether something is written.
struct SassCondition {
  std::vector<std::uint8_t> bits;     // none: always
  std::vector<std::uint64_t> values;  // that show it
  bool excludes = false;              // or that do not
};

bool holds(const SassCondition& condition, const Encoding& encoding);

// One word of how an instruction's operands are written: a value's place, or text.
struct SassWord {
  // R U O P Q K N I F E H G C c D T A J B S M X: a value; ': a text; [ and ]: brackets; - ~ ! |:
  // signs before the next; s: the next number has a sign; _: a space, not a comma, before the next;
  // .: a suffix; r: that the register is kept for reuse; #: an operand that no sample explained.
  char kind = 0;
  std::uint8_t place = 0;
  std::uint8_t width = 0;
  std::uint8_t above_place = 0;  // of further bits of a number, above those
  std::uint8_t above_width = 0;
  bool is_signed = false;
  bool bare = false;  // omitted only beside another operand in its brackets
  std::uint8_t scale = 1;
  bool starts = false;                // an operand, or a bracket right after another one
  std::optional<std::uint64_t> rest;  // the value with which it is left out,
  bool rests_signed = false;          // with a sign, too,
  SassCondition rest_condition;       // and where
  std::string_view text;
  Operand literal;  // that the text means
  SassCondition condition;
};

// Signs precede a value; suffixes and closing brackets follow it.
bool is_suffix(const SassWord& word);

// Parts of a family's names, by position.
using SassPartSet = std::bitset<128>;

// Bits that decide together which parts are shown.
struct SassField {
  std::vector<std::uint8_t> bits;
  std::vector<std::pair<std::uint64_t, SassPartSet>> values;  // in the order of the first
};

// Opcodes that differ only in the form of their operands share what makes their names.
struct SassFamily {
  std::vector<std::string_view> parts;  // of names, in their order
  SassPartSet mnemonics;
  SassPartSet always;
  std::vector<SassField> fields;
  Encoding fixed_mask;  // bits that no known instruction has otherwise
  Encoding fixed;
  bool uniform_guard = false;
};

struct SassOpcode {
  std::uint16_t family = 0;
  std::vector<SassWord> words = {};
  bool has_words = false;  // else the text of its operands is unknown
};

std::uint64_t value_of(std::span<const std::uint8_t> bits, const Encoding& encoding);

struct SassTables {
  explicit SassTables(std::span<const std::string_view> rows,
                      std::span<const std::string_view> more_rows);

  // For "sm_90a" or another member of a known family; null for an architecture without tables.
  static const SassTables* for_arch(std::string_view arch);
  static std::vector<std::string> archs();
  // Whether some architecture's instruction of that mnemonic is known to have the modifier.
  static bool has_modifier(std::string_view mnemonic, std::string_view modifier);

  // Null where the number is unknown.
  const SassOpcode* opcode(const Encoding& encoding) const;

  std::array<std::uint16_t, kSassNumbers> opcode_of{};  // by number; kNoOpcode
  std::vector<SassOpcode> opcodes;
  std::vector<SassFamily> families;
  std::array<std::string_view, 256> specials{};  // special registers by number; "" unknown

  static constexpr std::uint16_t kNoOpcode = 0xffff;

 private:
  void add(std::span<const std::string_view> rows);
};

}  // namespace proofline

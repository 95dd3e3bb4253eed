// SPDX-License-Identifier: Apache-2.0
//
// Decoding is one lookup by the opcode's number, then one by each field that bears on its name.
#include "arch/sass_decoder.h"

#include <algorithm>
#include <bit>

#include "arch/sass_operands.h"
#include "arch/sass_tables.h"

namespace proofline {
namespace {

// IMAD with operands that make it something simpler is printed as that; "" where it is not.
std::string_view imad_alias(const Encoding& encoding) {
  const auto is_zero = [&encoding](std::uint32_t place) {
    return bits_of(encoding, place, 8) == Operand::kZero;
  };
  const bool with_carry = bits_of(encoding, 74, 1) != 0;
  const bool uniform = bits_of(encoding, 91, 1) != 0;
  if (with_carry || uniform) return "";
  switch (sass_number(encoding)) {
    case 0x224: return is_zero(24) || is_zero(32) ? ".MOV" : "";
    case 0x424:
    case 0x624: return is_zero(24) || is_zero(64) ? ".MOV" : "";
    case 0xa24: return is_zero(24) ? ".MOV" : "";
    case 0x824: {
      const auto factor = static_cast<std::uint32_t>(bits_of(encoding, 32, 32));
      if (is_zero(24) || factor == 0 || (factor == 1 && is_zero(64))) return ".MOV";
      if (factor == 1) return ".IADD";
      // A shift by 16 or 31 is not printed as one.
      const bool shift = std::has_single_bit(factor) && factor != 1U << 16 && factor != 1U << 31;
      return shift && is_zero(64) ? ".SHL" : "";
    }
    default: return "";
  }
}

// Whether the bits that are constant over all samples of the family have that value.
bool fixed_bits_hold(const SassFamily& family, const Encoding& encoding) {
  return (encoding.low & family.fixed_mask.low) == family.fixed.low &&
         (encoding.high & family.fixed_mask.high) == family.fixed.high;
}

// Says whether every field was known.
bool name_opcode(const SassFamily& family, const Encoding& encoding, std::string& name) {
  bool known = fixed_bits_hold(family, encoding);
  SassPartSet shown = family.always;
  for (const SassField& field : family.fields) {
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

}  // namespace

std::optional<SassDecoder> SassDecoder::for_arch(std::string_view arch) {
  const SassTables* tables = SassTables::for_arch(arch);
  return tables == nullptr ? std::nullopt : std::optional(SassDecoder(*tables));
}

std::vector<std::string> SassDecoder::archs() { return SassTables::archs(); }

bool SassDecoder::has_modifier(std::string_view mnemonic, std::string_view modifier) {
  return SassTables::has_modifier(mnemonic, modifier);
}

void SassDecoder::decode(const Encoding& encoding, std::uint64_t address,
                         DecodedInstruction& out) const {
  out.opcode.clear();
  out.all_modifiers = false;
  out.all_operands = false;
  out.operands.clear();
  out.target.reset();
  out.guard = {static_cast<std::uint8_t>(bits_of(encoding, 12, 3)), bits_of(encoding, 15, 1) != 0,
               false};

  const SassOpcode* opcode = tables_->opcode(encoding);
  if (opcode == nullptr) return;
  const SassFamily& family = tables_->families[opcode->family];
  out.guard.uniform = family.uniform_guard;
  out.all_modifiers = name_opcode(family, encoding, out.opcode);
  const SassOperandsRead read =
      read_operands(*tables_, opcode->words, encoding, address, out.operands, nullptr);
  out.all_operands = opcode->has_words && read.known && fixed_bits_hold(family, encoding);
  out.target = read.target;
}

bool SassDecoder::write_operands(const Encoding& encoding, std::uint64_t address,
                                 std::string& text) const {
  const SassOpcode* opcode = tables_->opcode(encoding);
  if (opcode == nullptr) return false;
  if (!opcode->has_words) {
    text += "...";
    return true;
  }
  std::vector<Operand> operands;
  const bool known =
      read_operands(*tables_, opcode->words, encoding, address, operands, &text).known;
  return known && fixed_bits_hold(tables_->families[opcode->family], encoding);
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
  const SassOpcode* opcode = tables_->opcode(encoding);
  if (opcode == nullptr) return bits;
  for (const SassWord& slot : opcode->words) {
    switch (slot.kind) {
      case 'R':
      case 'U':
      case 'P':
      case 'Q':
      case 'K':
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

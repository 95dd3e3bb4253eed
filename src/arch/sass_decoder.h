// SPDX-License-Identifier: Apache-2.0
//
// Decodes 128-bit SASS encodings without NVIDIA's disassembler. What the tables do not cover is
// reported as unknown, never guessed: an opcode number or a field value that no sample had leaves
// the mnemonic, or that modifier, out. scripts/sass/derive-tables makes the tables from encodings
// and the text that NVIDIA's tools print for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/code/listing.h"

namespace proofline {

struct SassTables;

struct DecodedInstruction {
  std::string opcode;          // "LDG.E.128.CONSTANT"; "" unknown
  bool all_modifiers = false;  // every field that bears on the opcode's name was known
  bool all_operands = false;   // so was all that the text shows of the operands
  Guard guard;
  // In the order of the text, those that it shows and whose place in the encoding is known.
  std::vector<Operand> operands;
  std::optional<std::uint64_t> target;  // of a relative branch, from the instruction's address
};

// For one architecture; immutable, cheap to copy.
class SassDecoder {
 public:
  // For "sm_90a" or another member of a known family; nothing for an architecture without tables.
  static std::optional<SassDecoder> for_arch(std::string_view arch);
  // Those with tables: "sm_80", "sm_86", ...
  static std::vector<std::string> archs();

  // Whether some architecture's instruction of that mnemonic is known to have the modifier; ""
  // asks for the mnemonic alone.
  static bool has_modifier(std::string_view mnemonic, std::string_view modifier);

  // Reuses the memory of `out`.
  void decode(const Encoding& encoding, std::uint64_t address, DecodedInstruction& out) const;
  // Adds the operands' text, as NVIDIA's disassemblers write it, "..." where no sample of that
  // opcode told how; false where something of these operands is not known.
  bool write_operands(const Encoding& encoding, std::uint64_t address, std::string& text) const;
  // The bits that name registers and predicates, say where a branch goes, or tell the scheduler
  // something: two encodings that differ elsewhere are not the same instruction.
  Encoding renameable_bits(const Encoding& encoding) const;

 private:
  explicit SassDecoder(const SassTables& tables) : tables_(&tables) {}
  const SassTables* tables_;
};

}  // namespace proofline

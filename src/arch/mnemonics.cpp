// SPDX-License-Identifier: Apache-2.0
#include "arch/mnemonics.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <utility>

namespace proofline {
namespace {

std::unordered_map<std::string_view, InstructionClass> all_mnemonics() {
  std::unordered_map<std::string_view, InstructionClass> all;
  for (const Mnemonics& generation : mnemonics()) {
    for (const auto& [name, kind] : generation.added) all.emplace(name, kind);
  }
  return all;
}

// The next dot-separated part of an opcode, which is shortened by it.
std::string_view next_part(std::string_view& opcode) {
  const std::string_view part = opcode.substr(0, opcode.find('.'));
  opcode.remove_prefix(std::min(opcode.size(), part.size() + 1));
  return part;
}

// Matrices of 8 rows of 16 bytes, a row to every fourth lane: 4 bytes a thread for each.
std::uint32_t matrix_bytes(std::string_view opcode) {
  std::uint32_t matrices = 1;
  while (!opcode.empty()) {
    const std::string_view part = next_part(opcode);
    if (part == "2") matrices = 2;
    if (part == "4") matrices = 4;
  }
  return 4 * matrices;
}

}  // namespace

std::string_view mnemonic_of(std::string_view opcode) { return opcode.substr(0, opcode.find('.')); }

bool has_part(std::string_view opcode, std::string_view part) {
  while (!opcode.empty()) {
    if (next_part(opcode) == part) return true;
  }
  return false;
}

std::string_view to_string(InstructionClass kind) {
  static constexpr std::array<std::string_view, kInstructionClasses> kNames = {
      "tensor",      "fp64",        "fp32",          "fp16",          "integer",      "conversion",
      "special",     "global-load", "global-store",  "shared-load",   "shared-store", "local-load",
      "local-store", "constant",    "generic-load",  "generic-store", "texture",      "atomic",
      "async-copy",  "bulk-copy",   "tensor-memory", "mbarrier",      "barrier",      "fence",
      "shuffle",     "branch",      "move",          "uniform",       "other",        "unknown"};
  const auto position = static_cast<std::size_t>(kind);
  return position < kNames.size() ? kNames[position] : "";
}

InstructionClass instruction_class(std::string_view opcode) {
  static const auto kAll = all_mnemonics();
  const std::string_view whole = opcode;
  const auto found = kAll.find(next_part(opcode));
  if (found == kAll.end()) return InstructionClass::kUnknown;
  // A half-precision add with single-precision output is how a half is widened.
  if (whole.starts_with("HADD2.F32")) return InstructionClass::kConversion;
  return found->second;
}

std::uint32_t access_width(std::string_view opcode) {
  switch (instruction_class(opcode)) {
    case InstructionClass::kGlobalLoad:
    case InstructionClass::kGlobalStore:
    case InstructionClass::kSharedLoad:
    case InstructionClass::kSharedStore:
    case InstructionClass::kLocalLoad:
    case InstructionClass::kLocalStore:
    case InstructionClass::kConstantLoad:
    case InstructionClass::kGenericLoad:
    case InstructionClass::kGenericStore:
    case InstructionClass::kAtomic:
    case InstructionClass::kAsyncCopy: break;
    default: return 0;
  }
  if (opcode.starts_with("LDSM") || opcode.starts_with("STSM")) return matrix_bytes(opcode);
  static constexpr std::pair<std::string_view, std::uint32_t> kWidths[] = {
      {"U8", 1}, {"S8", 1}, {"U16", 2}, {"S16", 2}, {"64", 8}, {"128", 16}, {"256", 32}};
  while (!opcode.empty()) {
    const std::string_view part = next_part(opcode);
    for (const auto& [name, bytes] : kWidths) {
      if (part == name) return bytes;
    }
  }
  return 4;
}

}  // namespace proofline

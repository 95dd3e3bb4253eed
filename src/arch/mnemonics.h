// SPDX-License-Identifier: Apache-2.0
//
// What instructions do, by mnemonic, in words that survive generations. Each generation is one file
// mnemonics_<generation>.cpp in this folder that defines `Mnemonics mnemonics_<generation>()` with
// the mnemonics that it brought; the list is made from the folder.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace proofline {

enum class InstructionClass : std::uint8_t {
  kTensor,
  kFp64,
  kFp32,
  kFp16,
  kInteger,
  kConversion,
  kSpecialFunction,
  kGlobalLoad,
  kGlobalStore,
  kSharedLoad,
  kSharedStore,
  kLocalLoad,
  kLocalStore,
  kConstantLoad,
  kGenericLoad,
  kGenericStore,
  kTexture,
  kAtomic,
  kAsyncCopy,     // from global to shared memory by threads: LDGSTS
  kBulkCopy,      // by the TMA unit
  kTensorMemory,  // TMEM loads, stores, allocation
  kMbarrier,
  kBarrier,
  kFence,
  kShuffle,  // data across lanes: SHFL, VOTE, MATCH, REDUX
  kBranch,
  kMove,
  kUniform,  // the uniform datapath's arithmetic
  kOther,    // NOP and the like
  kUnknown,  // a mnemonic that no generation's file has
};

inline constexpr std::size_t kInstructionClasses =
    static_cast<std::size_t>(InstructionClass::kUnknown) + 1;
using ClassCounts = std::array<std::uint32_t, kInstructionClasses>;

// "tensor", "shared-store", ...
std::string_view to_string(InstructionClass kind);

struct Mnemonic {
  std::string_view name;
  InstructionClass kind;
};

struct Mnemonics {
  std::string_view generation;
  std::span<const Mnemonic> added;
};

std::span<const Mnemonics> mnemonics();

// By the part of an opcode before its first dot; kUnknown where no generation has it.
InstructionClass instruction_class(std::string_view opcode);

// "LDG" of "LDG.E.128".
std::string_view mnemonic_of(std::string_view opcode);
// Whether one of the dot-separated parts of an opcode is this one: has_part("F2F.F64.F32", "F64").
bool has_part(std::string_view opcode, std::string_view part);

// Bytes that one thread moves in a memory instruction, by its modifiers: LDG.E.128 -> 16,
// LDG.E.U8 -> 1, LDS -> 4; LDSM and STSM by their number of matrices. 0 where the opcode moves no
// data or does not tell (bulk copies).
std::uint32_t access_width(std::string_view opcode);

}  // namespace proofline

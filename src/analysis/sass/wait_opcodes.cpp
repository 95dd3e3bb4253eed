// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/wait_opcodes.h"

#include "arch/mnemonics.h"

namespace proofline {

bool is_far(std::string_view opcode) {
  switch (instruction_class(opcode)) {
    case InstructionClass::kGlobalLoad:
    case InstructionClass::kGlobalStore:
    case InstructionClass::kLocalLoad:
    case InstructionClass::kLocalStore:
    case InstructionClass::kGenericLoad:
    case InstructionClass::kGenericStore:
    case InstructionClass::kTexture:
    case InstructionClass::kAsyncCopy:
    case InstructionClass::kBulkCopy:
    case InstructionClass::kTensorMemory:
    case InstructionClass::kMbarrier: return true;
    case InstructionClass::kAtomic: return !opcode.starts_with("ATOMS");
    default: return false;
  }
}

bool is_slow(std::string_view opcode) {
  switch (instruction_class(opcode)) {
    case InstructionClass::kAtomic:
    case InstructionClass::kSharedLoad:
    case InstructionClass::kConstantLoad:
    case InstructionClass::kSpecialFunction:
    case InstructionClass::kShuffle: return true;
    default: return is_far(opcode) || opcode.starts_with("S2R") || opcode.starts_with("S2UR");
  }
}

bool is_warp_barrier(std::string_view opcode) {
  return opcode.starts_with("BAR.SYNC") || opcode.starts_with("BAR.RED") || opcode == "BAR" ||
         opcode == "UCGABAR_WAIT";
}

bool is_memory_fence(std::string_view opcode) {
  return opcode.starts_with("MEMBAR") || opcode.starts_with("FENCE");
}

bool is_gmma(std::string_view opcode) {
  return instruction_class(opcode) == InstructionClass::kTensor &&
         opcode.find("GMMA") != std::string_view::npos;
}
bool is_tensor_wait(std::string_view opcode) { return opcode.starts_with("WARPGROUP.DEPBAR"); }
bool is_tensor_start(std::string_view opcode) { return opcode.starts_with("WARPGROUP.ARRIVE"); }
bool is_scoreboard_wait(std::string_view opcode) { return opcode.starts_with("DEPBAR"); }

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// The fuzz target of the functions in cubins. Whatever the bytes are, reading them must neither
// crash nor hang, and every index that comes out must be one that can be followed.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "promise.h"
#include "readers/code/cubin_code.h"

namespace {

using namespace proofline;

// Before Volta some words between instructions are none: control bits.
constexpr std::uint32_t kFirstSmWithoutGroups = 70;

void check(const CodeFunction& function) {
  require(function.instructions.size() == function.encodings.size(),
          "each instruction has its encoding");
  for (std::size_t i = 0; i < function.instructions.size(); ++i) {
    const Instruction& instruction = function.instructions[i];
    if (sm_number(function.arch) >= kFirstSmWithoutGroups) {
      require(instruction.address == 16 * i, "instructions stand one after the other");
    }
    require(i == 0 || function.instructions[i - 1].address < instruction.address,
            "instructions are in order");
    require(instruction.line == Instruction::kNone || instruction.line < function.lines.size(),
            "each instruction's line is there");
  }
  for (std::size_t i = 0; i < function.lines.size(); ++i) {
    require(function.lines[i].file < function.files.size(), "each line's file is there");
    require(function.lines[i].inlined_at == Instruction::kNone || function.lines[i].inlined_at < i,
            "callers stand before what they call");
  }
  for (std::size_t i = 1; i < function.inner.size(); ++i) {
    require(function.inner[i - 1].address < function.inner[i].address,
            "inner functions are in order");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Listing listing;
  (void)read_cubin_code({reinterpret_cast<const char*>(data), size}, "", listing,
                        [](CodeFunction&& function) { check(function); });
  return 0;
}

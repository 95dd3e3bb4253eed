// SPDX-License-Identifier: Apache-2.0
//
// Machine code as any reader delivers it: a disassembler's text, or the encodings in a cubin. A
// function's instructions are one array in address order; operands and texts are arrays of the
// function, so that an instruction costs few bytes and no allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/code/line_table.h"
#include "model/note.h"

namespace proofline {

using OpcodeId = std::uint32_t;

// Opcodes with their modifiers ("LDG.E.128"), stored once; ids are positions in order of first
// appearance. Id 0 is an unknown opcode: kUnknownOpcode.
class OpcodeNames {
 public:
  OpcodeNames();
  OpcodeNames(const OpcodeNames&) = delete;  // a copy's map would point into the original
  OpcodeNames& operator=(const OpcodeNames&) = delete;
  OpcodeNames(OpcodeNames&&) = default;
  OpcodeNames& operator=(OpcodeNames&&) = default;

  OpcodeId intern(std::string_view name);
  const std::string& operator[](OpcodeId id) const { return names_[id]; }
  std::size_t size() const { return names_.size(); }

 private:
  std::deque<std::string> names_;  // a deque: the map's keys point into it
  std::unordered_map<std::string_view, OpcodeId> ids_;
};

inline constexpr OpcodeId kUnknownOpcode = 0;
inline constexpr std::string_view kUnknownOpcodeName = "unknown";

enum class OperandKind : std::uint8_t {
  kRegister,          // R4; index 255: RZ
  kUniformRegister,   // UR4; index 255: URZ
  kPredicate,         // P0; index 7: PT
  kUniformPredicate,  // UP0; index 7: UPT
  kImmediate,         // 0x10, 1.5, -3: value where it is an integer
  kConstant,          // c[bank][value]: index is the bank
  kTarget,            // an address of code: value is the offset in the function's section
  kBarrier,           // B0: a convergence barrier; index
  kSpecial,           // SR_TID.X and other named operands
  kRelocated,         // what a linker fills in: value is its position in CodeFunction::relocations
};

constexpr bool is_predicate(OperandKind kind) {
  return kind == OperandKind::kPredicate || kind == OperandKind::kUniformPredicate;
}

// How an operand is used. Readers mark addresses by their brackets;
// analysis/sass/operands.h derives the rest from the opcode.
enum class OperandUse : std::uint8_t { kRead, kWritten, kAddress };

struct Operand {
  static constexpr std::uint16_t kZero = 255;  // RZ, URZ
  static constexpr std::uint16_t kTrue = 7;    // PT, UPT

  OperandKind kind = OperandKind::kSpecial;
  OperandUse use = OperandUse::kRead;
  std::uint8_t count = 1;  // consecutive registers: R2.64 names R2 and R3
  bool negated = false;    // -R4, !P0, ~R4
  std::uint16_t index = 0;
  std::int64_t value = 0;  // of an immediate, constant or target; displacement of an address
};

// What the compiler tells the scheduler; bits 105 to 125 of an encoding.
struct Control {
  static constexpr std::uint8_t kNoBarrier = 7;

  std::uint8_t stall = 0;                   // cycles until the next instruction may issue
  bool yield = false;                       // the raw bit
  std::uint8_t write_barrier = kNoBarrier;  // scoreboard released when the result is written
  std::uint8_t read_barrier = kNoBarrier;   // scoreboard released when the operands were read
  std::uint8_t wait_mask = 0;               // scoreboards that it waits for
  std::uint8_t reuse = 0;                   // operand slots kept in the reuse cache

  bool operator==(const Control&) const = default;
};

struct Encoding {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  bool operator==(const Encoding&) const = default;
};

Control control_of(const Encoding& encoding);

// The predicate before an opcode: @!P0.
struct Guard {
  std::uint8_t index = Operand::kTrue;
  bool negated = false;
  bool uniform = false;

  bool always() const { return index == Operand::kTrue && !negated; }
  bool never() const { return index == Operand::kTrue && negated; }
  bool operator==(const Guard&) const = default;
};

// The guard as an operand.
constexpr Operand operand_of(const Guard& guard) {
  Operand operand;
  operand.kind = guard.uniform ? OperandKind::kUniformPredicate : OperandKind::kPredicate;
  operand.negated = guard.negated;
  operand.index = guard.index;
  return operand;
}

struct Instruction {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint32_t address = 0;  // offset in the function's section
  OpcodeId opcode = kUnknownOpcode;
  std::uint32_t first_operand = 0;  // in CodeFunction::operands
  std::uint32_t first_char = 0;     // of its text in CodeFunction::text, from the opcode on
  std::uint32_t target = kNone;     // of a branch, BSSY or direct call within the section
  std::uint32_t line = kNone;       // in CodeFunction::lines
  std::uint16_t text_size = 0;      // 0: a reader of encodings has no text
  std::uint8_t operand_count = 0;
  Guard guard;
};

// A source line, from a listing's comments or a cubin's table.
struct CodeLine {
  std::uint32_t file = 0;  // in CodeFunction::files
  std::uint32_t line = 0;
  std::uint32_t inlined_at = Instruction::kNone;  // in CodeFunction::lines
};

// What the cubin's own notes say of a function. Absent: the file does not tell.
struct FunctionResources {
  std::optional<std::uint32_t> registers;
  std::optional<std::uint64_t> shared_bytes;  // static
  std::optional<std::uint64_t> local_bytes;   // for each thread
  std::optional<std::uint64_t> stack_bytes;   // frame of the function itself
  std::optional<std::uint32_t> barriers;      // named barriers
  std::optional<std::uint64_t> parameter_bytes;
  std::optional<std::uint32_t> parameters;
  std::optional<std::uint32_t> max_threads;       // __launch_bounds__, first argument
  std::optional<std::uint32_t> min_blocks;        // __launch_bounds__, second argument
  std::optional<std::uint32_t> required_threads;  // reqntid
  std::optional<std::uint32_t> cluster_size;      // __cluster_dims__
  std::optional<bool> line_table;                 // the cubin has lines for it
  std::optional<bool> optimised;                  // not compiled with -G, -O0 or -O1
  std::optional<bool> allocates;                  // calls malloc or new, itself or by way of others
  // False: to be linked (nvcc -dc). What it calls and shares with other files adds to the above.
  bool linked = true;
};

struct CodeFunction {
  std::string name;                       // mangled; "" where a listing does not tell
  std::string arch;                       // "sm_90a"; "" unknown
  std::string container;                  // which cubin of several it is in; "" the only one
  bool entry = true;                      // a kernel; false: a function that kernels call
  bool complete = true;                   // false: the input ended, or was damaged, inside it
  std::vector<Instruction> instructions;  // by address, each once
  std::vector<Operand> operands;
  std::vector<Encoding> encodings;  // one for each instruction, or none at all
  std::string text;
  // Functions in the same section after the kernel, called from it.
  struct Inner {
    std::uint32_t address = 0;
    std::string name;
  };
  std::vector<Inner> inner;  // by address
  // Where an indirect branch (BRX) can go, where the file tells.
  struct BranchTargets {
    std::uint32_t address = 0;           // of the branch
    std::vector<std::uint32_t> targets;  // offsets
  };
  std::vector<BranchTargets> branch_targets;  // by address
  // What a linker or loader writes into an instruction: until then its bytes say nothing there.
  struct Relocation {
    std::uint32_t address = 0;  // of the instruction
    std::string what;           // as nvdisasm writes it: "32@lo(table)", "`(vprintf)"

    bool operator==(const Relocation&) const = default;
  };
  std::vector<Relocation> relocations;  // by address
  std::vector<std::string> files;
  std::vector<CodeLine> lines;
  FunctionResources resources;

  std::string_view text_of(const Instruction& instruction) const {
    return std::string_view(text).substr(instruction.first_char, instruction.text_size);
  }
  std::span<const Operand> operands_of(const Instruction& instruction) const {
    return std::span(operands).subspan(instruction.first_operand, instruction.operand_count);
  }
  std::span<Operand> operands_of(const Instruction& instruction) {
    return std::span(operands).subspan(instruction.first_operand, instruction.operand_count);
  }
  // The position of the instruction at that address; nothing where none begins there.
  std::optional<std::size_t> at(std::uint64_t address) const;
};

// "sm_90a" -> 90, "sm_120" -> 120; 0 for anything else.
std::uint32_t sm_number(std::string_view arch);

struct Listing {
  std::string path;
  std::string format;    // the reader's name
  std::string producer;  // "nvdisasm V13.0.85", "ptxas ..."; "" unknown
  OpcodeNames opcodes;
  std::vector<CodeFunction> functions;
  std::vector<Note> notes;
};

}  // namespace proofline

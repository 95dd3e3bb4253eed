// SPDX-License-Identifier: Apache-2.0
//
// Every function keeps what model/code/listing.h says of one.
#include <cstddef>
#include <string_view>

#include "promise.h"
#include "promises.h"
#include "readers/code/read_code.h"

namespace proofline::fuzz {
namespace {

void check_instruction(const CodeFunction& function, const Instruction& one,
                       const Listing& listing) {
  require(one.opcode < listing.opcodes.size(), "every opcode has a name");
  require(one.first_operand + std::size_t{one.operand_count} <= function.operands.size(),
          "operands are in the function");
  require(one.first_char + std::size_t{one.text_size} <= function.text.size(),
          "texts are in the function");
  require(one.line == Instruction::kNone || one.line < function.lines.size(),
          "lines are in the function");
  for (const Operand& operand : function.operands_of(one)) {
    const bool predicate =
        operand.kind == OperandKind::kPredicate || operand.kind == OperandKind::kUniformPredicate;
    const bool constant = operand.kind == OperandKind::kConstant;
    require(constant || operand.index <= (predicate ? Operand::kTrue : Operand::kZero),
            "registers have possible numbers");
  }
}

void check_function(const CodeFunction& function, const Listing& listing) {
  const Instruction* last = nullptr;
  for (const Instruction& one : function.instructions) {
    require(last == nullptr || last->address < one.address, "addresses ascend");
    check_instruction(function, one, listing);
    last = &one;
  }
  require(function.encodings.empty() || function.encodings.size() == function.instructions.size(),
          "one encoding for each instruction, or none at all");
  for (std::size_t i = 0; i < function.lines.size(); ++i) {
    const CodeLine& line = function.lines[i];
    require(line.file < function.files.size(), "files are in the function");
    require(line.inlined_at == Instruction::kNone || line.inlined_at < i,
            "callers have no circles");
  }
  for (std::size_t i = 1; i < function.inner.size(); ++i) {
    require(function.inner[i - 1].address <= function.inner[i].address, "inner functions ascend");
  }
}

}  // namespace

void check_code(const Format& format, std::string_view bytes) {
  auto input = Input::from_memory(bytes, "fuzz", limits());
  if (!input) return;
  Listing listing;
  bool complete = true;
  const auto check = [&](CodeFunction&& function) {
    check_function(function, listing);
    complete = complete && function.complete;
  };
  const auto result = format.read_code(*input, listing, check);
  require(result || !result.error().message.empty(), "an error says what is wrong");
  require(complete || !result || !listing.notes.empty(), "what is incomplete is noted");
}

}  // namespace proofline::fuzz

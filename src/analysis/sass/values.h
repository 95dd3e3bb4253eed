// SPDX-License-Identifier: Apache-2.0
//
// What a register holds, as far as the code tells: a sum of a constant and of named values, such as
// 0x5400 + 0x1000000*SR_CgaCtaId. Equal sums are equal values wherever they are computed, except
// where a name depends on when it is asked for: what loops and branches merge, what was loaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/sass/code_stats.h"
#include "analysis/sass/definitions.h"
#include "analysis/sass/flow.h"
#include "arch/mnemonics.h"
#include "model/code/listing.h"

namespace proofline {

// Which threads of a block see the same value.
enum class Spread : std::uint8_t {
  kUniform,  // all
  kWarp,     // those of a warp; made from the thread's index
  kLane,     // it depends on the lane alone: the same in every warp
  kThread,   // made from the thread's index
  kOther,    // nothing is known, or it depends on data or on the block
};

struct LinearValue {
  struct Term {
    std::uint32_t symbol = 0;
    std::uint32_t factor = 1;

    bool operator==(const Term&) const = default;
  };
  std::uint32_t constant = 0;  // arithmetic is that of 32 bits
  std::vector<Term> terms;     // by symbol

  bool is_constant() const { return terms.empty(); }
  bool operator==(const LinearValue&) const = default;
};

class Values {
 public:
  // What a symbol's text begins with where it would be too long, and is only a hash of it.
  static constexpr char kShortened = '~';

  struct Symbol {
    std::string text;
    Spread spread = Spread::kOther;
    bool varies = false;          // not the same value each time it is asked for
    bool counts_threads = false;  // one more for the next thread
    std::uint32_t most = ~std::uint32_t{0};
  };

  // All three must outlive it; the operands are completed.
  Values(const CodeFunction& function, const Flow& flow, const OpcodeNames& opcodes);

  const CodeFunction& function() const { return function_; }
  const Flow& flow() const { return flow_; }
  const OpcodeNames& opcodes() const { return opcodes_; }
  Definitions& definitions() { return definitions_; }
  const std::string& opcode(std::uint32_t instruction) const {
    return opcodes_[function_.instructions[instruction].opcode];
  }
  const OpcodeTrait& trait(std::uint32_t instruction) {
    return traits_[function_.instructions[instruction].opcode];
  }

  // Of a register when the instruction begins.
  LinearValue before(RegisterSlot slot, std::uint32_t instruction);
  // Of an operand that the instruction reads: a register, a number, a constant.
  LinearValue read(const Operand& operand, std::uint32_t instruction);
  // The sum of all that is in brackets.
  LinearValue address(std::uint32_t instruction);
  // Of the first register that the instruction writes, when it is done.
  LinearValue result(std::uint32_t instruction);

  const Symbol& symbol(std::uint32_t index) const { return symbols_[index]; }
  Spread spread(const LinearValue& value) const;
  // Without the terms that vary.
  LinearValue stable_part(const LinearValue& value) const;
  bool varies(const LinearValue& value) const;
  // "warp - 4", "0x5408 + 0x1000000*SR_CgaCtaId".
  std::string text(const LinearValue& value) const;

 private:
  LinearValue left_in(RegisterSlot slot, std::uint32_t definition);
  std::optional<LinearValue> same_from_all(RegisterSlot slot, const Reaching& reaching);
  LinearValue evaluate(std::uint32_t instruction, unsigned offset);
  LinearValue compute(std::uint32_t instruction, unsigned offset);
  std::optional<LinearValue> arithmetic(std::uint32_t instruction,
                                        const std::vector<LinearValue>& reads);
  LinearValue structural(std::uint32_t instruction, const std::vector<LinearValue>& reads);
  LinearValue shifted_right(const LinearValue& value, std::uint32_t count);
  LinearValue masked(const LinearValue& value, std::uint32_t mask);
  LinearValue same_in_warp(const LinearValue& value);
  LinearValue unknown(std::uint32_t instruction, unsigned offset);
  LinearValue special_register(std::uint32_t instruction);
  LinearValue constant_memory(std::uint32_t bank, std::int64_t offset);
  LinearValue symbol_value(Symbol symbol);
  bool counts_threads(const LinearValue& value) const;

  const CodeFunction& function_;
  const Flow& flow_;
  const OpcodeNames& opcodes_;
  OpcodeTraits traits_;
  Definitions definitions_;
  std::vector<Symbol> symbols_;
  std::unordered_map<std::string, std::uint32_t> symbol_by_text_;
  std::unordered_map<std::uint64_t, LinearValue> known_;  // by instruction and register
  unsigned depth_ = 0;
};

// Operands that an instruction reads outside brackets, without predicates.
std::vector<Operand> read_operands(const CodeFunction& function, const Instruction& instruction);

// How many operands an addition reads; 0 for what is none. A decoder may know the places of fewer,
// and then the sum is not known.
std::size_t summands_of(std::string_view mnemonic);

}  // namespace proofline

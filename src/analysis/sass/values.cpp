// SPDX-License-Identifier: Apache-2.0
//
// Values are computed on demand, from the one definition that reaches a register; where several do,
// the register's value is a name of its own. A name's text says what it was computed from, so that
// the same computation in two places gives the same name.
#include "analysis/sass/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace proofline {
namespace {

// Deeper chains of definitions, and longer texts, get names of their own.
constexpr unsigned kMostValueDepth = 64;
constexpr std::size_t kMostSymbolText = 96;
constexpr std::size_t kMostTerms = 8;

// A warp is 32 threads, and its first one's index is a multiple of that.
constexpr std::uint32_t kLaneBits = 5;
constexpr std::uint32_t kGroupBits = 7;
constexpr std::uint32_t kLaneMask = (1U << kLaneBits) - 1;
// A block has at most 1024 threads.
constexpr std::uint32_t kMostWarpsMask = 1024 / 32 - 1;

Spread combined(Spread a, Spread b) {
  if (a == b || b == Spread::kUniform) return a;
  if (a == Spread::kUniform) return b;
  return a == Spread::kOther || b == Spread::kOther ? Spread::kOther : Spread::kThread;
}

LinearValue constant_value(std::uint32_t constant) { return {constant, {}}; }

LinearValue sum(const LinearValue& a, const LinearValue& b) {
  LinearValue result = a;
  result.constant += b.constant;
  for (const LinearValue::Term& term : b.terms) {
    const auto at = std::lower_bound(
        result.terms.begin(), result.terms.end(), term,
        [](const LinearValue::Term& x, const LinearValue::Term& y) { return x.symbol < y.symbol; });
    if (at == result.terms.end() || at->symbol != term.symbol) {
      result.terms.insert(at, term);
    } else if ((at->factor += term.factor) == 0) {
      result.terms.erase(at);
    }
  }
  return result;
}

LinearValue product(LinearValue value, std::uint32_t factor) {
  if (factor == 0) return {};
  value.constant *= factor;
  for (LinearValue::Term& term : value.terms) term.factor *= factor;
  std::erase_if(value.terms, [](const LinearValue::Term& term) { return term.factor == 0; });
  return value;
}

std::string number_text(std::uint32_t number) {
  return number < 10 ? fmt::format("{}", number) : fmt::format("{:#x}", number);
}

// What special registers are called, by their number in an encoding.
std::string special_name(const CodeFunction& function, const Instruction& instruction) {
  const std::string_view text = function.text_of(instruction);
  if (const std::size_t at = text.find("SR"); at != std::string_view::npos) {
    return std::string(text.substr(at, text.find_first_of(", ;", at) - at));
  }
  std::uint16_t number = 0;
  for (const Operand& operand : function.operands_of(instruction)) {
    if (operand.kind == OperandKind::kSpecial) number = operand.index;
  }
  static constexpr std::pair<std::uint16_t, std::string_view> kNames[] = {
      {0x00, "SR_LANEID"},  {0x21, "SR_TID.X"},    {0x22, "SR_TID.Y"},
      {0x23, "SR_TID.Z"},   {0x25, "SR_CTAID.X"},  {0x26, "SR_CTAID.Y"},
      {0x27, "SR_CTAID.Z"}, {0x88, "SR_CgaCtaId"}, {0xff, "SRZ"}};
  for (const auto& [known, name] : kNames) {
    if (known == number) return std::string(name);
  }
  return fmt::format("SR_{:#x}", number);
}

bool reads_predicate(const CodeFunction& function, const Instruction& instruction) {
  for (const Operand& operand : function.operands_of(instruction)) {
    const bool predicate = is_predicate(operand.kind);
    if (predicate && operand.use == OperandUse::kRead && operand.index != Operand::kTrue) {
      return true;
    }
  }
  return false;
}

// HFMA2 R0, -RZ, RZ, 0, 5.9604644775390625e-08 is how the compiler puts a number into a register by
// way of another pipe. Its text has halves; the encoding has the number.
std::optional<std::uint32_t> moved_by_halves(const Encoding& encoding) {
  constexpr std::uint64_t kZero = Operand::kZero;
  const bool with_number = (encoding.low >> 9U & 7U) == 2;
  const bool of_zeros = (encoding.low >> 24U & 0xffU) == kZero && (encoding.high & 0xffU) == kZero;
  if (!with_number || !of_zeros) return std::nullopt;
  return static_cast<std::uint32_t>(encoding.low >> 32U);
}

// Outside brackets or within; RZ is none.
bool reads_register(const CodeFunction& function, const Instruction& instruction) {
  const auto operands = function.operands_of(instruction);
  return std::any_of(operands.begin(), operands.end(), [](const Operand& one) {
    return one.use != OperandUse::kWritten && slot_of(one) != kNoSlot;
  });
}

bool reads_special(const CodeFunction& function, const Instruction& instruction) {
  const auto operands = function.operands_of(instruction);
  return std::any_of(operands.begin(), operands.end(),
                     [](const Operand& one) { return one.kind == OperandKind::kSpecial; });
}

// The same operands give the same result, whenever and wherever it runs.
bool is_pure(InstructionClass kind, std::string_view mnemonic) {
  return kind == InstructionClass::kInteger || kind == InstructionClass::kMove ||
         kind == InstructionClass::kUniform || kind == InstructionClass::kConstantLoad ||
         mnemonic == "SHFL";
}

}  // namespace

std::vector<Operand> read_operands(const CodeFunction& function, const Instruction& instruction) {
  std::vector<Operand> reads;
  for (const Operand& operand : function.operands_of(instruction)) {
    if (operand.use != OperandUse::kRead) continue;
    if (operand.kind == OperandKind::kRegister || operand.kind == OperandKind::kUniformRegister ||
        operand.kind == OperandKind::kImmediate || operand.kind == OperandKind::kConstant ||
        operand.kind == OperandKind::kRelocated) {
      reads.push_back(operand);
    }
  }
  return reads;
}

std::size_t summands_of(std::string_view mnemonic) {
  if (mnemonic.starts_with('U')) mnemonic.remove_prefix(1);
  if (mnemonic == "IADD3") return 3;
  return mnemonic == "IADD" || mnemonic == "IADD32I" || mnemonic == "VIADD" ? 2 : 0;
}

Values::Values(const CodeFunction& function, const Flow& flow, const OpcodeNames& opcodes)
    : function_(function),
      flow_(flow),
      opcodes_(opcodes),
      traits_(opcodes),
      definitions_(function, flow, opcodes) {}

LinearValue Values::symbol_value(Symbol symbol) {
  // Names are made of names; their hash keeps them short.
  if (symbol.text.size() > kMostSymbolText) {
    symbol.text = fmt::format("{}{:x}", kShortened, std::hash<std::string>()(symbol.text));
  }
  const auto [at, added] =
      symbol_by_text_.try_emplace(symbol.text, static_cast<std::uint32_t>(symbols_.size()));
  if (added) symbols_.push_back(std::move(symbol));
  return {0, {{at->second, 1}}};
}

LinearValue Values::unknown(std::uint32_t instruction, unsigned offset) {
  const std::uint32_t address = function_.instructions[instruction].address;
  return symbol_value(
      {fmt::format("@{:#x}{}", address, offset > 0 ? fmt::format(".{}", offset) : ""),
       Spread::kOther, true});
}

LinearValue Values::constant_memory(std::uint32_t bank, std::int64_t offset) {
  return symbol_value({fmt::format("c[{:#x}][{:#x}]", bank, offset), Spread::kUniform});
}

LinearValue Values::special_register(std::uint32_t instruction) {
  const Instruction& one = function_.instructions[instruction];
  std::string name = special_name(function_, one);
  if (name == "SR_TID.X") {
    // A uniform register holds one number for the warp, whichever thread's it is.
    const bool uniform = opcode(instruction).starts_with("S2UR");
    return symbol_value({uniform ? "tid of a warp" : "tid",
                         uniform ? Spread::kWarp : Spread::kThread, false, true});
  }
  if (name == "SR_TID.Y") return symbol_value({"tid.y", Spread::kThread});
  if (name == "SR_TID.Z") return symbol_value({"tid.z", Spread::kThread});
  if (name == "SR_LANEID") return symbol_value({"lane", Spread::kLane});
  return symbol_value({std::move(name), Spread::kOther});
}

Spread Values::spread(const LinearValue& value) const {
  Spread spread = Spread::kUniform;
  for (const LinearValue::Term& term : value.terms) {
    spread = combined(spread, symbols_[term.symbol].spread);
  }
  return spread;
}

bool Values::varies(const LinearValue& value) const {
  return std::any_of(value.terms.begin(), value.terms.end(),
                     [&](const LinearValue::Term& term) { return symbols_[term.symbol].varies; });
}

LinearValue Values::stable_part(const LinearValue& value) const {
  LinearValue stable = value;
  std::erase_if(stable.terms,
                [&](const LinearValue::Term& term) { return symbols_[term.symbol].varies; });
  return stable;
}

bool Values::counts_threads(const LinearValue& value) const {
  bool counts = false;
  for (const LinearValue::Term& term : value.terms) {
    const Symbol& one = symbols_[term.symbol];
    if (one.spread == Spread::kUniform) continue;
    if (!one.counts_threads || term.factor != 1) return false;
    counts = true;
  }
  return counts;
}

std::string Values::text(const LinearValue& value) const {
  std::string text;
  for (const LinearValue::Term& term : value.terms) {
    const bool minus = term.factor == ~std::uint32_t{0};
    text += text.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
    if (!minus && term.factor != 1) text += number_text(term.factor) + "*";
    text += symbols_[term.symbol].text;
  }
  if (text.empty()) return number_text(value.constant);
  const bool minus = value.constant > ~std::uint32_t{0} / 2;
  if (value.constant == 0) return text;
  return text + (minus ? " - " : " + ") + number_text(minus ? 0 - value.constant : value.constant);
}

LinearValue Values::read(const Operand& operand, std::uint32_t instruction) {
  if (operand.kind == OperandKind::kImmediate) {
    return constant_value(static_cast<std::uint32_t>(operand.value));
  }
  if (operand.kind == OperandKind::kRelocated) {
    const auto& relocation = function_.relocations[static_cast<std::size_t>(operand.value)];
    return symbol_value({relocation.what, Spread::kUniform});
  }
  if (operand.kind == OperandKind::kConstant) {
    LinearValue value = constant_memory(operand.index, operand.value);
    return operand.negated ? product(std::move(value), ~std::uint32_t{0}) : value;
  }
  const RegisterSlot slot = slot_of(operand);
  if (slot == kNoSlot) return {};
  LinearValue value = before(slot, instruction);
  return operand.negated ? product(std::move(value), ~std::uint32_t{0}) : value;
}

LinearValue Values::address(std::uint32_t instruction) {
  LinearValue value;
  for (const Operand& operand : function_.operands_of(function_.instructions[instruction])) {
    if (operand.use != OperandUse::kAddress) continue;
    if (operand.kind != OperandKind::kImmediate) value = sum(value, read(operand, instruction));
    if (operand.kind == OperandKind::kRelocated) continue;
    value.constant += static_cast<std::uint32_t>(operand.value);
  }
  return value;
}

// What an instruction leaves in a register that it writes.
LinearValue Values::left_in(RegisterSlot slot, std::uint32_t definition) {
  for (const Operand& operand : function_.operands_of(function_.instructions[definition])) {
    if (operand.use != OperandUse::kWritten) continue;
    const RegisterSlot first = slot_of(operand);
    if (first <= slot && slot < first + operand.count) {
      return evaluate(definition, static_cast<unsigned>(slot - first));
    }
  }
  return unknown(definition, slot);  // a call
}

// The value of the one definition, or of several that compute the same, as code before a loop and
// in it often does.
std::optional<LinearValue> Values::same_from_all(RegisterSlot slot, const Reaching& reaching) {
  if (reaching.definitions.empty() || reaching.from_entry || !reaching.complete) {
    return std::nullopt;
  }
  LinearValue first = left_in(slot, reaching.definitions.front());
  if (reaching.definitions.size() == 1) return first;
  for (const std::uint32_t other : reaching.definitions) {
    if (varies(first) || left_in(slot, other) != first) return std::nullopt;
  }
  return first;
}

LinearValue Values::before(RegisterSlot slot, std::uint32_t instruction) {
  const Reaching reaching = definitions_.before(slot, instruction);
  if (const auto same = same_from_all(slot, reaching)) return *same;
  std::string name = fmt::format("#{}", slot);
  for (const std::uint32_t one : reaching.definitions) {
    name += fmt::format("@{:#x}", function_.instructions[one].address);
  }
  if (reaching.from_entry) name += "@entry";
  // At one place alone: what else reaches it is not known.
  if (!reaching.complete)
    name += fmt::format("?{:#x}", function_.instructions[instruction].address);
  const bool varies = !reaching.definitions.empty() || !reaching.complete;
  return symbol_value({std::move(name), Spread::kOther, varies});
}

LinearValue Values::result(std::uint32_t instruction) { return evaluate(instruction, 0); }

LinearValue Values::evaluate(std::uint32_t instruction, unsigned offset) {
  const std::uint64_t key = std::uint64_t{instruction} << 8U | offset;
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  if (depth_ == kMostValueDepth) return unknown(instruction, offset);
  // A value that goes round a loop meets itself here, unfinished.
  known_.emplace(key, unknown(instruction, offset));
  ++depth_;
  LinearValue value = compute(instruction, offset);
  --depth_;
  if (value.terms.size() > kMostTerms) value = unknown(instruction, offset);
  return known_[key] = std::move(value);
}

LinearValue Values::compute(std::uint32_t instruction, unsigned offset) {
  const Instruction& one = function_.instructions[instruction];
  const std::string& name = opcode(instruction);
  const std::string_view mnemonic = mnemonic_of(name);
  if (!one.guard.always()) return unknown(instruction, offset);
  if (mnemonic == "S2R" || mnemonic == "S2UR") return special_register(instruction);
  const std::vector<Operand> operands = read_operands(function_, one);
  const InstructionClass kind = trait(instruction).kind;
  if (kind == InstructionClass::kConstantLoad && !operands.empty() &&
      operands[0].kind == OperandKind::kConstant && !reads_register(function_, one)) {
    return constant_memory(operands[0].index, operands[0].value + 4 * offset);
  }
  if (mnemonic == "HFMA2" && instruction < function_.encodings.size()) {
    if (const auto number = moved_by_halves(function_.encodings[instruction])) {
      return constant_value(*number);
    }
  }
  if (mnemonic == "CS2R" && special_name(function_, one) == "SRZ") return {};
  const bool repeatable =
      is_pure(kind, mnemonic) && !reads_predicate(function_, one) && !reads_special(function_, one);
  if (!repeatable || offset > 0) return unknown(instruction, offset);
  std::vector<LinearValue> reads;
  reads.reserve(operands.size());
  for (const Operand& operand : operands) reads.push_back(read(operand, instruction));
  if (const auto value = arithmetic(instruction, reads)) return *value;
  for (const Operand& operand : function_.operands_of(one)) {
    if (operand.use == OperandUse::kAddress) reads.push_back(read(operand, instruction));
  }
  return structural(instruction, reads);
}

// What can be said as a sum, a shift or a mask.
std::optional<LinearValue> Values::arithmetic(std::uint32_t instruction,
                                              const std::vector<LinearValue>& reads) {
  const std::string_view name = opcode(instruction);
  std::string_view mnemonic = mnemonic_of(name);
  if (mnemonic.starts_with('U')) mnemonic.remove_prefix(1);
  const auto is = [&](std::string_view other) { return mnemonic == other; };
  if (reads.empty() || has_part(name, "X") || has_part(name, "64")) return std::nullopt;
  if (is("MOV") || is("MOV32I")) return reads[0];
  if (is("R2UR") || (is("SHFL") && has_part(name, "IDX"))) return same_in_warp(reads[0]);
  if (reads.size() == summands_of(mnemonic)) {
    LinearValue total;
    for (const LinearValue& value : reads) total = sum(total, value);
    return total;
  }
  if (is("IMAD") && reads.size() == 3 && !has_part(name, "HI")) {
    for (const auto& [factor, other] : {std::pair(0U, 1U), std::pair(1U, 0U)}) {
      if (reads[factor].is_constant()) {
        return sum(product(reads[other], reads[factor].constant), reads[2]);
      }
    }
    return std::nullopt;
  }
  const bool shifts = reads.size() >= 2;
  // Encodings have RZ before the shift where a wider address would have its upper half.
  if (is("LEA") && reads.size() >= 3 && reads.back().is_constant() && !has_part(name, "HI")) {
    return sum(product(reads[0], 1U << (reads.back().constant & 31U)), reads[1]);
  }
  if ((is("SHF") || is("SHL")) && shifts && reads[1].is_constant()) {
    const std::uint32_t count = reads[1].constant;
    const bool to_left = is("SHL") || (has_part(name, "L") && !has_part(name, "HI"));
    if (to_left && count < 32) return product(reads[0], 1U << count);
    if (has_part(name, "R") && has_part(name, "HI") && reads.size() == 3) {
      return shifted_right(reads[2], count);
    }
    return std::nullopt;
  }
  if (is("SHR") && shifts && reads[1].is_constant()) {
    return shifted_right(reads[0], reads[1].constant);
  }
  // The last byte of an address in a cluster's shared memory is the block's number.
  constexpr std::uint32_t kThreeBytesAndOne = 0x4210;
  if (is("PRMT") && reads.size() == 3 && reads[1].is_constant() && reads[0].is_constant() &&
      reads[1].constant == kThreeBytesAndOne && reads[0].constant < 1U << 24U) {
    return sum(product(reads[2], 1U << 24U), reads[0]);
  }
  if (is("LOP3") && reads.size() == 4 && reads[3].is_constant()) {
    constexpr std::uint32_t kAnd = 0xc0;  // of the first two
    if (reads[3].constant != kAnd) return std::nullopt;
    if (reads[1].is_constant()) return masked(reads[0], reads[1].constant);
    if (reads[0].is_constant()) return masked(reads[1], reads[0].constant);
  }
  return std::nullopt;
}

LinearValue Values::same_in_warp(const LinearValue& value) {
  if (spread(value) != Spread::kThread) return value;
  return symbol_value({fmt::format("warp's {}", text(value)), Spread::kWarp, varies(value)});
}

LinearValue Values::shifted_right(const LinearValue& value, std::uint32_t count) {
  if (value.is_constant() && count < 32) return constant_value(value.constant >> count);
  Symbol symbol{fmt::format("({} >> {})", text(value), count), spread(value), varies(value)};
  const bool warp = symbol.spread == Spread::kThread && counts_threads(value) &&
                    (value.constant & kLaneMask) == 0 && count >= kLaneBits;
  if (warp) symbol.spread = Spread::kWarp;
  if (warp && symbol.text == fmt::format("(tid >> {})", kLaneBits)) symbol.text = "warp";
  if (warp && symbol.text == fmt::format("(tid >> {})", kGroupBits)) symbol.text = "warpgroup";
  return symbol_value(std::move(symbol));
}

LinearValue Values::masked(const LinearValue& value, std::uint32_t mask) {
  if (value.is_constant()) return constant_value(value.constant & mask);
  // Without its lower bits the thread's index is the warp's.
  if ((mask & kLaneMask) == 0 && text(value) == "tid") {
    return product(masked(shifted_right(value, kLaneBits), mask >> kLaneBits), 1U << kLaneBits);
  }
  if ((mask & kMostWarpsMask) == kMostWarpsMask && text(value) == "warp") return value;
  Symbol symbol{fmt::format("({} & {:#x})", text(value), mask), spread(value), varies(value)};
  symbol.most = mask;
  symbol.counts_threads = counts_threads(value);
  // Of the thread's index, the upper bits tell the warp and the lower ones the lane.
  const bool index = symbol.counts_threads && (value.constant & kLaneMask) == 0;
  if (symbol.spread == Spread::kThread && index) {
    if ((mask & kLaneMask) == 0) symbol.spread = Spread::kWarp;
    if (mask <= kLaneMask) symbol.spread = Spread::kLane;
  }
  return symbol_value(std::move(symbol));
}

LinearValue Values::structural(std::uint32_t instruction, const std::vector<LinearValue>& reads) {
  Symbol symbol{opcode(instruction) + "(", Spread::kUniform};
  for (const LinearValue& value : reads) {
    if (!symbol.text.ends_with('(')) symbol.text += ", ";
    symbol.text += text(value);
    symbol.spread = combined(symbol.spread, spread(value));
    symbol.varies = symbol.varies || varies(value);
  }
  symbol.text += ")";
  const std::string_view mnemonic = mnemonic_of(opcode(instruction));
  if (mnemonic == "IMAD" && !reads.empty()) symbol.counts_threads = counts_threads(reads.back());
  if (mnemonic == "LEA") {
    symbol.counts_threads = std::any_of(reads.begin(), reads.end(), [&](const LinearValue& value) {
      return counts_threads(value);
    });
  }
  return symbol_value(std::move(symbol));
}

}  // namespace proofline

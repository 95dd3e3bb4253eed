// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>

#include "analysis/sass/tensor_shape.h"
#include "arch/mnemonics.h"
#include "arch/sass_decoder.h"
#include "base/characters.h"

namespace proofline {
namespace {

using Parts = std::vector<std::string_view>;

constexpr std::uint8_t kMostOperands = 255;

Parts split(std::string_view opcode) {
  Parts parts;
  while (!opcode.empty()) {
    parts.push_back(opcode.substr(0, opcode.find('.')));
    opcode.remove_prefix(std::min(opcode.size(), parts.back().size() + 1));
  }
  return parts;
}

bool has(const Parts& parts, std::string_view part) {
  return std::find(parts.begin() + 1, parts.end(), part) != parts.end();
}

std::uint32_t number(std::string_view text) {
  std::uint32_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::uint8_t registers(std::uint64_t bits) {
  return static_cast<std::uint8_t>(std::clamp<std::uint64_t>(bits / 32, 1, 128));
}

// Comparisons write one or two predicates and no register.
std::optional<std::uint8_t> compared_predicates(std::string_view name) {
  if (name == "FCHK") return std::uint8_t{1};
  const bool compares =
      name.ends_with("SETP") || name.ends_with("SETP2") || name.ends_with("PLOP3");
  return compares ? std::optional<std::uint8_t>(2) : std::nullopt;
}

bool writes_nothing(std::string_view name, InstructionClass kind) {
  switch (kind) {
    case InstructionClass::kGlobalStore:
    case InstructionClass::kSharedStore:
    case InstructionClass::kLocalStore:
    case InstructionClass::kGenericStore:
    case InstructionClass::kBarrier:
    case InstructionClass::kFence:
    case InstructionClass::kAsyncCopy:
    case InstructionClass::kBulkCopy: return name != "QSPC";
    case InstructionClass::kBranch: return !is_one_of(name, {"ELECT", "BMOV", "RPCMOV"});
    case InstructionClass::kAtomic: return name.starts_with("RED");
    case InstructionClass::kTensorMemory: return !name.starts_with("LD");
    case InstructionClass::kTexture: return is_one_of(name, {"SUST", "SURED"});
    default: return name == "NOP";
  }
}

std::uint32_t element_bits(const Parts& parts) {
  const std::string_view name = parts.front();
  if (name.starts_with("D")) return 64;
  if (name.starts_with("B")) return 1;
  if (name.starts_with("Q")) return 8;
  if (name.starts_with("O")) return 4;
  if (name.starts_with("I")) return has(parts, "S4") || has(parts, "U4") ? 4 : 8;
  return has(parts, "TF32") ? 32 : 16;
}

// The tiles of A, B and C are spread over the 32 lanes of a warp.
void plan_warp_tensor(const Parts& parts, std::string_view opcode, OperandPlan& plan) {
  constexpr std::uint32_t kLanes = 32;
  const auto shape = tensor_shape(opcode);
  if (!shape) return;
  const auto tile = [](std::uint64_t rows, std::uint64_t columns, std::uint32_t bits) {
    return rows * columns * bits / kLanes;
  };
  const std::uint32_t bits = element_bits(parts);
  const std::uint32_t sum_bits = bits == 64                                      ? 64
                                 : parts.front() == "HMMA" && !has(parts, "F32") ? 16
                                                                                 : 32;
  const std::uint32_t dense = has(parts, "SP") ? 2 : 1;
  plan.written_count = registers(tile(shape->m, shape->n, sum_bits));
  plan.read_count[0] = registers(tile(shape->m, shape->k, bits) / dense);
  plan.read_count[1] = registers(tile(shape->n, shape->k, bits));
  plan.read_count[2] = plan.written_count;
}

// The sum is spread over the 128 lanes of a warpgroup, and A too where it comes from registers.
void plan_group_tensor(const Parts& parts, std::string_view opcode, OperandPlan& plan) {
  constexpr std::uint32_t kLanes = 128;
  constexpr std::uint8_t kRegistersOfA = 4;
  if (const auto shape = tensor_shape(opcode)) {
    const bool halves = !has(parts, "F32") && parts.front() != "IGMMA";
    plan.written_count =
        registers(std::uint64_t{shape->m} * shape->n * (halves ? 16 : 32) / kLanes);
  }
  plan.read_count[0] = kRegistersOfA;
  plan.accumulates = true;
}

// LDTM.16dp128bit.x8: for each of its repetitions as many registers as the shape has words.
std::uint8_t tensor_memory_count(const Parts& parts) {
  std::uint32_t words = 1;
  std::uint32_t times = 1;
  for (const std::string_view part : parts) {
    if (part.find("128bit") != std::string_view::npos) words = 2;
    if (part.find("256bit") != std::string_view::npos) words = 4;
    if (part.starts_with("x")) times = std::max(1U, number(part.substr(1)));
  }
  return registers(std::uint64_t{words} * times * 32);
}

// F2F.F64.F32 writes 64 bits, F2F.F32.F64 reads 64. F2I.S64 and I2F.F64 name the other side only
// where it is not F32 or 32 bits wide: F2I.S64.F64, I2F.F64.S64.
void plan_conversion(const Parts& parts, OperandPlan& plan) {
  const std::string_view name = parts.front();
  const bool wide_integer = has(parts, "S64") || has(parts, "U64");
  const bool wide_float = has(parts, "F64");
  if (name.find("F2I") != name.npos) {
    plan.written_count = wide_integer ? 2 : 1;
    plan.read_count[0] = wide_float ? 2 : 1;
  } else if (name.find("I2F") != name.npos) {
    plan.written_count = wide_float ? 2 : 1;
    plan.read_count[0] = wide_integer ? 2 : 1;
  } else if (wide_float) {
    const auto f64 = std::find(parts.begin(), parts.end(), "F64");
    const auto f32 = std::find(parts.begin(), parts.end(), "F32");
    plan.written_count = f32 == parts.end() || f64 < f32 ? 2 : 1;
    plan.read_count[0] = f32 == parts.end() || f32 < f64 ? 2 : 1;
  }
}

void plan_counts(const Parts& parts, std::string_view opcode, InstructionClass kind,
                 OperandPlan& plan) {
  const std::string_view name = parts.front();
  const auto all = [&](std::uint8_t count) {
    plan.written_count = count;
    std::fill(std::begin(plan.read_count), std::end(plan.read_count), count);
  };
  if (const std::uint32_t bytes = access_width(opcode); bytes > 0) {
    // 256 bits come in two operands of four registers.
    all(registers(std::min<std::uint64_t>(bytes, 16) * 8));
    if (has(parts, "F64")) all(2);  // RED.E.ADD.F64
    return;
  }
  switch (kind) {
    case InstructionClass::kFp64: all(2); return;
    case InstructionClass::kConversion: plan_conversion(parts, plan); return;
    case InstructionClass::kTensorMemory: all(tensor_memory_count(parts)); return;
    case InstructionClass::kTensor:
      if (name.ends_with("GMMA")) {
        plan_group_tensor(parts, opcode, plan);
      } else if (!name.starts_with("U")) {
        plan_warp_tensor(parts, opcode, plan);
      }
      return;
    default: break;
  }
  if (is_one_of(name, {"FADD2", "FMUL2", "FFMA2"}) || has(parts, "64")) all(2);
  const bool compares = name.ends_with("SETP") || name.ends_with("MNMX");
  if (compares && (has(parts, "S64") || has(parts, "U64"))) all(2);
  if (name == "CS2R" && !has(parts, "32")) plan.written_count = 2;
  if (name.ends_with("IMAD") && has(parts, "WIDE")) plan.written_count = 2;
  if (name.ends_with("IMAD") && (has(parts, "WIDE") || has(parts, "HI"))) plan.read_count[2] = 2;
  // Addresses of code.
  if (name == "LEPC") plan.written_count = 2;
  if (is_one_of(name, {"BRX", "BRXU", "JMX", "JMXU", "CALL", "RET"})) plan.read_count[0] = 2;
}

std::string register_text(const Operand& operand) {
  const bool zero = operand.index == Operand::kZero;
  const bool truth = operand.index == Operand::kTrue;
  switch (operand.kind) {
    case OperandKind::kRegister: return zero ? "RZ" : fmt::format("R{}", operand.index);
    case OperandKind::kUniformRegister: return zero ? "URZ" : fmt::format("UR{}", operand.index);
    case OperandKind::kPredicate: return truth ? "PT" : fmt::format("P{}", operand.index);
    default: return truth ? "UPT" : fmt::format("UP{}", operand.index);
  }
}

std::string offset_text(std::int64_t value) {
  return value < 0 ? fmt::format("-{:#x}", -static_cast<std::uint64_t>(value))
                   : fmt::format("{:#x}", value);
}

std::string operand_text(const CodeFunction& function, const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::kImmediate:
    case OperandKind::kTarget: return offset_text(operand.value);
    case OperandKind::kConstant:
      return fmt::format("c[{:#x}][{}]", operand.index, offset_text(operand.value));
    case OperandKind::kBarrier: return fmt::format("B{}", operand.index);
    case OperandKind::kSpecial: return "...";
    case OperandKind::kRelocated: {
      const std::string& what = function.relocations[static_cast<std::size_t>(operand.value)].what;
      return what.starts_with("32@") ? what : fmt::format("`({})", what);
    }
    default: break;
  }
  const bool predicate = is_predicate(operand.kind);
  return (operand.negated ? predicate ? "!" : "-" : "") + register_text(operand);
}

}  // namespace

OperandPlan plan_operands(std::string_view opcode) {
  OperandPlan plan;
  plan.known = true;
  const Parts parts = split(opcode);
  if (parts.empty()) return plan;
  const std::string_view name = parts.front();
  const InstructionClass kind = instruction_class(opcode);
  plan_counts(parts, opcode, kind, plan);
  plan.wide_address = has(parts, "E") && kind != InstructionClass::kAsyncCopy;
  if (const auto predicates = compared_predicates(name)) {
    plan.leading_predicates = *predicates;
  } else if (!writes_nothing(name, kind)) {
    plan.leading_predicates = name.ends_with("IMNMX") ? 2 : 1;
    plan.written_registers = has(parts, "ENL2") ? 2 : 1;
    plan.trailing_predicates = name.ends_with("IADD3") || name.ends_with("IMNMX") ? 2 : 1;
  }
  return plan;
}

namespace {

bool is_register(const Operand& operand) {
  return operand.kind == OperandKind::kRegister || operand.kind == OperandKind::kUniformRegister ||
         operand.kind == OperandKind::kBarrier;
}

bool is_any_predicate(const Operand& operand) { return is_predicate(operand.kind); }

// LD.E R5, [R4] has an address of 64 bits although the text does not say so, as it does in [R4.64]
// and desc[UR4][R4.64]; beside a uniform register, [R4.U32+UR4], it is an offset of 32.
void widen_address(const OperandPlan& plan, std::span<Operand> operands) {
  if (!plan.wide_address) return;
  Operand* address = nullptr;
  for (Operand& operand : operands) {
    if (operand.use != OperandUse::kAddress) continue;
    if (operand.kind == OperandKind::kUniformRegister) return;
    if (operand.kind == OperandKind::kRegister) address = &operand;
  }
  if (address != nullptr) address->count = 2;
}

void apply(const OperandPlan& plan, std::span<Operand> operands) {
  auto at = operands.begin();
  const auto write = [&](bool (*fits)(const Operand&), std::uint8_t most, std::uint8_t count) {
    for (; most > 0 && at != operands.end() && at->use == OperandUse::kRead && fits(*at); --most) {
      at->use = OperandUse::kWritten;
      at->count = std::max(at->count, count);
      ++at;
    }
  };
  write(is_any_predicate, plan.leading_predicates, 1);
  write(is_register, plan.written_registers, plan.written_count);
  write(is_any_predicate, plan.trailing_predicates, 1);
  std::size_t position = 0;
  Operand* last = nullptr;
  for (; at != operands.end(); ++at) {
    if (at->use != OperandUse::kRead) continue;
    const bool takes_place = is_register(*at) || at->kind == OperandKind::kImmediate ||
                             at->kind == OperandKind::kConstant ||
                             at->kind == OperandKind::kRelocated;
    if (!takes_place) continue;
    if (position < std::size(plan.read_count)) {
      at->count = std::max(at->count, plan.read_count[position]);
    }
    if (is_register(*at)) last = &*at;
    ++position;
  }
  if (plan.accumulates && last != nullptr) last->count = plan.written_count;
  widen_address(plan, operands);
}

}  // namespace

const OperandPlan& CodeCompleter::plan(OpcodeId opcode) {
  if (opcode >= plans_.size()) plans_.resize(opcodes_.size());
  OperandPlan& plan = plans_[opcode];
  if (!plan.known) plan = plan_operands(opcodes_[opcode]);
  return plan;
}

namespace {

// Compilers give a warpgroup's sum the same registers in all samples there are, so the tables
// cannot tell its places from others; they are those of every encoding's result and third operand.
void add_group_sum(const Encoding& encoding, DecodedInstruction& instruction) {
  constexpr unsigned kResultBit = 16;
  if (!mnemonic_of(instruction.opcode).ends_with("GMMA")) return;
  auto& operands = instruction.operands;
  const bool known = std::any_of(operands.begin(), operands.end(), [](const Operand& operand) {
    return operand.kind == OperandKind::kRegister;
  });
  if (known) return;
  Operand sum;
  sum.kind = OperandKind::kRegister;
  sum.index = static_cast<std::uint8_t>(encoding.low >> kResultBit);
  operands.insert(operands.begin(), sum);
  sum.index = static_cast<std::uint8_t>(encoding.high);
  operands.push_back(sum);
}

}  // namespace

namespace {

// Of the last instruction so far: what is in its encoding is no value yet, and a branch goes
// elsewhere. Where no operand is in its place, the address has the symbol beside its registers.
void relocate(CodeFunction& function, Instruction& instruction, std::size_t relocation) {
  instruction.target = Instruction::kNone;
  Operand relocated;
  relocated.kind = OperandKind::kRelocated;
  relocated.value = static_cast<std::int64_t>(relocation);
  for (Operand& operand : function.operands_of(instruction)) {
    if (operand.use == OperandUse::kAddress) relocated.use = OperandUse::kAddress;
    const bool replaced = operand.kind == OperandKind::kImmediate ||
                          operand.kind == OperandKind::kConstant ||
                          operand.kind == OperandKind::kTarget;
    if (!replaced) continue;
    relocated.use = operand.use;
    operand = relocated;
    return;
  }
  if (instruction.operand_count == kMostOperands) return;
  function.operands.push_back(relocated);
  ++instruction.operand_count;
}

}  // namespace

DecodeLoss CodeCompleter::decode(CodeFunction& function) {
  DecodeLoss loss;
  const auto decoder = SassDecoder::for_arch(function.arch);
  loss.no_tables = !decoder;
  loss.decoded = function.instructions.size();
  if (!decoder) {
    loss.unknown_opcodes = loss.decoded;
    return loss;
  }
  DecodedInstruction decoded;
  std::size_t relocation = 0;
  for (std::size_t i = 0; i < function.instructions.size(); ++i) {
    Instruction& instruction = function.instructions[i];
    decoder->decode(function.encodings[i], instruction.address, decoded);
    add_group_sum(function.encodings[i], decoded);
    instruction.guard = decoded.guard;
    if (decoded.opcode.empty()) {
      ++loss.unknown_opcodes;
      continue;
    }
    if (!decoded.all_modifiers || !decoded.all_operands) {
      ++loss.unknown_modifiers;
      loss.partial.resize(function.instructions.size());
      loss.partial[i] = true;
    }
    instruction.opcode = opcodes_.intern(decoded.opcode);
    instruction.first_operand = static_cast<std::uint32_t>(function.operands.size());
    const std::size_t count = std::min<std::size_t>(decoded.operands.size(), kMostOperands);
    instruction.operand_count = static_cast<std::uint8_t>(count);
    function.operands.insert(function.operands.end(), decoded.operands.begin(),
                             decoded.operands.begin() + static_cast<std::ptrdiff_t>(count));
    std::optional<std::uint64_t> target = decoded.target;
    for (const Operand& operand : decoded.operands) {
      // Where threads that came together go on.
      const bool meets = operand.kind == OperandKind::kTarget && operand.value >= 0 &&
                         decoded.opcode.starts_with("WARPSYNC");
      if (meets) target = static_cast<std::uint64_t>(operand.value);
    }
    if (target && *target < Instruction::kNone) {
      instruction.target = static_cast<std::uint32_t>(*target);
    }
    while (relocation < function.relocations.size() &&
           function.relocations[relocation].address < instruction.address) {
      ++relocation;
    }
    if (relocation < function.relocations.size() &&
        function.relocations[relocation].address == instruction.address) {
      relocate(function, instruction, relocation);
    }
  }
  return loss;
}

DecodeLoss CodeCompleter::complete(CodeFunction& function) {
  DecodeLoss loss;
  const bool without_text = function.text.empty() && !function.encodings.empty();
  if (without_text) loss = decode(function);
  for (const Instruction& instruction : function.instructions) {
    apply(plan(instruction.opcode), function.operands_of(instruction));
  }
  return loss;
}

namespace {

// As NVIDIA's disassemblers write the operands; nothing where the tables do not tell.
std::optional<std::string> decoded_operands(const CodeFunction& function,
                                            const Instruction& instruction) {
  const auto decoder = SassDecoder::for_arch(function.arch);
  const auto position = function.at(instruction.address);
  const auto operands = function.operands_of(instruction);
  const bool relocated = std::any_of(operands.begin(), operands.end(), [](const Operand& one) {
    return one.kind == OperandKind::kRelocated;
  });
  if (!decoder || !position || relocated || function.encodings.size() <= *position) {
    return std::nullopt;
  }
  std::string text;
  const Encoding& encoding = function.encodings[*position];
  if (!decoder->write_operands(encoding, instruction.address, text)) return std::nullopt;
  return text;
}

}  // namespace

std::string instruction_text(const CodeFunction& function, const OpcodeNames& opcodes,
                             const Instruction& instruction) {
  std::string text;
  if (!instruction.guard.always()) {
    text = "@" + operand_text(function, operand_of(instruction.guard)) + " ";
  }
  if (instruction.text_size > 0) return text + std::string(function.text_of(instruction));
  text += opcodes[instruction.opcode];
  if (const auto operands = decoded_operands(function, instruction)) {
    return operands->empty() ? text : text + " " + *operands;
  }
  bool brackets = false;
  bool first = true;
  bool constant = false;
  for (const Operand& operand : function.operands_of(instruction)) {
    // Encodings have places for operands that listings omit: predicates that are always true,
    // and the register that would index a constant.
    if (is_predicate(operand.kind) && operand.index == Operand::kTrue) continue;
    const bool address = operand.use == OperandUse::kAddress;
    if (address && constant && operand.index == Operand::kZero) continue;
    constant = constant || operand.kind == OperandKind::kConstant;
    if (brackets && !address) text += "]";
    text += first ? " " : address && brackets ? "+" : ", ";
    if (address && !brackets) text += "[";
    text += operand_text(function, operand);
    if (address && operand.count == 2) text += ".64";
    const bool displaced = address && operand.value != 0 &&
                           operand.kind != OperandKind::kImmediate &&
                           operand.kind != OperandKind::kRelocated;
    if (displaced) text += (operand.value < 0 ? "" : "+") + offset_text(operand.value);
    brackets = address;
    first = false;
  }
  return brackets ? text + "]" : text;
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// An instruction's canonical form has, in place of each register that it reads, how many
// instructions before it that register was last written in the order of addresses. That is the same
// for two functions that differ by the names of registers only, and differs where another value is
// read.
#include "analysis/sass/code_diff.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analysis/sass/flow.h"
#include "arch/sass_decoder.h"

namespace proofline {
namespace {

// Edits beyond this number: the two have little to do with each other, and aligning them would take
// time with the product.
constexpr std::size_t kMostEdits = 4000;

class Hash {
 public:
  void add(std::uint64_t value) {
    // FNV-1a by words, with the high bits folded in.
    state_ = (state_ ^ value) * 0x100000001b3ULL;
    state_ ^= state_ >> 29U;
  }
  void add(std::string_view text) {
    for (const char c : text) add(static_cast<unsigned char>(c));
    add(text.size());
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

struct Canonical {
  std::vector<std::uint64_t> names;   // opcode, immediates, constants: what aligns
  std::vector<std::uint64_t> values;  // and which values it reads
};

bool is_register(OperandKind kind) {
  return kind == OperandKind::kRegister || kind == OperandKind::kUniformRegister ||
         kind == OperandKind::kBarrier || is_predicate(kind);
}

// RZ and PT are values, not names.
bool is_constant(const Operand& operand) {
  const bool predicate = is_predicate(operand.kind);
  return operand.index == (predicate ? Operand::kTrue : Operand::kZero);
}

class Canoniser {
 public:
  Canoniser(const CodeFunction& function, const OpcodeNames& opcodes, bool opcodes_only)
      : function_(function), opcodes_(opcodes), opcodes_only_(opcodes_only) {}

  Canonical canonical(std::size_t count) {
    Canonical form;
    form.names.reserve(count);
    form.values.reserve(count);
    for (std::size_t i = 0; i < count; ++i) add(i, form);
    return form;
  }

 private:
  static constexpr std::size_t kKinds = 9;
  static constexpr std::size_t kRegisters = 256;

  std::size_t& last_writer(OperandKind kind, std::size_t index) {
    return writer_[static_cast<std::size_t>(kind) * kRegisters + index % kRegisters];
  }

  void read(std::size_t at, const Operand& operand, Hash& values) {
    for (std::size_t i = 0; i < operand.count; ++i) {
      const std::size_t writer = last_writer(operand.kind, operand.index + i);
      values.add(writer == 0 ? 0 : at + 1 - writer);
    }
  }

  void add(std::size_t at, Canonical& form) {
    const Instruction& instruction = function_.instructions[at];
    const auto operands = function_.operands_of(instruction);
    Hash names;
    Hash values;
    names.add(opcodes_[instruction.opcode]);
    names.add(instruction.guard.negated ? 1 : 0);
    names.add(instruction.guard.always() ? 1 : 0);
    if (!instruction.guard.always()) read(at, operand_of(instruction.guard), values);
    if (opcodes_only_) {
      form.names.push_back(names.value());
      return;
    }
    for (const Operand& operand : operands) {
      names.add(static_cast<std::uint64_t>(operand.kind) * 8 +
                static_cast<std::uint64_t>(operand.use) * 2 + (operand.negated ? 1 : 0));
      if (operand.kind == OperandKind::kTarget) continue;
      names.add(static_cast<std::uint64_t>(operand.value));
      if (!is_register(operand.kind) || is_constant(operand)) {
        names.add(operand.index);
      } else if (operand.use != OperandUse::kWritten) {
        read(at, operand, values);
      }
    }
    // Branches by how far they go; what lies between is compared by itself.
    if (instruction.target != Instruction::kNone) {
      values.add(std::uint64_t{instruction.target} - instruction.address);
    }
    for (const Operand& operand : operands) {
      if (operand.use != OperandUse::kWritten || !is_register(operand.kind)) continue;
      for (std::size_t i = 0; i < operand.count; ++i) {
        last_writer(operand.kind, operand.index + i) = at + 1;
      }
    }
    form.names.push_back(names.value());
    form.values.push_back(values.value());
  }

  const CodeFunction& function_;
  const OpcodeNames& opcodes_;
  bool opcodes_only_;
  std::array<std::size_t, kKinds * kRegisters> writer_{};  // one more than the position; 0: nobody
};

// Without the branch to itself and the NOPs that fill the section's end.
std::size_t code_size(const CodeFunction& function, const OpcodeNames& opcodes) {
  std::size_t count = function.instructions.size();
  while (count > 0 && opcodes[function.instructions[count - 1].opcode] == "NOP") --count;
  if (count > 0) {
    const Instruction& last = function.instructions[count - 1];
    const bool halt =
        last.target == last.address && flow_kind(opcodes[last.opcode]) == FlowKind::kBranch;
    if (halt) --count;
  }
  return count;
}

// The length of the longest common subsequence by Myers' greedy method; nothing past kMostEdits.
std::optional<std::size_t> common_length(const std::vector<std::uint64_t>& a,
                                         const std::vector<std::uint64_t>& b) {
  const auto n = static_cast<std::ptrdiff_t>(a.size());
  const auto m = static_cast<std::ptrdiff_t>(b.size());
  const auto most = static_cast<std::ptrdiff_t>(std::min(kMostEdits, a.size() + b.size()));
  std::vector<std::ptrdiff_t> reach(static_cast<std::size_t>(2 * most + 3));
  const auto at = [&](std::ptrdiff_t k) -> std::ptrdiff_t& {
    return reach[static_cast<std::size_t>(k + most + 1)];
  };
  for (std::ptrdiff_t edits = 0; edits <= most; ++edits) {
    for (std::ptrdiff_t k = -edits; k <= edits; k += 2) {
      const bool down = k == -edits || (k != edits && at(k - 1) < at(k + 1));
      std::ptrdiff_t x = down ? at(k + 1) : at(k - 1) + 1;
      while (x < n && x - k >= 0 && x - k < m &&
             a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(x - k)]) {
        ++x;
      }
      at(k) = x;
      if (x >= n && x - k >= m) return static_cast<std::size_t>((n + m - edits) / 2);
    }
  }
  return std::nullopt;
}

std::size_t common_by_count(const std::vector<std::uint64_t>& a,
                            const std::vector<std::uint64_t>& b) {
  std::unordered_map<std::uint64_t, std::size_t> counts;
  for (const std::uint64_t value : a) ++counts[value];
  std::size_t common = 0;
  for (const std::uint64_t value : b) {
    const auto found = counts.find(value);
    if (found == counts.end() || found->second == 0) continue;
    --found->second;
    ++common;
  }
  return common;
}

void compare_control(const CodeFunction& a, const CodeFunction& b, std::size_t count,
                     CodeDiff& diff) {
  diff.control_known = !a.encodings.empty() && !b.encodings.empty();
  if (!diff.control_known) return;
  for (const Encoding& encoding : a.encodings) diff.stall_cycles_a += control_of(encoding).stall;
  for (const Encoding& encoding : b.encodings) diff.stall_cycles_b += control_of(encoding).stall;
  for (std::size_t i = 0; i < count; ++i) {
    if (control_of(a.encodings[i]) != control_of(b.encodings[i])) ++diff.control_changed;
  }
}

bool same_registers(const CodeFunction& a, const CodeFunction& b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto ours = a.operands_of(a.instructions[i]);
    const auto theirs = b.operands_of(b.instructions[i]);
    const bool same =
        std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(),
                   [](const Operand& x, const Operand& y) { return x.index == y.index; });
    if (!same || a.instructions[i].guard != b.instructions[i].guard) return false;
  }
  return true;
}

bool same_texts(const CodeFunction& a, const CodeFunction& b) {
  if (!a.complete || !b.complete || a.instructions.empty() || a.text.empty()) return false;
  return std::equal(a.instructions.begin(), a.instructions.end(), b.instructions.begin(),
                    b.instructions.end(), [&](const Instruction& x, const Instruction& y) {
                      return x.guard == y.guard && a.text_of(x) == b.text_of(y);
                    });
}

// Of code that nobody decoded.
CodeDiff diff_bytes(const CodeFunction& a, const CodeFunction& b) {
  CodeDiff diff;
  diff.sameness = Sameness::kUnknown;
  diff.by_bytes = true;
  const std::size_t least = std::min(a.encodings.size(), b.encodings.size());
  const std::size_t most = std::max(a.encodings.size(), b.encodings.size());
  for (std::size_t i = 0; i < least; ++i) {
    if (a.encodings[i] != b.encodings[i]) ++diff.bytes_changed;
  }
  diff.bytes_changed += static_cast<std::uint32_t>(most - least);
  diff.common = static_cast<std::uint32_t>(most) - diff.bytes_changed;
  if (diff.bytes_changed > 0) {
    diff.sameness = Sameness::kBytesDiffer;
  } else if (a.complete && b.complete && a.arch == b.arch) {
    diff.sameness = Sameness::kIdentical;
  }
  return diff;
}

// Instructions that decode alike but differ in bits that neither name a register nor tell the
// scheduler something: what decoding leaves out is not the same.
std::uint32_t changed_beyond_names(const CodeFunction& a, const CodeFunction& b,
                                   std::size_t count) {
  if (a.encodings.empty() || b.encodings.empty() || sm_number(a.arch) != sm_number(b.arch)) {
    return 0;
  }
  const auto decoder = SassDecoder::for_arch(a.arch);
  if (!decoder) return 0;
  std::uint32_t changed = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Encoding& ours = a.encodings[i];
    const Encoding& theirs = b.encodings[i];
    if (ours == theirs) continue;
    const Encoding names = decoder->renameable_bits(ours);
    const bool beyond = ((ours.low ^ theirs.low) & ~names.low) != 0 ||
                        ((ours.high ^ theirs.high) & ~names.high) != 0;
    if (beyond) ++changed;
  }
  return changed;
}

}  // namespace

std::string_view to_string(Sameness sameness) {
  switch (sameness) {
    case Sameness::kIdentical: return "identical";
    case Sameness::kRenamed: return "renamed";
    case Sameness::kRescheduled: return "rescheduled";
    case Sameness::kSameOpcodes: return "same-opcodes";
    case Sameness::kBytesDiffer: return "bytes-differ";
    case Sameness::kUnknown: return "unknown";
    case Sameness::kDifferent: break;
  }
  return "different";
}

CodeDiff diff_code(const CodeFunction& a, const OpcodeNames& opcodes_a, const CodeFunction& b,
                   const OpcodeNames& opcodes_b, bool wholly_read) {
  const bool bytes_on_both_sides = !a.encodings.empty() && !b.encodings.empty();
  if (!wholly_read && bytes_on_both_sides) return diff_bytes(a, b);
  const std::size_t count_a = code_size(a, opcodes_a);
  const std::size_t count_b = code_size(b, opcodes_b);
  const bool opcodes_only = a.text.empty() != b.text.empty();
  const Canonical form_a = Canoniser(a, opcodes_a, opcodes_only).canonical(count_a);
  const Canonical form_b = Canoniser(b, opcodes_b, opcodes_only).canonical(count_b);
  CodeDiff diff;
  if (form_a.names == form_b.names && form_a.values == form_b.values) {
    compare_control(a, b, count_a, diff);
    diff.common = static_cast<std::uint32_t>(count_a);
    diff.sameness = opcodes_only                    ? Sameness::kSameOpcodes
                    : diff.control_changed > 0      ? Sameness::kRescheduled
                    : same_registers(a, b, count_a) ? Sameness::kIdentical
                                                    : Sameness::kRenamed;
    diff.bytes_changed = changed_beyond_names(a, b, count_a);
    if (diff.bytes_changed > 0) diff.sameness = Sameness::kBytesDiffer;
    // An opcode that nobody knows may do anything with its operands: only the same text is the
    // same.
    if (!wholly_read && !same_texts(a, b)) diff.sameness = Sameness::kUnknown;
    return diff;
  }
  const auto aligned = common_length(form_a.names, form_b.names);
  diff.estimated = !aligned;
  const std::size_t common = aligned ? *aligned : common_by_count(form_a.names, form_b.names);
  diff.common = static_cast<std::uint32_t>(common);
  diff.removed = static_cast<std::uint32_t>(count_a - common);
  diff.added = static_cast<std::uint32_t>(count_b - common);
  compare_control(a, b, 0, diff);
  if (!a.complete || !b.complete) diff.sameness = Sameness::kUnknown;
  return diff;
}

}  // namespace proofline

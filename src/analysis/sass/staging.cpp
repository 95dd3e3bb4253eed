// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/staging.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace proofline {
namespace {

constexpr unsigned kMostStagingDepth = 64;  // of definitions that a stored value is traced through
constexpr std::size_t kMostScopes = 256;    // real kernels have a few

// Where a value was made, as far as arithmetic leads back.
struct Origin {
  bool tensor = false;   // by a tensor instruction, or loaded from tensor memory
  bool shared = false;   // loaded from shared memory
  bool generic = false;  // loaded from any memory

  void add(const Origin& other) {
    tensor = tensor || other.tensor;
    shared = shared || other.shared;
    generic = generic || other.generic;
  }
};

class OriginFinder {
 public:
  explicit OriginFinder(Values& values) : values_(values), function_(values.function()) {}

  // Of what an instruction reads outside brackets.
  Origin of_operands(std::uint32_t instruction) {
    Origin origin;
    for (const Operand& operand : read_operands(function_, function_.instructions[instruction])) {
      for (unsigned i = 0; i < operand.count; ++i) {
        const RegisterSlot slot = slot_of(operand, i);
        if (slot == kNoSlot) continue;
        for (const std::uint32_t one :
             values_.definitions().before(slot, instruction).definitions) {
          origin.add(of_result(one));
        }
      }
    }
    return origin;
  }

 private:
  Origin of_result(std::uint32_t instruction) {
    switch (values_.trait(instruction).kind) {
      case InstructionClass::kTensor:
      case InstructionClass::kTensorMemory: return {true, false, false};
      case InstructionClass::kSharedLoad: return {false, true, false};
      case InstructionClass::kGenericLoad: return {false, false, true};
      case InstructionClass::kFp64:
      case InstructionClass::kFp32:
      case InstructionClass::kFp16:
      case InstructionClass::kInteger:
      case InstructionClass::kConversion:
      case InstructionClass::kSpecialFunction:
      case InstructionClass::kShuffle:
      case InstructionClass::kMove:
      case InstructionClass::kUniform: break;
      default: return {};
    }
    if (depth_ == kMostStagingDepth) return {};
    // A value that goes round a loop meets itself here, unfinished.
    const auto [known, added] = known_.try_emplace(instruction);
    if (!added) return known->second;
    ++depth_;
    const Origin origin = of_operands(instruction);
    --depth_;
    return known_[instruction] = origin;
  }

  Values& values_;
  const CodeFunction& function_;
  std::map<std::uint32_t, Origin> known_;
  unsigned depth_ = 0;
};

// Chains of conversions that depend on each other, block by block.
class ConversionChains {
 public:
  explicit ConversionChains(const CodeFunction& function)
      : function_(function), length_(kRegisterSlots), set_in_(kRegisterSlots) {}

  void begin_block() { ++visit_; }

  // The number of conversions up to this instruction; 0 where it is none.
  std::uint32_t follow(const Instruction& instruction, InstructionClass kind,
                       std::string_view mnemonic) {
    const bool converts = kind == InstructionClass::kConversion;
    const bool carries = mnemonic == "PRMT" || kind == InstructionClass::kMove;
    std::uint32_t length = 0;
    for (const Operand& operand : function_.operands_of(instruction)) {
      if (operand.use != OperandUse::kRead || !(converts || carries)) continue;
      for (unsigned i = 0; i < operand.count; ++i) {
        const RegisterSlot slot = slot_of(operand, i);
        if (slot != kNoSlot && set_in_[slot] == visit_) length = std::max(length, length_[slot]);
      }
    }
    if (converts) ++length;
    for (const Operand& operand : function_.operands_of(instruction)) {
      if (operand.use != OperandUse::kWritten) continue;
      for (unsigned i = 0; i < operand.count; ++i) {
        const RegisterSlot slot = slot_of(operand, i);
        if (slot == kNoSlot) continue;
        length_[slot] = length;
        set_in_[slot] = visit_;
      }
    }
    return converts ? length : 0;
  }

 private:
  const CodeFunction& function_;
  std::vector<std::uint32_t> length_;  // of the chain that ends in a register
  std::vector<std::uint32_t> set_in_;  // the visit of a block in which that was
  std::uint32_t visit_ = 0;
};

class StagingFinder {
 public:
  explicit StagingFinder(Values& values)
      : values_(values),
        function_(values.function()),
        flow_(values.flow()),
        origins_(values),
        chains_(function_) {}

  std::vector<Staging> find() {
    sort_blocks();
    find_fills();
    std::vector<Staging> found;
    for (const std::uint32_t loop : scopes()) {
      if (found.size() == kMostScopes) break;
      found.push_back(look_at(loop));
    }
    return found;
  }

 private:
  enum class Access : std::uint8_t { kNone, kStore, kRestage, kMaybeRestage, kResult, kFill };

  template <class Visit>
  void visit_instructions(std::uint32_t block, Visit&& visit) const {
    const FlowBlock& range = flow_.blocks[block];
    if (!range.reachable) return;
    for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
      if (!function_.instructions[i].guard.never()) visit(i);
    }
  }

  // Blocks by their innermost loop; those in none come last.
  void sort_blocks() {
    blocks_of_.resize(flow_.loops.size() + 1);
    for (std::uint32_t block = 0; block < flow_.blocks.size(); ++block) {
      const std::uint32_t loop = flow_.blocks[block].loop;
      blocks_of_[loop == kNoLoop ? flow_.loops.size() : loop].push_back(block);
    }
  }

  Access access_of(std::uint32_t instruction) {
    const InstructionClass kind = values_.trait(instruction).kind;
    const std::string_view mnemonic = mnemonic_of(values_.opcode(instruction));
    if (kind == InstructionClass::kAsyncCopy || mnemonic == "UTMALDG") return Access::kFill;
    if (mnemonic == "UBLKCP") {
      return values_.opcode(instruction).starts_with("UBLKCP.G") ? Access::kNone : Access::kFill;
    }
    if (kind != InstructionClass::kSharedStore) return Access::kNone;
    const Origin origin = origins_.of_operands(instruction);
    if (origin.tensor) return Access::kResult;
    if (origin.shared) return Access::kRestage;
    return origin.generic ? Access::kMaybeRestage : Access::kStore;
  }

  void find_fills() {
    fills_.assign(flow_.loops.size(), false);
    for (std::uint32_t block = 0; block < flow_.blocks.size(); ++block) {
      visit_instructions(block, [&](std::uint32_t i) {
        const std::uint32_t loop = flow_.blocks[block].loop;
        if (values_.trait(i).kind == InstructionClass::kTensor) {
          if (tensor_blocks_.empty() || tensor_blocks_.back() != block) {
            tensor_blocks_.push_back(block);
          }
        }
        const Access access = access_of(i);
        if (access == Access::kNone) return;
        accesses_.emplace(i, access);
        if (access == Access::kFill) ++async_fills_;
        if (access != Access::kResult && loop != kNoLoop) fills_[loop] = true;
      });
    }
    for (std::size_t loop = fills_.size(); loop-- > 0;) {
      const std::uint32_t parent = flow_.loops[loop].parent;
      if (parent != kNoLoop && fills_[loop]) fills_[parent] = true;
    }
  }

  std::set<std::uint32_t> scopes() const {
    // Outer loops come before inner ones.
    std::vector<std::uint32_t> scope_of(flow_.loops.size(), kNoLoop);
    for (std::uint32_t loop = 0; loop < scope_of.size(); ++loop) {
      const std::uint32_t parent = flow_.loops[loop].parent;
      scope_of[loop] = fills_[loop] ? loop : parent != kNoLoop ? scope_of[parent] : kNoLoop;
    }
    std::set<std::uint32_t> scopes;  // kNoLoop is the highest number
    for (const std::uint32_t block : tensor_blocks_) {
      const std::uint32_t loop = flow_.blocks[block].loop;
      scopes.insert(loop == kNoLoop ? kNoLoop : scope_of[loop]);
    }
    return scopes;
  }

  // Those of a loop, or of the function, from which a tensor instruction can be reached.
  std::vector<std::uint32_t> blocks_of(std::uint32_t loop) const {
    std::vector<std::uint32_t> blocks;
    if (loop != kNoLoop) {
      for (std::uint32_t each = loop; each < flow_.loops[loop].end; ++each) {
        blocks.insert(blocks.end(), blocks_of_[each].begin(), blocks_of_[each].end());
      }
      std::sort(blocks.begin(), blocks.end());
      return blocks;
    }
    std::vector<bool> met(flow_.blocks.size());
    std::vector<std::uint32_t> todo = tensor_blocks_;
    for (const std::uint32_t block : todo) met[block] = true;
    while (!todo.empty()) {
      const std::uint32_t block = todo.back();
      todo.pop_back();
      for (const FlowEdge& edge : flow_.predecessors(block)) {
        if (!met[edge.from]) todo.push_back(edge.from);
        met[edge.from] = true;
      }
    }
    for (std::uint32_t block = 0; block < met.size(); ++block) {
      if (met[block]) blocks.push_back(block);
    }
    return blocks;
  }

  static bool separates(std::string_view opcode) {
    const std::string_view mnemonic = mnemonic_of(opcode);
    return mnemonic == "BAR" || mnemonic == "UBAR" || mnemonic == "WARPSYNC" ||
           (mnemonic == "SYNCS" && has_part(opcode, "PHASECHK"));
  }

  // What is between two barriers.
  struct Phase {
    bool stores = false;
    bool restages = false;
    bool tensor = false;
  };

  Staging look_at(std::uint32_t loop) {
    Staging staging;
    if (loop != kNoLoop) staging.loop = loop;
    std::vector<Phase> phases(1);
    std::map<std::uint32_t, std::uint32_t> widths;
    for (const std::uint32_t block : blocks_of(loop)) {
      chains_.begin_block();
      visit_instructions(block, [&](std::uint32_t i) {
        const std::string_view name = values_.opcode(i);
        const OpcodeTrait& trait = values_.trait(i);
        if (separates(name)) phases.emplace_back();
        if (trait.kind == InstructionClass::kTensor) {
          ++staging.tensor;
          phases.back().tensor = true;
        }
        if (trait.kind == InstructionClass::kSharedLoad && !name.starts_with("LDSM")) {
          ++staging.shared_loads;
        }
        count_conversion(i, staging);
        const auto access = accesses_.find(i);
        if (access == accesses_.end()) return;
        if (access->second == Access::kResult) ++staging.result_stores;
        if (access->second == Access::kFill) ++staging.async_fills;
        if (access->second == Access::kResult || access->second == Access::kFill) return;
        ++staging.stores;
        ++widths[trait.width];
        phases.back().stores = true;
        if (access->second == Access::kMaybeRestage) ++staging.maybe_restaged;
        if (access->second == Access::kRestage) {
          ++staging.restaged;
          phases.back().restages = true;
        }
      });
    }
    for (const auto& [width, count] : widths) staging.store_widths.push_back({width, count});
    const bool filled_elsewhere = loop == kNoLoop && async_fills_ > 0;
    if (filled_elsewhere) staging.async_fills = async_fills_;
    staging.passes = filled_elsewhere ? 0 : passes(phases);
    return staging;
  }

  static std::uint32_t passes(const std::vector<Phase>& phases) {
    std::uint32_t stores = 0;
    std::uint32_t restages = 0;
    std::uint32_t tensors = 0;
    for (const Phase& phase : phases) {
      stores += phase.stores ? 1 : 0;
      restages += phase.restages ? 1 : 0;
      tensors += phase.tensor ? 1 : 0;
    }
    if (stores <= 1) return stores;
    const std::uint32_t first = stores > restages ? 1 : 0;
    return first + (restages + tensors - 1) / tensors;
  }

  void count_conversion(std::uint32_t instruction, Staging& staging) {
    const InstructionClass kind = values_.trait(instruction).kind;
    if (kind == InstructionClass::kConversion) ++staging.conversions;
    const std::uint32_t length = chains_.follow(function_.instructions[instruction], kind,
                                                mnemonic_of(values_.opcode(instruction)));
    if (length <= staging.longest_chain) return;
    staging.longest_chain = length;
    staging.chain_end = instruction;
  }

  Values& values_;
  const CodeFunction& function_;
  const Flow& flow_;
  OriginFinder origins_;
  ConversionChains chains_;
  std::vector<std::vector<std::uint32_t>> blocks_of_;  // by loop, one more for no loop
  std::vector<bool> fills_;                            // by loop: something fills shared memory
  std::vector<std::uint32_t> tensor_blocks_;
  std::map<std::uint32_t, Access> accesses_;  // by instruction
  std::uint32_t async_fills_ = 0;
};

}  // namespace

std::vector<Staging> find_staging(Values& values) { return StagingFinder(values).find(); }

std::vector<std::optional<std::uint32_t>> passes_by_loop(const std::vector<Staging>& found,
                                                         const Flow& flow) {
  std::vector<std::optional<std::uint32_t>> passes(flow.loops.size());
  std::vector<bool> open(flow.loops.size());
  for (const Staging& staging : found) {
    if (!staging.loop) continue;
    const FlowLoop& scope = flow.loops[*staging.loop];
    const auto add = [&](std::uint32_t loop) {
      passes[loop] = std::max(passes[loop].value_or(0), staging.passes);
      open[loop] = open[loop] || staging.maybe_restaged > 0;
    };
    for (std::uint32_t loop = *staging.loop; loop < scope.end; ++loop) add(loop);
    for (std::uint32_t loop = scope.parent; loop != kNoLoop; loop = flow.loops[loop].parent) {
      add(loop);
    }
  }
  for (std::uint32_t loop = 0; loop < passes.size(); ++loop) {
    if (open[loop]) passes[loop].reset();
  }
  return passes;
}

}  // namespace proofline

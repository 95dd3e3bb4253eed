// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/mbarriers.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace proofline {
namespace {

std::optional<MbarrierUse> use_of_syncs(std::string_view opcode) {
  if (has_part(opcode, "EXCH")) return MbarrierUse::kInit;
  // A1T0: one arrival, no bytes. Without it a register says how many bytes.
  if (has_part(opcode, "ARRIVE")) {
    return has_part(opcode, "A1T0") || has_part(opcode, "ART0") ? MbarrierUse::kArrive
                                                                : MbarrierUse::kExpect;
  }
  if (has_part(opcode, "PHASECHK")) return MbarrierUse::kWait;
  // The instruction that throws away cached barriers names none.
  if (has_part(opcode, "CCTL")) {
    return has_part(opcode, "IVALL") ? std::nullopt : std::optional(MbarrierUse::kInvalidate);
  }
  return MbarrierUse::kOther;
}

std::optional<MbarrierUse> use_of(std::string_view opcode) {
  const std::string_view mnemonic = mnemonic_of(opcode);
  if (mnemonic == "SYNCS") return use_of_syncs(opcode);
  if (mnemonic == "UTCBAR") return MbarrierUse::kCommit;
  if (mnemonic == "UTMALDG") return MbarrierUse::kCopy;
  // Copies to global memory end without an mbarrier.
  if (mnemonic == "UBLKCP" && !opcode.starts_with("UBLKCP.G")) return MbarrierUse::kCopy;
  if (mnemonic == "ATOMS" && has_part(opcode, "ARRIVE")) return MbarrierUse::kArrive;
  if (mnemonic == "ARRIVES") return MbarrierUse::kArrive;
  return std::nullopt;
}

std::string address_register_text(const Operand& operand) {
  return fmt::format("{}{}", operand.kind == OperandKind::kUniformRegister ? "UR" : "R",
                     operand.index);
}

constexpr std::uint32_t kBarrierBytes = 8;

class MbarrierFinder {
 public:
  MbarrierFinder(Values& values, const Roles& roles)
      : values_(values), function_(values.function()), flow_(values.flow()), roles_(roles) {}

  Mbarriers find() {
    for (std::uint32_t i = 0; i < function_.instructions.size(); ++i) {
      if (!flow_.blocks[flow_.block_of[i]].reachable) continue;
      if (const auto use = use_of(values_.opcode(i))) add(i, *use);
    }
    join_rings();
    for (Mbarrier& barrier : result_.barriers) mark_pair(barrier);
    return std::move(result_);
  }

 private:
  void add(std::uint32_t instruction, MbarrierUse use) {
    MbarrierAccess access;
    access.instruction = instruction;
    access.address = values_.function().instructions[instruction].address;
    access.use = use;
    const std::uint32_t role = roles_.role_of[flow_.block_of[instruction]];
    if (role != kNoRole) access.role = role;
    const std::optional<LinearValue> place = use == MbarrierUse::kCopy
                                                 ? copy_place(instruction, access.operand)
                                                 : address_place(instruction, access.operand);
    Mbarrier* barrier = place ? barrier_at(*place) : nullptr;
    (barrier != nullptr ? barrier->accesses : result_.unplaced).push_back(std::move(access));
  }

  // "[R5+URZ+0x90]"
  std::optional<LinearValue> address_place(std::uint32_t instruction, std::string& shown) {
    bool any = false;
    std::uint32_t displacement = 0;
    std::vector<Operand> registers;
    for (const Operand& operand : function_.operands_of(function_.instructions[instruction])) {
      if (operand.use != OperandUse::kAddress) continue;
      any = true;
      displacement += static_cast<std::uint32_t>(operand.value);
      if (slot_of(operand) == kNoSlot) continue;
      shown += (shown.empty() ? "" : "+") + address_register_text(operand);
      registers.push_back(operand);
    }
    // A decoded address without a register may well have one at a place that is not known.
    const bool decoded = function_.instructions[instruction].text_size == 0;
    if (!any || (decoded && shown.empty())) return std::nullopt;
    if (displacement != 0 || shown.empty()) {
      shown += fmt::format("{}{:#x}", shown.empty() ? "" : "+", displacement);
    }
    if (registers.size() == 1) {
      if (auto place = cluster_place(registers[0], instruction)) {
        place->constant += displacement;
        return place;
      }
    }
    return values_.address(instruction);
  }

  // An operand where an instruction reads it.
  struct Source {
    Operand operand;
    std::uint32_t instruction = 0;
  };

  // Where a barrier of the cluster is meant, its address in this block goes through a PRMT that
  // puts the other block's rank into the upper byte, and often through a SEL, an addition or a move
  // that hold only where the arrival itself is executed. What comes out is at the same place in
  // its block as what goes in. Nothing where the address takes no such way.
  std::optional<LinearValue> cluster_place(const Operand& operand, std::uint32_t instruction) {
    const Guard& guard = function_.instructions[instruction].guard;
    bool moved = false;
    std::uint32_t added = 0;
    Source at{operand, instruction};
    constexpr int kMostSteps = 8;
    for (int step = 0; step < kMostSteps; ++step) {
      const std::uint32_t writer = writer_of(at, guard);
      if (writer == Instruction::kNone) break;
      const auto read = read_under(writer, guard, instruction, moved);
      if (!read || slot_of(read->operand) == kNoSlot) break;
      moved = true;
      added += read->added;
      at = Source{read->operand, writer};
    }
    if (!moved) return std::nullopt;
    LinearValue place = values_.read(at.operand, at.instruction);
    place.constant += added;
    return place;
  }

  // The instruction that wrote it: the only one, or the last one in the block after the same
  // guard.
  std::uint32_t writer_of(const Source& read, const Guard& guard) {
    const RegisterSlot slot = slot_of(read.operand);
    const Reaching reaching = values_.definitions().before(slot, read.instruction);
    if (const std::uint32_t only = reaching.only(); only != Instruction::kNone) {
      const Guard& own = function_.instructions[only].guard;
      return own.always() || own == guard ? only : Instruction::kNone;
    }
    // Those in the block are before the read; the last one hides the others for these threads.
    const std::uint32_t first = flow_.blocks[flow_.block_of[read.instruction]].first;
    std::uint32_t last = Instruction::kNone;
    for (const std::uint32_t one : reaching.definitions) {
      if (one >= first && one < read.instruction) last = one;
    }
    const bool hides = last != Instruction::kNone && !guard.always() &&
                       function_.instructions[last].guard == guard &&
                       same_predicate(guard, last, read.instruction);
    return hides ? last : Instruction::kNone;
  }

  bool same_predicate(const Guard& guard, std::uint32_t a, std::uint32_t b) {
    const RegisterSlot slot = slot_of(guard);
    if (slot == kNoSlot) return true;
    const Reaching before_a = values_.definitions().before(slot, a);
    const Reaching before_b = values_.definitions().before(slot, b);
    return before_a.only() != Instruction::kNone && before_a.only() == before_b.only();
  }

  // The operand whose place the instruction's result has, or has but for what it adds, for threads
  // that pass the guard.
  struct PassedOn {
    Operand operand;
    std::uint32_t added = 0;
  };
  std::optional<PassedOn> read_under(std::uint32_t writer, const Guard& guard, std::uint32_t use,
                                     bool additions) {
    constexpr std::int64_t kRankOnTop = 0x654;  // three bytes of the last operand, one of the first
    const Instruction& one = function_.instructions[writer];
    const std::string_view mnemonic = mnemonic_of(values_.opcode(writer));
    const std::vector<Operand> reads = read_operands(function_, one);
    if (mnemonic == "PRMT" && reads.size() == 3 && reads[1].kind == OperandKind::kImmediate &&
        reads[1].value == kRankOnTop) {
      return PassedOn{reads[2]};
    }
    if (mnemonic == "MOV" && reads.size() == 1) return PassedOn{reads[0]};
    if (additions && mnemonic == "VIADD" && reads.size() == 2 &&
        reads[1].kind == OperandKind::kImmediate) {
      return PassedOn{reads[0], static_cast<std::uint32_t>(reads[1].value)};
    }
    if (mnemonic != "SEL" || reads.size() != 2 || !same_predicate(guard, writer, use)) return {};
    for (const Operand& operand : function_.operands_of(one)) {
      const bool chooses = is_predicate(operand.kind) && slot_of(operand) != kNoSlot &&
                           slot_of(operand) == slot_of(guard);
      if (chooses) return PassedOn{reads[operand.negated == guard.negated ? 0 : 1]};
    }
    return {};
  }

  // A copy takes a run of registers: the target in shared memory, then the barrier.
  std::optional<LinearValue> copy_place(std::uint32_t instruction, std::string& shown) {
    for (Operand operand : function_.operands_of(function_.instructions[instruction])) {
      if (operand.use != OperandUse::kAddress) continue;
      ++operand.index;
      if (slot_of(operand) == kNoSlot) return std::nullopt;
      shown = address_register_text(operand);
      return values_.read(operand, instruction);
    }
    return std::nullopt;
  }

  // Addresses that differ only in what changes from one iteration to the next are one ring. An
  // address without a loop-invariant part cannot be matched: null.
  Mbarrier* barrier_at(const LinearValue& place) {
    const bool ring = values_.varies(place);
    const LinearValue stable = values_.stable_part(place);
    if (ring && stable.terms.empty()) return nullptr;
    const std::string text = values_.text(stable);
    const auto [at, added] =
        by_place_.try_emplace(text, static_cast<std::uint32_t>(result_.barriers.size()));
    if (added) {
      result_.barriers.emplace_back().place = text;
      places_.push_back({stable, 0});
    }
    Mbarrier& barrier = result_.barriers[at->second];
    barrier.ring = barrier.ring || ring;
    if (ring) places_[at->second].stride = stride_of(place);
    return &barrier;
  }

  // From one slot of a ring to the next; 0 where the code does not tell.
  std::uint32_t stride_of(const LinearValue& place) const {
    std::uint32_t stride = 0;
    std::size_t varying = 0;
    for (const LinearValue::Term& term : place.terms) {
      if (!values_.symbol(term.symbol).varies) continue;
      stride = term.factor;
      ++varying;
    }
    return varying == 1 && stride % kBarrierBytes == 0 ? stride : 0;
  }

  // The slots of a ring are set up one by one, at addresses that do not change.
  void join_rings() {
    std::vector<std::uint32_t> moved_to(result_.barriers.size());
    std::iota(moved_to.begin(), moved_to.end(), 0U);
    for (std::uint32_t ring = 0; ring < places_.size(); ++ring) {
      if (!result_.barriers[ring].ring || places_[ring].stride == 0) continue;
      LinearValue slot = places_[ring].first;
      std::uint32_t slots = 1;
      for (;; ++slots) {
        slot.constant += places_[ring].stride;
        const auto found = by_place_.find(values_.text(slot));
        if (found == by_place_.end() || !only_set_up(result_.barriers[found->second])) break;
        moved_to[found->second] = ring;
      }
      if (slots > 1) result_.barriers[ring].slots = slots;
    }
    std::vector<Mbarrier> kept;
    for (std::uint32_t i = 0; i < moved_to.size(); ++i) {
      if (moved_to[i] == i) continue;
      std::vector<MbarrierAccess>& accesses = result_.barriers[moved_to[i]].accesses;
      for (MbarrierAccess& access : result_.barriers[i].accesses) {
        accesses.push_back(std::move(access));
      }
    }
    for (std::uint32_t i = 0; i < moved_to.size(); ++i) {
      if (moved_to[i] != i) continue;
      Mbarrier& barrier = kept.emplace_back(std::move(result_.barriers[i]));
      std::sort(barrier.accesses.begin(), barrier.accesses.end(),
                [](const MbarrierAccess& a, const MbarrierAccess& b) {
                  return a.instruction < b.instruction;
                });
    }
    result_.barriers = std::move(kept);
  }

  static bool only_set_up(const Mbarrier& barrier) {
    return !barrier.ring && std::all_of(barrier.accesses.begin(), barrier.accesses.end(),
                                        [](const MbarrierAccess& access) {
                                          return access.use == MbarrierUse::kInit ||
                                                 access.use == MbarrierUse::kInvalidate;
                                        });
  }

  static void mark_pair(Mbarrier& barrier) {
    bool arrival = false;
    bool wait = false;
    for (const MbarrierAccess& access : barrier.accesses) {
      arrival = arrival || arrives(access.use);
      wait = wait || access.use == MbarrierUse::kWait;
    }
    barrier.paired = arrival && wait;
  }

  Values& values_;
  const CodeFunction& function_;
  const Flow& flow_;
  const Roles& roles_;
  Mbarriers result_;
  struct Place {
    LinearValue first;  // without an index
    std::uint32_t stride = 0;
  };
  std::vector<Place> places_;  // as result_.barriers, until rings are joined
  std::unordered_map<std::string, std::uint32_t> by_place_;
};

}  // namespace

std::string_view to_string(MbarrierUse use) {
  switch (use) {
    case MbarrierUse::kInit: return "init";
    case MbarrierUse::kArrive: return "arrive";
    case MbarrierUse::kExpect: return "expect";
    case MbarrierUse::kCopy: return "copy";
    case MbarrierUse::kCommit: return "commit";
    case MbarrierUse::kWait: return "wait";
    case MbarrierUse::kInvalidate: return "invalidate";
    case MbarrierUse::kOther: return "other";
  }
  return "";
}

std::size_t Mbarriers::accesses() const {
  std::size_t count = unplaced.size();
  for (const Mbarrier& barrier : barriers) count += barrier.accesses.size();
  return count;
}

Mbarriers find_mbarriers(Values& values, const Roles& roles) {
  return MbarrierFinder(values, roles).find();
}

}  // namespace proofline

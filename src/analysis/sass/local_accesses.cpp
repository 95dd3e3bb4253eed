// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/local_accesses.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace proofline {
namespace {

constexpr RegisterSlot kStackPointerSlot = 1;  // R1, by the calling convention

constexpr std::int64_t kNoEnd = std::int64_t{1} << 32U;
constexpr unsigned kWordBits = 2;

// What an access says of itself; places are bytes from the stack pointer.
struct Sight {
  LocalAccess access;
  std::uint32_t root = 0;             // the function, of several in one section
  std::optional<std::int64_t> place;  // fixed
  std::optional<std::int64_t> array;  // where a computed address begins
  std::int64_t array_end = 0;
  RegisterSlot data = kNoSlot;  // the register that is stored or loaded
  bool last_use = false;        // LDL.LU: the value is not needed in memory any more
  bool saves_caller = false;
};

// What all accesses to one function's frame say together.
struct Frame {
  std::vector<std::pair<std::int64_t, std::int64_t>> arrays;  // begin and end
  std::set<std::int64_t> last_used;                           // places
  std::set<std::pair<std::int64_t, RegisterSlot>> saved;
  std::set<std::int64_t> stored;  // words
  std::set<std::int64_t> loaded;

  void add(const Sight& sight) {
    if (sight.array) arrays.emplace_back(*sight.array, sight.array_end);
    if (!sight.place) return;
    if (sight.last_use) last_used.insert(*sight.place);
    if (sight.saves_caller) saved.emplace(*sight.place, sight.data);
    for (std::int64_t at = 0; at < sight.access.bytes; at += 1U << kWordBits) {
      (sight.access.store ? stored : loaded).insert((*sight.place + at) >> kWordBits);
    }
  }

  // Ranges that overlap become one, so that a look-up is a search.
  void merge_arrays() {
    std::sort(arrays.begin(), arrays.end());
    std::vector<std::pair<std::int64_t, std::int64_t>> merged;
    for (const auto& [begin, end] : arrays) {
      if (!merged.empty() && begin < merged.back().second) {
        merged.back().second = std::max(merged.back().second, end);
      } else {
        merged.emplace_back(begin, end);
      }
    }
    arrays = std::move(merged);
  }

  // Where the array that a place is in ends; nothing where it is in none.
  std::optional<std::int64_t> array_end(std::int64_t place) const {
    const auto behind =
        std::upper_bound(arrays.begin(), arrays.end(), place,
                         [](std::int64_t at, const auto& array) { return at < array.first; });
    if (behind == arrays.begin() || place >= std::prev(behind)->second) return std::nullopt;
    return std::prev(behind)->second;
  }

  bool goes_both_ways(const Sight& sight) const {
    for (std::int64_t at = 0; at < sight.access.bytes; at += 1U << kWordBits) {
      const std::int64_t word = (*sight.place + at) >> kWordBits;
      if (stored.contains(word) && loaded.contains(word)) return true;
    }
    return false;
  }

  LocalUse use_of(const Sight& sight) const {
    if (!sight.place) return LocalUse::kArray;
    const bool restores = !sight.access.store && saved.contains({*sight.place, sight.data});
    if (sight.saves_caller || restores) return LocalUse::kCallFrame;
    if (last_used.contains(*sight.place)) return LocalUse::kSpill;
    const bool both = goes_both_ways(sight);
    if (const auto end = array_end(*sight.place)) {
      const bool bounded = *end < kNoEnd / 2;
      return bounded || !both ? LocalUse::kArray : LocalUse::kUnclear;
    }
    return both ? LocalUse::kSpill : LocalUse::kUnclear;
  }
};

class LocalAccessFinder {
 public:
  explicit LocalAccessFinder(Values& values)
      : values_(values), function_(values.function()), flow_(values.flow()) {}

  LocalAccesses find() {
    for (std::uint32_t i = 0; i < function_.instructions.size(); ++i) {
      const InstructionClass kind = values_.trait(i).kind;
      const bool store = kind == InstructionClass::kLocalStore;
      if (!store && kind != InstructionClass::kLocalLoad) continue;
      if (function_.instructions[i].guard.never()) continue;
      if (flow_.blocks[flow_.block_of[i]].reachable) look_at(i, store);
    }
    for (const Sight& sight : sights_) frames_[sight.root].add(sight);
    for (auto& [root, frame] : frames_) frame.merge_arrays();
    for (Sight& sight : sights_) {
      const Frame& frame = frames_[sight.root];
      sight.access.use = frame.use_of(sight);
      sight.access.may_spill =
          sight.access.use == LocalUse::kUnclear && frame.goes_both_ways(sight);
      count(sight.access);
    }
    return std::move(result_);
  }

 private:
  void look_at(std::uint32_t instruction, bool store) {
    Sight sight;
    sight.root = root_of(flow_.block_of[instruction]);
    sight.access.instruction = instruction;
    sight.access.store = store;
    sight.access.in_loop = flow_.blocks[flow_.block_of[instruction]].loop != kNoLoop;
    sight.access.bytes = values_.trait(instruction).width;
    sight.last_use = has_part(values_.opcode(instruction), "LU");
    find_place(instruction, sight);
    for (const Operand& operand : function_.operands_of(function_.instructions[instruction])) {
      if (operand.use != OperandUse::kAddress) sight.data = slot_of(operand);
    }
    sight.saves_caller = store && is_callers(sight, instruction);
    sights_.push_back(sight);
  }

  // The address less the stack pointer is a constant for a fixed place.
  void find_place(std::uint32_t instruction, Sight& sight) {
    const LinearValue address = values_.address(instruction);
    const LinearValue frame = values_.before(kStackPointerSlot, instruction);
    LinearValue rest = address;
    for (const LinearValue::Term& term : frame.terms) {
      const auto found = std::find(rest.terms.begin(), rest.terms.end(), term);
      if (found == rest.terms.end()) return;  // not on this frame, or hidden in another name
      rest.terms.erase(found);
    }
    const auto place =
        static_cast<std::int32_t>(address.constant - frame.constant);  // displacements are signed
    if (rest.terms.empty()) {
      sight.place = place;
      return;
    }
    sight.array = place;
    sight.array_end = place + std::int64_t{sight.access.bytes};
    for (const LinearValue::Term& term : rest.terms) {
      const std::uint32_t most = values_.symbol(term.symbol).most;
      const bool bounded = most != ~std::uint32_t{0} && term.factor <= 0xffffU;
      sight.array_end += bounded ? std::int64_t{most} * term.factor : kNoEnd;
    }
  }

  // Whether the register still holds what it held when a function was called; a kernel has no
  // caller.
  bool is_callers(const Sight& sight, std::uint32_t instruction) {
    if (sight.data == kNoSlot || (function_.entry && sight.root == 0)) return false;
    const Reaching reaching = values_.definitions().before(sight.data, instruction);
    return reaching.from_entry && reaching.definitions.empty() && reaching.complete;
  }

  // The last root before a block, as functions are one after the other.
  std::uint32_t root_of(std::uint32_t block) const {
    const auto behind = std::upper_bound(flow_.roots.begin(), flow_.roots.end(), block);
    return behind == flow_.roots.begin() ? 0 : *std::prev(behind);
  }

  void count(const LocalAccess& access) {
    LocalUseCounts& counts = result_.by_use[static_cast<std::size_t>(access.use)];
    const auto add = [&](LocalCount& to) {
      ++to.accesses;
      to.bytes += access.bytes;
    };
    add(access.store ? counts.stores : counts.loads);
    if (access.in_loop) add(access.store ? counts.stores_in_loops : counts.loads_in_loops);
    result_.accesses.push_back(access);
  }

  Values& values_;
  const CodeFunction& function_;
  const Flow& flow_;
  std::vector<Sight> sights_;
  std::map<std::uint32_t, Frame> frames_;  // by root
  LocalAccesses result_;
};

}  // namespace

bool LocalAccesses::knows_spills() const {
  return std::none_of(accesses.begin(), accesses.end(),
                      [](const LocalAccess& access) { return access.may_spill; });
}

std::string_view to_string(LocalUse use) {
  switch (use) {
    case LocalUse::kSpill: return "spill";
    case LocalUse::kArray: return "array";
    case LocalUse::kCallFrame: return "call frame";
    case LocalUse::kUnclear: break;
  }
  return "unclear";
}

LocalAccesses find_local_accesses(Values& values) { return LocalAccessFinder(values).find(); }

}  // namespace proofline

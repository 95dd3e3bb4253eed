// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "base/characters.h"

namespace proofline {
namespace {

// Moves or multiplies tiles; prefetching a descriptor or allocating tensor memory does not.
bool is_heavy(InstructionClass kind, std::string_view mnemonic) {
  switch (kind) {
    case InstructionClass::kTensor:
    case InstructionClass::kAsyncCopy: return true;
    case InstructionClass::kTensorMemory:
      return is_one_of(mnemonic, {"LDTM", "STTM", "LDT", "STT", "UTCCP"});
    case InstructionClass::kBulkCopy:
      return is_one_of(mnemonic, {"UTMALDG", "UTMASTG", "UTMAREDG", "UBLKCP", "UBLKRED"});
    default: return false;
  }
}

bool moves_data(InstructionClass kind) {
  return kind == InstructionClass::kGlobalLoad || kind == InstructionClass::kGlobalStore ||
         kind == InstructionClass::kSharedLoad || kind == InstructionClass::kSharedStore ||
         kind == InstructionClass::kGenericLoad || kind == InstructionClass::kGenericStore;
}

// What tells loading from storing.
struct Traffic {
  std::uint32_t fills = 0;   // copies into shared memory
  std::uint32_t loads = 0;   // from global memory to registers
  std::uint32_t stores = 0;  // to global memory, or from tensor memory on the way there

  void add(InstructionClass kind, std::string_view opcode) {
    const std::string_view mnemonic = mnemonic_of(opcode);
    // UBLKCP.G.S copies from shared to global memory, UBLKCP.S.G the other way.
    const bool bulk_store = opcode.starts_with("UBLKCP.G");
    if (kind == InstructionClass::kAsyncCopy || mnemonic == "UTMALDG" ||
        (mnemonic == "UBLKCP" && !bulk_store)) {
      ++fills;
    }
    if (kind == InstructionClass::kGlobalLoad) ++loads;
    if (kind == InstructionClass::kGlobalStore || bulk_store ||
        is_one_of(mnemonic, {"UTMASTG", "UTMAREDG", "UBLKRED", "LDTM", "LDT", "RED", "REDG"})) {
      ++stores;
    }
  }
};

RoleKind kind_of(const Role& role, const Traffic& traffic) {
  if (role.count(InstructionClass::kTensor) > 0) return RoleKind::kMma;
  if (traffic.fills > traffic.stores) return RoleKind::kLoad;
  if (traffic.stores > 0) return RoleKind::kEpilogue;  // it may well load a bias
  return traffic.loads > 0 ? RoleKind::kLoad : RoleKind::kOther;
}

// What a block does for roles.
struct BlockWork {
  bool heavy = false;
  bool data = false;  // loads or stores in a loop

  bool any() const { return heavy || data; }
};

// The tree of dominators: children after their parents, and intervals that answer dominance.
class DominatorTree {
 public:
  explicit DominatorTree(const Flow& flow) : first_(flow.blocks.size()), last_(flow.blocks.size()) {
    std::vector<std::vector<std::uint32_t>> children(flow.blocks.size());
    std::vector<std::uint32_t> todo;
    for (auto block = static_cast<std::uint32_t>(flow.blocks.size()); block-- > 0;) {
      if (!flow.blocks[block].reachable) continue;
      const std::uint32_t dominator = flow.blocks[block].dominator;
      (dominator == kNoBlock ? todo : children[dominator]).push_back(block);
    }
    while (!todo.empty()) {
      const std::uint32_t block = todo.back();
      todo.pop_back();
      first_[block] = last_[block] = static_cast<std::uint32_t>(order.size());
      order.push_back(block);
      todo.insert(todo.end(), children[block].begin(), children[block].end());
    }
    for (std::size_t i = order.size(); i-- > 0;) {
      const std::uint32_t dominator = flow.blocks[order[i]].dominator;
      if (dominator != kNoBlock) last_[dominator] = std::max(last_[dominator], last_[order[i]]);
    }
  }

  bool dominates(std::uint32_t a, std::uint32_t b) const {
    return first_[a] <= first_[b] && first_[b] <= last_[a];
  }

  std::vector<std::uint32_t> order;  // reachable blocks, dominators first

 private:
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> last_;
};

constexpr std::uint32_t kNoRegion = ~std::uint32_t{0};
constexpr std::size_t kMostPath = 160;

struct RoleRegion {
  std::uint32_t entry = 0;
  std::uint32_t parent = kNoRegion;
  ChoiceKind choice = ChoiceKind::kNone;
  std::string condition;
  std::optional<WarpSet> warps;  // for which the condition holds
  std::optional<std::uint32_t> registers;
  std::vector<std::uint32_t> children;
  bool works = false;        // by its own blocks, without the regions in it
  bool holds_roles = false;  // further in
  bool role = false;
};

class RoleFinder {
 public:
  RoleFinder(Values& values, const BlockShape& block)
      : values_(values),
        block_(block),
        function_(values.function()),
        flow_(values.flow()),
        tree_(flow_),
        work_(flow_.blocks.size()),
        region_of_(flow_.blocks.size(), kNoRegion) {
    result_.role_of.assign(flow_.blocks.size(), kNoRole);
  }

  Roles find() {
    measure_work();
    find_regions();
    if (regions_.size() < 3) return std::move(result_);  // the root and one more: no two roles
    choose_roles();
    name_roles();
    if (!specialised()) {
      result_.roles.clear();
      result_.role_of.assign(flow_.blocks.size(), kNoRole);
      return std::move(result_);
    }
    describe_roles();
    find_shared();
    find_barriers();
    judge();
    return std::move(result_);
  }

 private:
  template <class Visit>
  void visit_instructions(std::uint32_t block, Visit&& visit) const {
    const FlowBlock& range = flow_.blocks[block];
    for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
      if (!function_.instructions[i].guard.never()) visit(i);
    }
  }

  void measure_work() {
    for (const std::uint32_t block : tree_.order) {
      const bool in_loop = flow_.blocks[block].loop != kNoLoop;
      visit_instructions(block, [&](std::uint32_t i) {
        const InstructionClass kind = values_.trait(i).kind;
        if (is_heavy(kind, mnemonic_of(values_.opcode(i)))) work_[block].heavy = true;
        if (in_loop && moves_data(kind)) work_[block].data = true;
      });
    }
  }

  // Whether every path to `to` comes by this edge, or from after `to` itself.
  bool edge_dominates(const FlowEdge& edge) const {
    if (flow_.blocks[edge.to].dominator != edge.from) return false;
    std::size_t direct = 0;
    for (const FlowEdge& other : flow_.predecessors(edge.to)) {
      if (other.from == edge.from) {
        ++direct;
      } else if (flow_.blocks[other.from].reachable && !tree_.dominates(edge.to, other.from)) {
        return false;
      }
    }
    return direct == 1;
  }

  void find_regions() {
    regions_.emplace_back();  // the function
    std::vector<std::uint32_t> region_at(flow_.blocks.size(), kNoRegion);
    for (const std::uint32_t block : tree_.order) {
      const std::uint32_t dominator = flow_.blocks[block].dominator;
      region_of_[block] = dominator == kNoBlock ? 0 : region_of_[dominator];
      if (region_at[block] != kNoRegion) {
        RoleRegion& region = regions_[region_at[block]];
        region.parent = region_of_[block];
        regions_[region.parent].children.push_back(region_at[block]);
        region_of_[block] = region_at[block];
      }
      add_to_region(block);
      open_regions(block, region_at);
    }
  }

  void add_to_region(std::uint32_t block) {
    RoleRegion& region = regions_[region_of_[block]];
    // One thread is a role only if it does what one thread can do for all.
    const bool threads = region.choice == ChoiceKind::kThreads;
    if (threads ? work_[block].heavy : work_[block].any()) region.works = true;
    visit_instructions(block, [&](std::uint32_t i) {
      if (mnemonic_of(values_.opcode(i)) != "USETMAXREG") return;
      for (const Operand& operand : read_operands(function_, function_.instructions[i])) {
        if (operand.kind == OperandKind::kImmediate) {
          region.registers = static_cast<std::uint32_t>(operand.value);
        }
      }
    });
  }

  void open_regions(std::uint32_t block, std::vector<std::uint32_t>& region_at) {
    const auto edges = flow_.successors(block);
    const std::uint32_t last = flow_.blocks[block].first + flow_.blocks[block].count - 1;
    const FlowKind kind = flow_kind(values_.opcode(last));
    const bool forks = kind == FlowKind::kBranch || kind == FlowKind::kIndirect ||
                       (kind == FlowKind::kExit && !edges.empty());
    if (!forks) return;
    std::optional<WarpChoice> choice;
    std::uint32_t way = 0;
    for (const FlowEdge& edge : edges) {
      ++way;
      if (!edge_dominates(edge)) continue;
      if (!choice) choice = warp_choice(values_, last, block_);
      if (choice->kind != ChoiceKind::kWarp && choice->kind != ChoiceKind::kThreads) return;
      if (choice->bound && guards_strided_loop(block, *choice->bound)) return;
      RoleRegion region;
      region.entry = edge.to;
      region.choice = choice->kind;
      switch (edge.kind) {
        case EdgeKind::kTaken:
          region.condition = choice->taken;
          region.warps = choice->taken_by;
          break;
        case EdgeKind::kFallThrough:
          region.condition = choice->not_taken;
          region.warps = choice->not_taken_by;
          break;
        case EdgeKind::kIndirect:
          region.condition = fmt::format("way {} of the branch on the warp at {:#x}", way,
                                         function_.instructions[last].address);
      }
      region_at[edge.to] = static_cast<std::uint32_t>(regions_.size());
      regions_.push_back(std::move(region));
    }
  }

  // Whether a loop after the test counts on from the thread's index up to the same bound.
  bool guards_strided_loop(std::uint32_t block, std::uint32_t bound) {
    for (std::uint32_t loop = 0; loop < flow_.loops.size(); ++loop) {
      const FlowLoop& one = flow_.loops[loop];
      if (flow_.in_loop(block, loop) || !tree_.dominates(block, one.header)) continue;
      for (const std::uint32_t latch : one.latches) {
        if (counts_from_thread(latch, loop, bound)) return true;
      }
    }
    return false;
  }

  bool counts_from_thread(std::uint32_t latch, std::uint32_t loop, std::uint32_t bound) {
    const std::uint32_t branch = flow_.blocks[latch].first + flow_.blocks[latch].count - 1;
    const RegisterSlot guard = slot_of(function_.instructions[branch].guard);
    if (guard == kNoSlot) return false;
    const std::uint32_t test = values_.definitions().before(guard, branch).only();
    if (test == Instruction::kNone) return false;
    bool same_bound = false;
    bool from_thread = false;
    for (const Operand& operand : read_operands(function_, function_.instructions[test])) {
      if (operand.kind == OperandKind::kImmediate) {
        same_bound = same_bound || static_cast<std::uint32_t>(operand.value) == bound;
      } else if (slot_of(operand) != kNoSlot) {
        from_thread = from_thread || starts_at_thread(slot_of(operand), test, loop);
      }
    }
    return same_bound && from_thread;
  }

  // Whether what a counter holds was made, in the loop, from what the thread's index was before it.
  bool starts_at_thread(RegisterSlot counter, std::uint32_t at, std::uint32_t loop) {
    for (const std::uint32_t step : values_.definitions().before(counter, at).definitions) {
      for (const Operand& operand : read_operands(function_, function_.instructions[step])) {
        if (slot_of(operand) == kNoSlot) continue;
        for (const std::uint32_t start :
             values_.definitions().before(slot_of(operand), step).definitions) {
          if (flow_.in_loop(flow_.block_of[start], loop)) continue;
          if (values_.spread(values_.result(start)) == Spread::kThread) return true;
        }
      }
    }
    return false;
  }

  void choose_roles() {
    // Regions come after those that they are in.
    for (std::size_t i = regions_.size(); i-- > 0;) {
      RoleRegion& around = regions_[i];
      std::set<std::string_view> conditions;
      for (const std::uint32_t child : around.children) {
        const RoleRegion& region = regions_[child];
        if (region.works || region.holds_roles) conditions.insert(region.condition);
        around.holds_roles = around.holds_roles || region.holds_roles;
      }
      // One warp that helps itself to a part of the common work has no role of its own.
      const bool splits = conditions.size() > 1 || around.holds_roles || !around.works;
      for (const std::uint32_t child : around.children) {
        RoleRegion& region = regions_[child];
        if (!region.works) continue;
        if (splits) {
          region.role = true;
          around.holds_roles = true;
        } else {
          around.works = true;
        }
      }
    }
  }

  // Whether nothing that holds for the code around it can narrow the condition down.
  static bool names_one_warp(std::string_view condition) {
    return (condition.starts_with("warp == ") || condition.starts_with("tid == ")) &&
           condition.find(" or ") == std::string_view::npos;
  }

  // "warp != 8 and warp < 4"
  std::string path_of(std::uint32_t region) const {
    std::string path = regions_[region].condition;
    for (std::uint32_t up = regions_[region].parent; up != 0; up = regions_[up].parent) {
      if (names_one_warp(path)) break;
      if (path.size() > kMostPath) return "... and " + path;
      path.insert(0, regions_[up].condition + " and ");
    }
    return path;
  }

  // Nothing where one of the conditions does not tell, unless a single warp is left.
  std::optional<std::uint32_t> warps_of(std::uint32_t region) const {
    std::optional<WarpSet> warps = regions_[region].warps;
    for (std::uint32_t up = regions_[region].parent; warps && up != 0; up = regions_[up].parent) {
      if (warps->count() == 1) break;
      warps = regions_[up].warps ? std::optional(*warps & *regions_[up].warps) : std::nullopt;
    }
    if (!warps || warps->none()) return std::nullopt;
    return static_cast<std::uint32_t>(warps->count());
  }

  void name_roles() {
    std::map<std::string, std::uint32_t> by_condition;
    std::vector<std::uint32_t> role_of_region(regions_.size(), kNoRole);
    for (std::uint32_t at = 1; at < regions_.size(); ++at) {
      RoleRegion& region = regions_[at];
      role_of_region[at] = role_of_region[region.parent];
      if (!region.registers) region.registers = regions_[region.parent].registers;
      if (!region.role) continue;
      const std::string path = path_of(at);
      const auto [role, added] =
          by_condition.emplace(path, static_cast<std::uint32_t>(result_.roles.size()));
      if (added) result_.roles.emplace_back().condition = path;
      if (added) result_.roles.back().warps = warps_of(at);
      result_.roles[role->second].entries.push_back(region.entry);
      role_of_region[at] = role->second;
      auto& registers = result_.roles[role->second].registers;
      if (!registers) registers = region.registers;
    }
    for (const std::uint32_t block : tree_.order) {
      result_.role_of[block] = role_of_region[region_of_[block]];
    }
  }

  bool specialised() const {
    if (result_.roles.size() < 2) return false;
    return std::any_of(tree_.order.begin(), tree_.order.end(), [&](std::uint32_t block) {
      const std::uint32_t role = result_.role_of[block];
      if (role == kNoRole) return false;
      const std::uint32_t loop = flow_.blocks[block].loop;
      const bool own_loop = loop != kNoLoop && result_.role_of[flow_.loops[loop].header] == role;
      return work_[block].heavy || (work_[block].data && own_loop);
    });
  }

  void describe_roles() {
    std::vector<Traffic> traffic(result_.roles.size());
    for (const std::uint32_t block : tree_.order) {
      const std::uint32_t at = result_.role_of[block];
      if (at == kNoRole) continue;
      Role& role = result_.roles[at];
      visit_instructions(block, [&](std::uint32_t i) {
        const InstructionClass kind = values_.trait(i).kind;
        ++role.instructions;
        ++role.by_class[static_cast<std::size_t>(kind)];
        traffic[at].add(kind, values_.opcode(i));
      });
    }
    for (std::size_t i = 0; i < result_.roles.size(); ++i) {
      Role& role = result_.roles[i];
      std::sort(role.entries.begin(), role.entries.end());
      role.kind = kind_of(role, traffic[i]);
    }
  }

  bool is_entry(std::uint32_t block) const {
    const std::uint32_t region = region_of_[block];
    return regions_[region].role && regions_[region].entry == block;
  }

  // Blocks that several roles reach. Each block's mark changes at most twice: nothing, one role,
  // several.
  void find_shared() {
    constexpr std::uint32_t kSeveral = kNoRole - 1;
    std::vector<std::uint32_t> from = result_.role_of;
    std::vector<bool> shared(flow_.blocks.size());
    std::vector<std::uint32_t> todo;
    for (const std::uint32_t block : tree_.order) {
      if (from[block] != kNoRole) todo.push_back(block);
    }
    while (!todo.empty()) {
      const std::uint32_t block = todo.back();
      todo.pop_back();
      for (const FlowEdge& edge : flow_.successors(block)) {
        const std::uint32_t known = from[edge.to];
        if (is_entry(edge.to) || known == from[block] || known == kSeveral) continue;
        shared[edge.to] = known != kNoRole || from[block] == kSeveral;
        from[edge.to] = shared[edge.to] ? kSeveral : from[block];
        todo.push_back(edge.to);
      }
    }
    const std::vector<bool> returns = before_entries();
    const auto goes_on = [&](std::uint32_t block) { return returns[block] || work_[block].any(); };
    // The end of the kernel is shared by nature, unless work is left to do there.
    for (std::uint32_t block = 0; block < shared.size(); ++block) {
      if (shared[block] && goes_on(block)) result_.shared.push_back(block);
    }
  }

  // From where some role's entry can be reached.
  std::vector<bool> before_entries() const {
    std::vector<bool> before(flow_.blocks.size());
    std::vector<std::uint32_t> todo;
    for (const Role& role : result_.roles) {
      todo.insert(todo.end(), role.entries.begin(), role.entries.end());
    }
    while (!todo.empty()) {
      const std::uint32_t block = todo.back();
      todo.pop_back();
      for (const FlowEdge& edge : flow_.predecessors(block)) {
        if (before[edge.from]) continue;
        before[edge.from] = true;
        todo.push_back(edge.from);
      }
    }
    return before;
  }

  static bool is_barrier(std::string_view opcode) {
    const std::string_view mnemonic = mnemonic_of(opcode);
    return is_one_of(mnemonic, {"BAR", "UBAR", "UCGABAR_ARV", "UCGABAR_WAIT"});
  }

  void find_barriers() {
    using Key = std::tuple<bool, std::optional<std::uint32_t>, std::optional<std::uint32_t>>;
    std::map<Key, RoleBarrier> barriers;
    std::set<const RoleBarrier*> come_to_all;  // in code that the roles share
    for (const std::uint32_t block : tree_.order) {
      const bool common = std::binary_search(result_.shared.begin(), result_.shared.end(), block);
      const std::uint32_t role = result_.role_of[block];
      if (role == kNoRole && !common) continue;
      visit_instructions(block, [&](std::uint32_t i) {
        const std::string_view name = values_.opcode(i);
        if (!is_barrier(name)) return;
        RoleBarrier one;
        one.cluster = name.starts_with("UCGABAR");
        read_barrier(i, one);
        if (!one.cluster && !one.number) {
          ++result_.unknown_barriers;
          return;
        }
        RoleBarrier& known =
            barriers.emplace(Key(one.cluster, one.number, one.threads), one).first->second;
        known.in_loop = known.in_loop || flow_.blocks[block].loop != kNoLoop;
        known.instructions.push_back(i);
        if (common) {
          come_to_all.insert(&known);
        } else {
          known.roles.push_back(role);
        }
      });
    }
    for (auto& [key, barrier] : barriers) {
      auto& roles = barrier.roles;
      if (come_to_all.contains(&barrier)) {
        roles.resize(result_.roles.size());
        std::iota(roles.begin(), roles.end(), 0U);
      }
      std::sort(roles.begin(), roles.end());
      roles.erase(std::unique(roles.begin(), roles.end()), roles.end());
      std::sort(barrier.instructions.begin(), barrier.instructions.end());
      if (roles.size() > 1) result_.barriers.push_back(std::move(barrier));
    }
  }

  // "BAR.SYNC 0x1, 0x80": number, threads.
  void read_barrier(std::uint32_t instruction, RoleBarrier& barrier) {
    const std::vector<Operand> operands =
        read_operands(function_, function_.instructions[instruction]);
    const auto known = [&](std::size_t at) -> std::optional<std::uint32_t> {
      if (at >= operands.size()) return std::nullopt;
      const LinearValue value = values_.read(operands[at], instruction);
      return value.is_constant() ? std::optional(value.constant) : std::nullopt;
    };
    barrier.number = known(0);
    barrier.threads = known(1);
    if (barrier.threads == 0U) barrier.threads.reset();  // an encoding's way to say: all
  }

  // Whether the whole block waits there, again and again.
  static bool joins(const RoleBarrier& barrier) {
    const bool whole = barrier.cluster || (barrier.number == 0U && !barrier.threads);
    return whole && barrier.in_loop;
  }

  void judge() {
    const bool joined = !result_.shared.empty() ||
                        std::any_of(result_.barriers.begin(), result_.barriers.end(), joins);
    result_.verdict = joined ? RoleVerdict::kJoined : RoleVerdict::kSeparate;
  }

  Values& values_;
  const BlockShape& block_;
  const CodeFunction& function_;
  const Flow& flow_;
  DominatorTree tree_;
  std::vector<BlockWork> work_;           // by block
  std::vector<std::uint32_t> region_of_;  // the innermost, by block
  std::vector<RoleRegion> regions_;       // the first is the function
  Roles result_;
};

}  // namespace

std::string_view to_string(RoleKind kind) {
  switch (kind) {
    case RoleKind::kLoad: return "load";
    case RoleKind::kMma: return "mma";
    case RoleKind::kEpilogue: return "epilogue";
    case RoleKind::kOther: return "other";
  }
  return "";
}

RoleTime Roles::time_of(RoleKind kind) const {
  RoleTime sum;
  for (const Role& role : roles) {
    if (role.kind != kind || !role.sampled) continue;
    sum.samples += role.sampled->samples;
    sum.waiting += role.sampled->waiting;
  }
  return sum;
}

std::string_view to_string(RoleVerdict verdict) {
  switch (verdict) {
    case RoleVerdict::kNone: return "none";
    case RoleVerdict::kSeparate: return "separate";
    case RoleVerdict::kJoined: return "joined";
    case RoleVerdict::kUnknown: return "unknown";
  }
  return "";
}

Roles find_roles(Values& values, const BlockShape& block) {
  return RoleFinder(values, block).find();
}

}  // namespace proofline

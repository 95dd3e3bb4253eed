// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/waits.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "analysis/sass/wait_opcodes.h"
#include "arch/mnemonics.h"
#include "vocabulary/stall_reasons.h"

namespace proofline {
namespace {

// How far it looks for a producer, in instructions.
constexpr std::size_t kMostWaitSteps = 1U << 15U;
// A producer that ran so many times less often than who waits is not the one: of a few paths each
// has a share, but what ran once before a loop was waited for in its first round only.
constexpr std::uint64_t kMuchRarer = 8;

bool names_register(const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::kRegister:
    case OperandKind::kUniformRegister: return operand.index != Operand::kZero;
    case OperandKind::kPredicate:
    case OperandKind::kUniformPredicate: return operand.index != Operand::kTrue;
    default: return false;
  }
}

bool overlap(const Operand& a, const Operand& b) {
  return a.kind == b.kind && names_register(a) && names_register(b) &&
         a.index < b.index + b.count && b.index < a.index + a.count;
}

// What it means that no producer is found; "" where warps wait for none: for their turn, for a
// pipe, for a fixed time.
std::string_view nothing_before(std::optional<Stall> reason) {
  if (!reason) return "";
  switch (*reason) {
    case Stall::kBarrier: return "no barrier comes before it";
    case Stall::kMembar: return "no fence comes before it";
    case Stall::kGmma: return "no tensor instruction was issued before it";
    case Stall::kSleeping: return "no mbarrier is asked before it sleeps";
    case Stall::kDrain: return "it does not follow an EXIT";
    case Stall::kLongScoreboard:
    case Stall::kShortScoreboard: return "it awaits no scoreboard that the code before it sets";
    default: return "";
  }
}

class WaitTracer {
 public:
  WaitTracer(const CodeFunction& function, const Flow& flow, const OpcodeNames& opcodes,
             const ExecutionCounts& executed, std::uint32_t from)
      : function_(function), flow_(flow), opcodes_(opcodes), executed_(executed), from_(from) {
    const Instruction& instruction = function.instructions[from];
    for (const Operand& operand : function.operands_of(instruction)) {
      if (!names_register(operand)) continue;
      (operand.use == OperandUse::kWritten ? written_ : read_).push_back(operand);
    }
    const Operand guard = operand_of(instruction.guard);
    if (names_register(guard)) read_.push_back(guard);
  }

  TracedWaits trace(std::optional<Stall> reason);

 private:
  using Waits = std::vector<Wait>;

  std::string_view opcode(std::uint32_t i) const {
    return opcodes_[function_.instructions[i].opcode];
  }
  InstructionClass kind(std::uint32_t i) const { return instruction_class(opcode(i)); }
  Control control(std::uint32_t i) const { return control_of(function_.encodings[i]); }
  bool has_encodings() const { return !function_.encodings.empty(); }

  std::optional<std::uint64_t> executed(std::uint32_t i) const {
    return executed_.empty() ? std::nullopt : executed_[i];
  }
  bool much_rarer(std::uint32_t i) const;
  bool goes_round(std::uint32_t loop) const;
  bool taken(const FlowEdge& edge) const;

  // Goes back along all paths that lead to the instruction `from`, the nearest blocks first and
  // each once. The visitor says whether its path goes on.
  template <class Visit>
  void walk_back(std::uint32_t from, Visit&& visit) const;
  // The nearest one before `from` on each path.
  template <class Is>
  std::vector<std::uint32_t> nearest(std::uint32_t from, Is&& is) const;

  // The operand of an instruction that shares a register with the given one.
  const Operand* sharing(std::uint32_t i, bool written, const Operand& operand) const;
  bool find_carrier(Wait& wait) const;
  std::uint32_t scoreboards_awaited(std::uint32_t i) const;

  void trace_scoreboard(std::uint8_t scoreboard, Waits& waits) const;
  Waits trace_registers() const;
  void trace_register(const Operand& operand, Waits& waits) const;
  Waits loads_answered_in_order(const Waits& setters) const;
  // What an instruction waits for that is itself a wait: barriers, fences, groups.
  Waits trace_wait(std::uint32_t i) const;
  Waits trace_group(std::uint32_t i) const;
  Waits copies_of_group(std::uint32_t end) const;
  Waits trace_tensor() const;
  Waits trace_scoreboards(std::optional<Stall> reason) const;
  Waits trace_reason(std::optional<Stall> reason) const;
  bool closes_group(std::uint32_t i, std::uint32_t wait) const;
  std::size_t allowed_by(std::uint32_t wait) const;
  std::optional<std::uint32_t> choose_group(const std::vector<std::uint32_t>& groups,
                                            std::uint32_t wait) const;
  Waits behind(bool (*is)(std::string_view)) const;
  Waits trace_sleep() const;
  Waits trace_end() const;

  const CodeFunction& function_;
  const Flow& flow_;
  const OpcodeNames& opcodes_;
  const ExecutionCounts& executed_;
  const std::uint32_t from_;
  std::vector<Operand> read_;  // by the instruction, its guard too
  std::vector<Operand> written_;
};

bool WaitTracer::much_rarer(std::uint32_t i) const {
  const auto its = executed(i);
  const auto mine = executed(from_);
  return its && mine && *its < *mine / kMuchRarer;
}

// Whether its back edges were taken, as far as executions tell.
bool WaitTracer::goes_round(std::uint32_t loop) const {
  const auto& latches = flow_.loops[loop].latches;
  const bool never = std::all_of(latches.begin(), latches.end(), [&](std::uint32_t latch) {
    return executed(flow_.blocks[latch].first + flow_.blocks[latch].count - 1) == 0U;
  });
  if (never) return false;
  const std::uint32_t header = flow_.loops[loop].header;
  const auto rounds = executed(flow_.blocks[header].first);
  if (!rounds) return true;
  std::uint64_t entered = 0;
  for (const FlowEdge& edge : flow_.predecessors(header)) {
    if (flow_.in_loop(edge.from, loop)) continue;
    const FlowBlock& block = flow_.blocks[edge.from];
    const auto count = executed(block.first + block.count - 1);
    // Who also goes elsewhere does not tell how often it came here.
    if (!count || flow_.successors(edge.from).size() > 1) return true;
    entered += *count;
  }
  return *rounds > entered;
}

bool WaitTracer::taken(const FlowEdge& edge) const {
  const FlowBlock& from = flow_.blocks[edge.from];
  if (executed(from.first + from.count - 1) == 0U) return false;
  const std::uint32_t loop = flow_.blocks[edge.to].loop;
  const bool back =
      loop != kNoLoop && flow_.loops[loop].header == edge.to && flow_.in_loop(edge.from, loop);
  if (back) return goes_round(loop);
  // Not where every warp went the other way.
  if (flow_.predecessors(edge.to).size() == 1) return true;
  const auto left = executed(from.first + from.count - 1);
  const auto others = flow_.successors(edge.from);
  return std::none_of(others.begin(), others.end(), [&](const FlowEdge& other) {
    const auto came = executed(flow_.blocks[other.to].first);
    return other.to != edge.to && flow_.predecessors(other.to).size() == 1 && left && came &&
           *came >= *left;
  });
}

template <class Visit>
void WaitTracer::walk_back(std::uint32_t from, Visit&& visit) const {
  std::size_t steps = 0;
  const auto passes = [&](std::uint32_t first, std::uint32_t end) {
    while (end-- > first) {
      if (++steps > kMostWaitSteps || !visit(end)) return false;
    }
    return true;
  };
  const std::uint32_t start = flow_.block_of[from];
  std::vector<std::uint32_t> queue;
  std::unordered_set<std::uint32_t> seen;
  const auto add_predecessors = [&](std::uint32_t block) {
    for (const FlowEdge& edge : flow_.predecessors(block)) {
      if (taken(edge) && seen.insert(edge.from).second) queue.push_back(edge.from);
    }
  };
  if (passes(flow_.blocks[start].first, from)) add_predecessors(start);
  for (std::size_t next = 0; next < queue.size() && steps <= kMostWaitSteps; ++next) {
    const std::uint32_t block = queue[next];
    const FlowBlock& range = flow_.blocks[block];
    // Back in the first block, what is before `from` has been seen.
    const std::uint32_t first = block == start ? from : range.first;
    if (passes(first, range.first + range.count) && block != start) add_predecessors(block);
  }
}

template <class Is>
std::vector<std::uint32_t> WaitTracer::nearest(std::uint32_t from, Is&& is) const {
  std::vector<std::uint32_t> found;
  walk_back(from, [&](std::uint32_t i) {
    if (!is(i)) return true;
    found.push_back(i);
    return false;
  });
  return found;
}

const Operand* WaitTracer::sharing(std::uint32_t i, bool written, const Operand& operand) const {
  for (const Operand& other : function_.operands_of(function_.instructions[i])) {
    if ((other.use == OperandUse::kWritten) == written && overlap(other, operand)) return &other;
  }
  return nullptr;
}

bool WaitTracer::find_carrier(Wait& wait) const {
  const bool result = wait.via == Wait::Via::kResult;
  for (const Operand& mine : result ? read_ : written_) {
    const Operand* theirs = sharing(wait.producer, result, mine);
    if (theirs == nullptr) continue;
    wait.kind = mine.kind;
    wait.index = std::max(mine.index, theirs->index);
    return true;
  }
  return false;
}

// A bit for each scoreboard that counts nothing any more when the instruction issues.
std::uint32_t WaitTracer::scoreboards_awaited(std::uint32_t i) const {
  std::uint32_t awaited = control(i).wait_mask;
  if (is_scoreboard_wait(opcode(i))) awaited |= ScoreboardWait(function_.encodings[i]).others;
  return awaited;
}

// A scoreboard counts, so all that set it since somebody last waited for it must be done.
void WaitTracer::trace_scoreboard(std::uint8_t scoreboard, Waits& waits) const {
  Waits setters;
  walk_back(from_, [&](std::uint32_t i) {
    const Control its = control(i);
    if (its.write_barrier == scoreboard) {
      setters.push_back({Wait::Via::kResult, i, scoreboard});
    } else if (its.read_barrier == scoreboard) {
      setters.push_back({Wait::Via::kOperands, i, scoreboard});
    }
    return (scoreboards_awaited(i) >> scoreboard & 1U) == 0;
  });
  Waits carriers;
  for (Wait& setter : setters) {
    if (find_carrier(setter)) carriers.push_back(setter);
  }
  if (carriers.empty()) carriers = loads_answered_in_order(setters);
  const Waits& chosen = carriers.empty() ? setters : carriers;
  waits.insert(waits.end(), chosen.begin(), chosen.end());
}

// Of loads that one unit answers in order, only the last sets a scoreboard for all.
WaitTracer::Waits WaitTracer::loads_answered_in_order(const Waits& setters) const {
  Waits found;
  if (setters.empty()) return found;
  for (Wait& wait : trace_registers()) {
    const bool same_unit = std::any_of(setters.begin(), setters.end(), [&](const Wait& setter) {
      return kind(setter.producer) == kind(wait.producer);
    });
    if (!same_unit || control(wait.producer).write_barrier != Control::kNoBarrier) continue;
    wait.scoreboard = setters.front().scoreboard;
    found.push_back(wait);
  }
  return found;
}

void WaitTracer::trace_register(const Operand& operand, Waits& waits) const {
  walk_back(from_, [&](std::uint32_t i) {
    if (sharing(i, true, operand) == nullptr) return true;
    const bool known = std::any_of(waits.begin(), waits.end(),
                                   [&](const Wait& wait) { return wait.producer == i; });
    if (!known) {
      waits.push_back({Wait::Via::kResult, i, Control::kNoBarrier, operand.kind, operand.index});
    }
    return !function_.instructions[i].guard.always();
  });
}

// Those that wrote what the instruction reads; the slow ones alone, where there are any.
WaitTracer::Waits WaitTracer::trace_registers() const {
  Waits waits;
  for (Operand operand : read_) {
    const unsigned end = std::min<unsigned>(operand.index + operand.count, Operand::kZero);
    operand.count = 1;
    for (; operand.index < end; ++operand.index) trace_register(operand, waits);
  }
  const auto slow = std::stable_partition(
      waits.begin(), waits.end(), [&](const Wait& wait) { return is_slow(opcode(wait.producer)); });
  if (slow != waits.begin()) waits.erase(slow, waits.end());
  return waits;
}

// Whether it closes a group of those that the instruction `wait` waits for.
bool WaitTracer::closes_group(std::uint32_t i, std::uint32_t wait) const {
  const std::string_view name = opcode(i);
  if (is_tensor_wait(opcode(wait))) {
    if (!is_gmma(name)) return false;
    constexpr unsigned kNoGroup = 7;
    if (has_encodings()) return (function_.encodings[i].high >> 20U & 7U) != kNoGroup;
    return function_.text_of(function_.instructions[i]).find("gsb") != std::string_view::npos;
  }
  if (!has_encodings()) return name == "LDGDEPBAR" || name == "UTMACMDFLUSH";
  const auto counted = ScoreboardWait(function_.encodings[wait]).counted;
  return counted && (control(i).write_barrier == *counted || control(i).read_barrier == *counted);
}

// How many groups may go on after a wait: its last operand.
std::size_t WaitTracer::allowed_by(std::uint32_t wait) const {
  std::size_t allowed = 0;
  for (const Operand& operand : function_.operands_of(function_.instructions[wait])) {
    if (operand.kind == OperandKind::kImmediate && operand.value > 0) {
      allowed = static_cast<std::size_t>(operand.value);
    }
  }
  return allowed;
}

// The youngest groups may go on. In a loop they come from earlier rounds of it, and a loop before
// the wait may have closed any number. Nothing where all are allowed.
std::optional<std::uint32_t> WaitTracer::choose_group(const std::vector<std::uint32_t>& groups,
                                                      std::uint32_t wait) const {
  const std::size_t allowed = allowed_by(wait);
  const std::uint32_t loop = flow_.blocks[flow_.block_of[wait]].loop;
  std::vector<std::uint32_t> in_loop;
  for (const std::uint32_t group : groups) {
    if (loop != kNoLoop && flow_.in_loop(flow_.block_of[group], loop)) in_loop.push_back(group);
  }
  if (!in_loop.empty() && goes_round(loop)) return in_loop[allowed % in_loop.size()];
  if (allowed < groups.size()) return groups[allowed];
  const auto in_earlier_loop = std::find_if(groups.begin(), groups.end(), [&](std::uint32_t group) {
    const std::uint32_t its = flow_.blocks[flow_.block_of[group]].loop;
    return its != kNoLoop && goes_round(its);
  });
  return in_earlier_loop != groups.end() ? std::optional(*in_earlier_loop) : std::nullopt;
}

WaitTracer::Waits WaitTracer::trace_group(std::uint32_t i) const {
  std::vector<std::uint32_t> groups;
  walk_back(i, [&](std::uint32_t earlier) {
    if (closes_group(earlier, i)) groups.push_back(earlier);
    return true;
  });
  const auto group = choose_group(groups, i);
  if (!group) return {};
  // These two close a group of instructions that are the ones to look at.
  const bool closes = opcode(*group) == "LDGDEPBAR" || opcode(*group) == "UTMACMDFLUSH";
  const Waits copies = closes ? copies_of_group(*group) : Waits{};
  return copies.empty() ? Waits{{Wait::Via::kGroup, *group}} : copies;
}

// The copies of the group that ends here, back to where the one before ended.
WaitTracer::Waits WaitTracer::copies_of_group(std::uint32_t end) const {
  const bool bulk = opcode(end) == "UTMACMDFLUSH";
  const InstructionClass wanted = bulk ? InstructionClass::kBulkCopy : InstructionClass::kAsyncCopy;
  Waits waits;
  walk_back(end, [&](std::uint32_t i) {
    if (i == end || opcode(i) == opcode(end)) return false;
    if (kind(i) == wanted) waits.push_back({Wait::Via::kGroup, i});
    return true;
  });
  return waits;
}

WaitTracer::Waits WaitTracer::trace_wait(std::uint32_t i) const {
  if (is_warp_barrier(opcode(i)) || is_tensor_start(opcode(i))) return {{Wait::Via::kWarps, i}};
  if (is_memory_fence(opcode(i))) return {{Wait::Via::kMemory, i}};
  if (is_tensor_wait(opcode(i)) || is_scoreboard_wait(opcode(i))) return trace_group(i);
  return {};
}

// Warps that wait at a barrier or a fence are sampled at an instruction after it, the first that
// may not issue before.
WaitTracer::Waits WaitTracer::behind(bool (*is)(std::string_view)) const {
  Waits waits;
  for (const std::uint32_t i : nearest(from_, [&](std::uint32_t j) { return is(opcode(j)); })) {
    const Waits more = trace_wait(i);
    waits.insert(waits.end(), more.begin(), more.end());
  }
  return waits.empty() ? trace_wait(from_) : waits;
}

// Who polls an mbarrier sleeps in between, as long as the predicate from it says so.
WaitTracer::Waits WaitTracer::trace_sleep() const {
  const auto sleeps = [&](std::uint32_t i) { return opcode(i).starts_with("NANOSLEEP"); };
  const auto found = sleeps(from_) ? std::vector{from_} : nearest(from_, sleeps);
  if (found.empty()) return {};
  Waits waits = WaitTracer(function_, flow_, opcodes_, executed_, found.front()).trace_registers();
  std::erase_if(
      waits, [&](const Wait& wait) { return kind(wait.producer) != InstructionClass::kMbarrier; });
  return waits;
}

// A warp that has come to its end is sampled at the instruction that happens to follow.
WaitTracer::Waits WaitTracer::trace_end() const {
  const bool ended = from_ > 0 && flow_kind(opcode(from_ - 1)) == FlowKind::kExit;
  return ended ? Waits{{Wait::Via::kMemory, from_ - 1}} : Waits{};
}

// Tensor instructions run in order: one waits for the one before, and what is after a wait for a
// group waits for that. One that is after a wait for all groups waits for the other warps of its
// warpgroup, which begin together.
WaitTracer::Waits WaitTracer::trace_tensor() const {
  if (is_tensor_wait(opcode(from_))) return trace_group(from_);
  Waits waits;
  const auto concerns = [&](std::uint32_t i) {
    return is_tensor_wait(opcode(i)) || is_gmma(opcode(i));
  };
  const bool starts = is_gmma(opcode(from_));
  for (const std::uint32_t i : nearest(from_, concerns)) {
    Waits more = is_gmma(opcode(i)) ? Waits{{Wait::Via::kGroup, i}} : trace_group(i);
    if (starts && is_tensor_wait(opcode(i)) && allowed_by(i) == 0) more = behind(is_tensor_start);
    waits.insert(waits.end(), more.begin(), more.end());
  }
  return waits;
}

WaitTracer::Waits WaitTracer::trace_scoreboards(std::optional<Stall> reason) const {
  // At a barrier, samples of these reasons are of warps that have not come to it yet.
  const bool to_come = reason && is_warp_barrier(opcode(from_));
  Waits waits = to_come ? Waits{} : trace_wait(from_);
  // Warps that DEPBAR holds back are sampled at what follows it.
  const std::uint32_t first = flow_.blocks[flow_.block_of[from_]].first;
  for (std::uint32_t i = from_; i > first && is_scoreboard_wait(opcode(i - 1)); --i) {
    const Waits more = trace_group(i - 1);
    waits.insert(waits.end(), more.begin(), more.end());
  }
  if (!has_encodings()) {
    const Waits registers = trace_registers();
    waits.insert(waits.end(), registers.begin(), registers.end());
  } else {
    const std::uint32_t awaited = scoreboards_awaited(from_);
    for (std::uint8_t i = 0; i < 6; ++i) {
      if ((awaited >> i & 1U) != 0) trace_scoreboard(i, waits);
    }
  }
  return waits;
}

WaitTracer::Waits WaitTracer::trace_reason(std::optional<Stall> reason) const {
  if (reason == Stall::kBarrier) {
    // These two are sampled themselves, the tensor cores' one with this reason.
    const bool itself = opcode(from_) == "UCGABAR_WAIT" || is_tensor_wait(opcode(from_));
    return itself ? trace_wait(from_) : behind(is_warp_barrier);
  }
  if (reason == Stall::kMembar) return behind(is_memory_fence);
  if (reason == Stall::kGmma) return trace_tensor();
  if (reason == Stall::kSleeping) return trace_sleep();
  if (reason == Stall::kDrain) return trace_end();
  return trace_scoreboards(reason);
}

TracedWaits WaitTracer::trace(std::optional<Stall> reason) {
  const std::string_view nothing = nothing_before(reason);
  if (reason && nothing.empty()) return {};
  if (kind(from_) == InstructionClass::kUnknown) return {{}, "its opcode is not known"};
  TracedWaits traced{trace_reason(reason), ""};
  Waits& waits = traced.waits;
  const bool any = !waits.empty();
  // Several paths may lead to one producer.
  std::unordered_set<std::uint32_t> known;
  std::erase_if(waits, [&](const Wait& wait) { return !known.insert(wait.producer).second; });
  std::erase_if(waits, [&](const Wait& wait) { return much_rarer(wait.producer); });
  if (waits.empty()) {
    traced.not_known = any ? "what the code shows before it ran far less often" : nothing;
    return traced;
  }
  const bool scoreboards = reason == Stall::kLongScoreboard || reason == Stall::kShortScoreboard;
  // Those that the reason fits; of them, results before operands, which are read much sooner.
  const auto rank = [&](const Wait& wait) {
    const bool fits =
        !scoreboards || is_far(opcode(wait.producer)) == (reason == Stall::kLongScoreboard);
    return std::pair(!fits, wait.via == Wait::Via::kOperands);
  };
  std::stable_sort(waits.begin(), waits.end(),
                   [&](const Wait& a, const Wait& b) { return rank(a) < rank(b); });
  // The others were there in time.
  const auto best = rank(waits.front());
  if (scoreboards) std::erase_if(waits, [&](const Wait& wait) { return rank(wait) != best; });
  return traced;
}

}  // namespace

TracedWaits waits_of(const CodeFunction& function, const Flow& flow, const OpcodeNames& opcodes,
                     std::uint32_t instruction, std::string_view reason,
                     const ExecutionCounts& executed) {
  const StallReason* known = find_stall_reason(reason);
  if (known == nullptr && !reason.empty()) return {};  // newer than this program
  return WaitTracer(function, flow, opcodes, executed, instruction)
      .trace(known != nullptr ? std::optional(known->stall) : std::nullopt);
}

std::string_view to_string(Wait::Via via) {
  switch (via) {
    case Wait::Via::kResult: return "result";
    case Wait::Via::kOperands: return "operands";
    case Wait::Via::kGroup: return "group";
    case Wait::Via::kWarps: return "warps";
    case Wait::Via::kMemory: return "memory";
  }
  return "";
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "views/diagnosis/evidence_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "base/characters.h"
#include "base/text.h"
#include "views/quantity.h"
#include "vocabulary/idle_classes.h"
#include "vocabulary/levels.h"

namespace proofline {
namespace {

struct FactWords {
  std::string_view fact;
  std::string_view words;  // @ is the value
  std::string_view ideal = {};
};

// Depends on the width of the accesses: 32 lanes of 4 bytes fill four sectors.
constexpr std::string_view kPackedSectors = "4 is ideal for 4-byte accesses";

constexpr FactWords kOtherFactWords[] = {
    {"bench.bytes_per_second", "benchmark moves @"},
    {"bench.flops", "benchmark computes @"},
    {"bench.high", "upper end of the median's interval @"},
    {"bench.low", "lower end of the median's interval @"},
    {"bench.median", "median time @"},
    {"bench.roof.share", "benchmark at @ of its measured ceiling"},
    {"bench.samples", "@ samples"},
    {"bench.spread", "samples spread by @"},
    {"bench.throttled", "@ of samples throttled"},
    {"capture.clock_spread.share", "SM clocks @ apart between passes"},
    {"capture.cycles", "@ SM cycles"},
    {"capture.metrics", "@ metrics in the capture"},
    {"capture.only_setup", "only PyTorch's set-up kernels: @"},
    {"capture.samples", "@ PC samples"},
    {"change.arguments", "arguments of both sides: @"},
    {"change.code", "machine code: @"},
    {"change.gain", "@ of the time saved"},
    {"change.verdict", "decided: @"},
    {"correct.infinities", "@ results are infinite"},
    {"correct.max_abs_error", "largest absolute error @"},
    {"correct.max_rel_error", "largest relative error @"},
    {"correct.nans", "@ results are NaN"},
    {"correct.passed", "results correct: @"},
    {"correct.reference", "compared with @"},
    {"device.name", "GPU: @"},
    {"duration", "takes @"},
    {"execution.active_threads.share", "@ of each warp's lanes active"},
    {"execution.branch.uniform.share", "@ of branches uniform"},
    {"execution.instructions", "@ warp instructions"},
    {"execution.predicated_off.share", "@ of active lanes predicated off"},
    {"execution.useful_threads.share", "@ of lanes do work"},
    {"finding.count", "@ causes found"},
    {"instructions.atomic.share", "@ of instructions are atomics"},
    {"instructions.barrier.share", "@ of instructions are barriers"},
    {"instructions.conversion.share", "@ of instructions are conversions"},
    {"instructions.fence.share", "@ of instructions are fences"},
    {"instructions.footprint", "@ of code executed"},
    {"instructions.fp64_conversion.share", "@ of instructions convert to or from FP64"},
    {"instructions.fp64_division.share", "@ of FP64 instructions are divisions and roots"},
    {"instructions.half_inputs.share", "@ of instructions take half-precision inputs"},
    {"instructions.icache_hit.share", "@ instruction-cache hits"},
    {"instructions.imad_of_fma.share", "@ of the FMA pipe's work is integer multiply-adds"},
    {"instructions.integer.share", "@ of instructions are integer"},
    {"instructions.integer_division.share", "@ of instructions are integer divisions"},
    {"instructions.multiply_add.share", "@ of instructions are multiply-adds outside tensor cores"},
    {"instructions.narrow_types", "narrow types in its name: @"},
    {"instructions.shared.share", "@ of instructions access shared memory"},
    {"instructions.tensor.shape", "tensor instruction: @"},
    {"instructions.tensor.share", "@ of instructions use tensor cores"},
    {"instructions.wgmma.share", "@ of instructions are WGMMA"},
    {"issue.active.share", "@ of issue slots used"},
    {"journal.attempts", "@ attempts in the journal"},
    {"journal.minutes", "@ minutes of attempts"},
    {"launch.balance.share", "SMs busy @ of the busiest one's time on average"},
    {"launch.block", "block @"},
    {"launch.blocks", "@ blocks"},
    {"launch.cluster_size", "cluster size @"},
    {"launch.grid", "grid @"},
    {"launch.idle.share", "SMs without a block @ of the time"},
    {"launch.imbalance.share", "@ of the time spent waiting for the busiest SM"},
    {"launch.lanes.share", "the block fills @ of its warps' lanes"},
    {"launch.sm_active.share", "SMs active @ of the time"},
    {"launch.sm_count", "@ SMs"},
    {"launch.sms_idle.share", "@ of SMs without a block"},
    {"launch.tail.share", "@ of the time lost in the last wave"},
    {"launch.waves", "@ waves"},
    {"memory.async_copy.share", "@ of global bytes copied asynchronously to shared memory"},
    {"memory.atomic.busiest_slice.share", "atomic unit of the busiest L2 slice @ busy"},
    {"memory.atomic.mean_slice.share", "@ on average"},
    {"memory.atomic.sectors", "@ sectors of atomics reach L2"},
    {"memory.constant.hit.share", "@ constant-cache hits"},
    {"memory.declared.unique_bytes", "@ of distinct data"},
    {"memory.dram.bytes", "@ moved by DRAM"},
    {"memory.dram.over_unique", "DRAM moves @x the distinct bytes", "1x is ideal"},
    {"memory.dram.overfetch.share", "@ of DRAM bytes not needed"},
    {"memory.global.excess.share", "@ of global-memory sectors not needed"},
    {"memory.global.instructions.share", "@ of instructions are global loads and stores"},
    {"memory.global.load.sectors_per_request", "@ sectors per load request", kPackedSectors},
    {"memory.global.load.sector_use.share", "@ of each sector loaded is used", "100 % is ideal"},
    {"memory.global.overfetch.share", "@ of L2-to-L1 sectors not needed"},
    {"memory.global.store.sectors_per_request", "@ sectors per store request", kPackedSectors},
    {"memory.global.store.sector_use.share", "@ of each sector stored is used", "100 % is ideal"},
    {"memory.global.width", "@ per thread in a global access", "16 B is ideal"},
    {"memory.host.bytes_per_second", "@ to and from host memory"},
    {"memory.host.share", "@ of L2 traffic is host memory"},
    {"memory.indexing_instructions.share", "@ of instructions index an array in local memory"},
    {"memory.l1.hit.share", "@ L1 hits"},
    {"memory.l2.delivered_over_read", "SMs receive @x the bytes read from L2"},
    {"memory.l2.hit.share", "@ L2 hits"},
    {"memory.l2.inbound.atomic.share", "@ of L2's inbound sectors are atomics"},
    {"memory.l2.inbound.global.share", "@ of L2's inbound sectors are global stores"},
    {"memory.l2.inbound.local.share", "@ of L2's inbound sectors are local stores"},
    {"memory.local.sectors.share", "@ of L1 sectors are local memory"},
    {"memory.peer.bytes_per_second", "@ to and from another GPU"},
    {"memory.peer.share", "@ of L2 traffic is another GPU's memory"},
    {"memory.shared.atomic.share", "@ of shared-memory wavefronts are atomics"},
    {"memory.shared.conflicts", "@ bank conflicts"},
    {"memory.shared.excess.share", "@ of shared-memory wavefronts are bank conflicts"},
    {"memory.shared.load.wavefronts", "@ wavefronts of shared loads"},
    {"memory.shared.store.wavefronts", "@ wavefronts of shared stores"},
    {"memory.shared.load.width", "@ per thread in a shared load", "16 B is ideal"},
    {"memory.shared.store.width", "@ per thread in a shared store", "16 B is ideal"},
    {"memory.shared.wavefronts_over_ideal", "@x the ideal wavefronts"},
    {"memory.spill_instructions.share", "@ of instructions spill registers"},
    {"memory.tma.load.bytes", "@ loaded by TMA"},
    {"memory.tma.load.share", "@ of global bytes loaded by TMA"},
    {"memory.tma.multicast.share", "@ of TMA loads multicast"},
    {"memory.tma.wait.share", "@ of samples wait for TMA"},
    {"occupancy.achieved", "@ occupancy achieved"},
    {"occupancy.limiter", "occupancy limited by @"},
    {"occupancy.next_step", "@"},
    {"occupancy.registers_per_thread", "@ registers/thread"},
    {"occupancy.shared_memory_per_block", "@ of shared memory"},
    {"occupancy.theoretical", "@ occupancy possible"},
    {"pipeline.bubble.share", "the mma role waits @ of its time"},
    {"roof.level", "nearest roof: @"},
    {"roof.share", "nearest roof at @ of its peak"},
    {"roofline.achieved", "@"},
    {"roofline.peak", "peak @"},
    {"roofline.precision", "precision: @"},
    {"sass.allocates", "allocates in the kernel: @"},
    {"sass.barriers.shared", "@ barriers in loops shared by roles"},
    {"sass.lines", "line table: @"},
    {"sass.loop.overhead.share", "@ of the hot loop is overhead"},
    {"sass.optimised", "compiled with optimisation: @"},
    {"sass.roles.balance.share", "least busy role works @ of the busiest one's time"},
    {"sass.roles.verdict", "warp roles: @"},
    {"stall.exposed.share", "warps stalled @ of their time"},
    {"stall.group.memory.share", "warps wait for memory @ of their time"},
    {"stall.top", "top stall: @"},
    {"throughput.memory.top_share", "busiest part of memory at @ of its peak"},
    {"throughput.sm.top_share", "busiest part of the SM at @ of its peak"},
    {"timeline.allocation.share", "GPU idle under allocations @ of the time"},
    {"timeline.allocations", "@ allocations and frees"},
    {"timeline.allocations_per_step", "@ per step"},
    {"timeline.comm.exposed.share", "@ of the time in collectives that no kernel overlaps"},
    {"timeline.copies.share", "copies run @ of the time"},
    {"timeline.copy.bytes", "@ copied"},
    {"timeline.copy.exposed.share", "@ of the time in copies that no kernel overlaps"},
    {"timeline.copy.pageable.share", "@ of copy time from pageable memory"},
    {"timeline.copy.rate", "copied at @"},
    {"timeline.copy_overlap.share", "@ of copy time overlapped by kernels"},
    {"timeline.gap.count", "@ gaps"},
    {"timeline.gap.median", "median gap @"},
    {"timeline.gpu_idle.share", "GPU idle @ of the time"},
    {"timeline.idle.unexplained.share", "@ of the time in launch gaps that are not explained"},
    {"timeline.kernel.share", "@ of kernel time in this kernel"},
    {"timeline.kernels.longest.share", "the longest kernel takes @ of the time"},
    {"timeline.kernels.median", "median kernel @"},
    {"timeline.kernels.share", "kernels run @ of the time"},
    {"timeline.launch_gaps.share", "GPU waits for launches @ of the time"},
    {"timeline.launch_gaps.short.share", "@ of the time in gaps below 50 us"},
    {"timeline.operator[0].name", "busiest operator: @"},
    {"timeline.straggler", "the others wait for rank @"},
    {"timeline.synchronisation.share", "GPU idle @ of the time after the host waited"},
    {"timeline.synchronisations", "@ synchronising calls"},
    {"verdict.at", "bound by @"},
    {"verdict.bound", "@-bound"},
    {"warps.active", "@ warps/scheduler resident"},
    {"warps.dependency.share", "warps wait for their own results @ of their time"},
    {"warps.eligible", "@ warps/scheduler eligible", "1 keeps it busy"},
};

constexpr auto kFactWords = [] {
  std::array<FactWords, std::size(kOtherFactWords) + kIdleClasses> all{};
  auto* next = std::copy(std::begin(kOtherFactWords), std::end(kOtherFactWords), all.begin());
  for (const IdleClassInfo& one : kIdleClassTable) *next++ = {one.fact, one.evidence};
  return all;
}();

struct PlaceWords {
  std::string_view place;
  std::string_view words;
};

constexpr PlaceWords kPlaceWords[] = {
    {"async", "waits for asynchronous copies"},
    {"balance", "uneven load of the SMs"},
    {"barrier", "waits at barriers"},
    {"capture", "the capture"},
    {"constant", "constant cache"},
    {"dependency", "dependent instructions"},
    {"divergence", "divergent branches"},
    {"dram", "DRAM"},
    {"fence", "memory fences"},
    {"fma", "FMA pipe"},
    {"fma-heavy", "FMA-heavy pipe"},
    {"fp64", "FP64 pipe"},
    {"global-access", "uncoalesced global access"},
    {"grid", "grid too small"},
    {"host", "host memory"},
    {"instruction-fetch", "instruction fetch"},
    {"integer", "integer pipe"},
    {"issue", "issue slots"},
    {"l1", "L1"},
    {"l2", "L2"},
    {"local", "local memory"},
    {"lsu", "load/store pipe"},
    {"memory", "loads in flight"},
    {"peer", "another GPU's memory"},
    {"predication", "lanes predicated off"},
    {"shared", "shared memory"},
    {"special-function", "special-function pipe"},
    {"tail", "tail wave"},
    {"tensor", "tensor pipe"},
};

// Where a place is shared by several causes, this one is named by its own.
constexpr PlaceWords kCauseWords[] = {
    {"narrow-access", "narrow global access"},
    {"poor-locality", "DRAM, moving the same bytes again"},
    {"tensor-cores-idle", "FMA pipe, tensor cores idle"},
};

template <class Row, std::size_t N>
std::string_view words_of(const Row (&rows)[N], std::string_view place) {
  const auto found = std::find_if(std::begin(rows), std::end(rows),
                                  [&](const Row& row) { return row.place == place; });
  return found != std::end(rows) ? found->words : std::string_view{};
}

const FactWords* find_words(std::string_view fact) {
  const auto found = std::find_if(std::begin(kFactWords), std::end(kFactWords),
                                  [&](const FactWords& row) { return row.fact == fact; });
  return found != std::end(kFactWords) ? found : nullptr;
}

// The words hold the unit already, where it is no more than a noun.
std::string value_text(const std::variant<double, std::string>& value, std::string_view unit) {
  const auto* number = std::get_if<double>(&value);
  const bool noun = unit.find('/') == unit.npos || unit == "register/thread";
  const bool scaled =
      unit == kShare || unit == "%" || unit == "ns" || unit == "hz" || unit == "byte";
  if (number == nullptr || !noun || scaled) return quantity_text(value, unit);
  // What stands beside an ideal needs no third digit.
  if (std::abs(*number) < 1000) return without_zeros(fmt::format("{:.3g}", *number));
  return quantity_text(value, "");
}

// The middle of "stall.barrier.share".
std::string_view between(std::string_view name, std::string_view start, std::string_view end) {
  if (!name.starts_with(start) || !name.ends_with(end) || name.size() <= start.size() + end.size())
    return {};
  return name.substr(start.size(), name.size() - start.size() - end.size());
}

std::string level_label(std::string_view name) {
  const Level* level = find_level(name);
  if (level == nullptr) return std::string(name);
  std::string_view label = level->label;
  if (label.starts_with("The ")) label.remove_prefix(4);
  std::string text(label);
  // It starts sentences; here it may stand in one. "DRAM" stays.
  if (text.size() > 1 && is_lower(text[1])) text[0] = to_lower(text[0]);
  return text;
}

// The width is a mean over loads and stores: only where all have the same does it tell the ideal.
std::string ideal_text(const FactWords& words, const Facts& facts) {
  const double width = facts.number("memory.global.width").value_or(0);
  const bool uniform = width == 4 || width == 8 || width == 16;
  if (words.ideal != kPackedSectors || !uniform) return std::string(words.ideal);
  return fmt::format("{:.0f} is ideal", width);
}

// Its words; on request with the fact's name, which JSON, `explain` and playbooks take.
std::string evidence_text(const Evidence& evidence, const Facts& facts, bool with_names) {
  std::string text = evidence_words(evidence, facts);
  if (with_names && !text.starts_with(evidence.fact)) text += fmt::format(" [{}]", evidence.fact);
  return text;
}

}  // namespace

std::string fact_words(std::string_view fact, const std::variant<double, std::string>& value,
                       std::string_view unit) {
  const std::string shown = value_text(value, unit);
  if (const FactWords* known = find_words(fact)) {
    const std::size_t place = known->words.find('@');
    std::string_view after = known->words.substr(place + 1);
    // "1 block": only where nothing but a noun follows.
    const bool noun = after.ends_with('s') && after.rfind(' ') == 0;
    if (shown == "1" && noun) after.remove_suffix(1);
    return fmt::format("{}{}{}", known->words.substr(0, place), shown, after);
  }
  if (const auto level = between(fact, "throughput.", ".share"); !level.empty()) {
    return fmt::format("{} at {} of its peak", level_label(level), shown);
  }
  if (const auto level = between(fact, "throughput.", ".bytes_per_second"); !level.empty()) {
    return fmt::format("{} moves {}", level_label(level), shown);
  }
  if (const auto tool = between(fact, "sanitizer[", "].outcome"); !tool.empty()) {
    return fmt::format("{} {}", tool, shown);
  }
  if (const auto reason = between(fact, "stall.", ".share"); !reason.empty()) {
    return fmt::format("warps stalled on {} {} of their time", reason, shown);
  }
  return "";
}

std::string evidence_words(const Evidence& evidence, const Facts& facts) {
  std::string text = fact_words(evidence.fact, evidence.value, evidence.unit);
  const FactWords* known = find_words(evidence.fact);
  if (text.empty()) {
    text = fmt::format("{} {}", evidence.fact, quantity_text(evidence.value, evidence.unit));
  }
  if (!evidence.op.empty()) {
    text += fmt::format(" (threshold {})", quantity_text(evidence.threshold, evidence.unit));
  } else if (known != nullptr && !known->ideal.empty()) {
    text += fmt::format(" ({})", ideal_text(*known, facts));
  }
  return text;
}

std::string bound_words(const Verdict& verdict, std::string_view first_cause) {
  if (verdict.bound == Bound::kNone) return "nothing in particular";
  std::string text = fmt::format("{}-bound", to_string(verdict.bound));
  if (verdict.at.empty() || verdict.at == to_string(verdict.bound)) return text;
  std::string_view words = words_of(kCauseWords, first_cause);
  if (words.empty()) words = words_of(kPlaceWords, verdict.at);
  return fmt::format("{}: {}", text, words.empty() ? verdict.at : words);
}

std::string evidence_list(const std::vector<Evidence>& evidence, const Facts& facts,
                          std::size_t most, bool with_names) {
  std::string text;
  std::size_t count = 0;
  for (const bool compared : {true, false}) {
    for (const Evidence& item : evidence) {
      if (item.op.empty() == compared || count == most) continue;
      text += (count == 0 ? "" : "; ") + evidence_text(item, facts, with_names);
      ++count;
    }
  }
  return text;
}

Tone severity_tone(Severity severity) {
  switch (severity) {
    case Severity::kHigh: return Tone::kBad;
    case Severity::kMedium: return Tone::kWarning;
    case Severity::kLow:
    case Severity::kInfo: return Tone::kNeutral;
  }
  return Tone::kNone;
}

}  // namespace proofline

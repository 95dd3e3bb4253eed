// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/code_report.h"

#include <algorithm>
#include <span>
#include <utility>

#include "analysis/sass/hot_loop.h"
#include "analysis/sass/role_samples.h"
#include "analysis/sass/source_lines.h"
#include "analysis/sass/source_report.h"
#include "analysis/sass/values.h"
#include "analysis/sass/waits.h"
#include "base/demangle.h"

namespace proofline {
namespace {

// A loop's instructions are counted once for each loop around it. Deeper nests than this do not
// come out of compilers.
constexpr std::size_t kMostLoops = 4096;
constexpr std::size_t kMostHot = 20;

// The launch of that function with the most samples; where none has any, with the most executed
// instructions. Only one launch counts where it is named.
std::optional<std::size_t> measured_launch(const Profile& profile, const CodeFunction& function,
                                           const Launch* only, CodeSamples& samples) {
  std::optional<std::size_t> best;
  std::pair<std::uint64_t, std::uint64_t> most;
  for (std::size_t i = 0; i < profile.launches.size(); ++i) {
    if (profile.launches[i].mangled != function.name) continue;
    if (only != nullptr && only != &profile.launches[i]) continue;
    CodeSamples one = samples_of(profile, profile.launches[i], function);
    std::pair<std::uint64_t, std::uint64_t> count;
    for (const CodeSamples::Row& row : one.rows) {
      count.first += row.samples;
      count.second += row.executed.value_or(0);
    }
    if (count <= most) continue;
    most = count;
    best = i;
    samples = std::move(one);
  }
  return best;
}

// How many instructions were executed to which nothing leads: we took a branch for another one. By
// counts alone: a sample of a warp that exits falls on what is after the EXIT.
std::uint32_t executed_unreached(const Flow& flow, const CodeSamples& samples) {
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < samples.rows.size(); ++i) {
    const bool executed = samples.rows[i].executed.value_or(0) > 0;
    if (executed && !flow.blocks[flow.block_of[i]].reachable) ++count;
  }
  return count;
}

// The largest block that the function was launched with, else what its launch bounds allow.
BlockShape block_shape(const CodeFunction& function, const Profile* profile) {
  BlockShape shape{1, 1, 1, false};
  const std::span<const Launch> launches =
      profile != nullptr ? std::span(profile->launches) : std::span<const Launch>();
  for (const Launch& launch : launches) {
    if (launch.mangled != function.name || !launch.block) continue;
    const BlockShape most;
    const auto larger = [&](std::uint32_t known, std::size_t axis, std::uint32_t limit) {
      const std::uint64_t threads = std::clamp<std::uint64_t>((*launch.block)[axis], 1, limit);
      return std::max(known, static_cast<std::uint32_t>(threads));
    };
    shape = {larger(shape.x, 0, most.x), larger(shape.y, 1, most.y), larger(shape.z, 2, most.z),
             true};
  }
  if (shape.exact) return shape;
  const FunctionResources& resources = function.resources;
  const auto most = resources.required_threads ? resources.required_threads : resources.max_threads;
  return most && *most > 0 ? BlockShape::of_threads(*most) : BlockShape{};
}

std::optional<std::uint64_t> metric_of(const Profile& profile, const Launch& launch,
                                       std::string_view name) {
  const auto id = profile.metric_names.find(name);
  const Metric* metric = id ? launch.find(*id) : nullptr;
  const auto value = metric != nullptr ? as_number(metric->value) : std::nullopt;
  constexpr double kMost = 1e15;  // below this every whole number is exact
  if (!value || !(*value >= 0 && *value <= kMost)) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

// What the launches of the function had.
void add_launched(const Profile& profile, const std::string& function, PatternScope& scope) {
  for (const Launch& launch : profile.launches) {
    if (launch.mangled != function) continue;
    if (const auto registers = metric_of(profile, launch, "launch__registers_per_thread")) {
      scope.launched_registers = static_cast<std::uint32_t>(*registers);
    }
    const auto fixed = metric_of(profile, launch, "launch__shared_mem_per_block_static");
    const auto added = metric_of(profile, launch, "launch__shared_mem_per_block_dynamic");
    if (!fixed || !added) continue;
    const std::uint64_t bytes = *fixed + *added;
    auto& all = scope.launched_shared_bytes;
    all = all ? std::pair(std::min(all->first, bytes), std::max(all->second, bytes))
              : std::pair(bytes, bytes);
  }
}

PatternMbarriers summary_of(const Mbarriers& mbarriers, std::string_view arch) {
  constexpr std::uint32_t kFirstWithWaits = 90;
  PatternMbarriers summary;
  summary.barriers = static_cast<std::uint32_t>(mbarriers.barriers.size());
  if (sm_number(arch) < kFirstWithWaits) {
    summary.in_doubt = "before sm_90 a wait cannot be told from other loads";
  }
  // One that is only initialised is a stage of a ring, or not in use.
  const auto uses = [](const MbarrierAccess& access) {
    return access.use == MbarrierUse::kWait || arrives(access.use);
  };
  for (const Mbarrier& barrier : mbarriers.barriers) {
    const bool used = std::any_of(barrier.accesses.begin(), barrier.accesses.end(), uses);
    summary.unpaired += used && !barrier.paired ? 1 : 0;
    if (barrier.ring) summary.in_doubt = "it may be a stage of a ring";
  }
  summary.unplaced = static_cast<std::uint32_t>(
      std::count_if(mbarriers.unplaced.begin(), mbarriers.unplaced.end(), uses));
  return summary;
}

// The instructions that arrive at the mbarriers that are waited for.
void find_arrivals(const Mbarriers& mbarriers, std::vector<AwaitedInstruction>& waits) {
  for (AwaitedInstruction& wait : waits) {
    for (const Mbarrier& barrier : mbarriers.barriers) {
      const bool here = std::any_of(
          barrier.accesses.begin(), barrier.accesses.end(), [&](const MbarrierAccess& access) {
            return access.address == wait.address && access.use == MbarrierUse::kWait;
          });
      if (!here) continue;
      for (const MbarrierAccess& access : barrier.accesses) {
        if (arrives(access.use)) wait.arrivals.push_back(access.address);
      }
    }
  }
}

// Of all loops of the flow, which may be more than are reported.
std::vector<bool> polling_loops(const Flow& flow, const FunctionReport& report) {
  std::vector<bool> polling(flow.loops.size());
  for (std::size_t i = 0; i < report.loops.size(); ++i) polling[i] = report.loops[i].polling;
  return polling;
}

// What was measured in each block.
template <class Value>
std::vector<double> sum_by_block(const Flow& flow, const CodeSamples& samples, Value&& value) {
  std::vector<double> blocks(flow.blocks.size());
  for (std::size_t i = 0; i < samples.rows.size(); ++i) {
    blocks[flow.block_of[i]] += static_cast<double>(value(samples.rows[i]));
  }
  return blocks;
}

// What the samples tell patterns of: where the time goes, and which lanes worked.
void add_measured(const AnalysedFunction& analysed, const OpcodeNames& opcodes,
                  const CodeSamples& samples, HotLoopBy by, PatternScope& scope) {
  if (by == HotLoopBy::kSamples || by == HotLoopBy::kExecutions) {
    scope.weights = sum_by_block(analysed.flow, samples, [&](const CodeSamples::Row& row) {
      return by == HotLoopBy::kSamples ? row.samples : row.executed.value_or(0);
    });
  }
  std::vector<LaneCounts> lanes;
  for (std::size_t i = 0; i < samples.rows.size(); ++i) {
    lanes.push_back(lanes_of(samples.rows[i], opcodes[analysed.code.instructions[i].opcode]));
  }
  const bool counted = std::any_of(lanes.begin(), lanes.end(),
                                   [](const LaneCounts& one) { return one.executed > 0; });
  if (counted) scope.lanes = std::move(lanes);
}

}  // namespace

void CodeAnalyst::add_loops(const AnalysedFunction& analysed, FunctionReport& report) {
  const CodeFunction& code = analysed.code;
  const Flow& flow = analysed.flow;
  const std::size_t count = std::min(flow.loops.size(), kMostLoops);
  const std::vector<bool> polling = find_polling_loops(code, flow, opcodes_);
  for (std::uint32_t i = 0; i < count; ++i) {
    const FlowLoop& loop = flow.loops[i];
    LoopReport& one = report.loops.emplace_back();
    one.address = code.instructions[flow.blocks[loop.header].first].address;
    if (loop.parent != kNoLoop) one.parent = loop.parent;
    one.depth = loop.depth;
    one.stats = count_loop(code, flow, i, traits_);
    one.polling = polling[i];
  }
  const auto hot = hot_loop_by_structure(code, flow, opcodes_, polling);
  if (!hot || *hot >= count) return;
  report.hot_loop = *hot;
  report.hot_loop_by = HotLoopBy::kStructure;
}

void CodeAnalyst::add_structure(AnalysedFunction& analysed, const Profile* profile,
                                FunctionReport& report) {
  Values values(analysed.code, analysed.flow, opcodes_);
  report.local = find_local_accesses(values);
  report.staging = find_staging(values);
  report.roles = find_roles(values, block_shape(analysed.code, profile));
  report.mbarriers = find_mbarriers(values, report.roles);
  const std::vector<TripHint> trips = find_trips(values);
  for (std::size_t i = 0; i < report.loops.size(); ++i) report.loops[i].trips = trips[i];

  PatternScope& scope = analysed.scope;
  scope.partial = report.decoding.partial;
  scope.spill.resize(analysed.code.instructions.size());
  scope.may_spill.resize(analysed.code.instructions.size());
  for (const LocalAccess& access : report.local.accesses) {
    scope.spill[access.instruction] = access.use == LocalUse::kSpill;
    scope.may_spill[access.instruction] = access.may_spill;
  }
  scope.loop_staging_passes = passes_by_loop(report.staging, analysed.flow);
  for (const Staging& staging : report.staging) {
    if (!staging.loop && staging.maybe_restaged == 0) {
      scope.staging_passes = staging.passes;
    }
  }
  // No more loops than kMostLoops are reported.
  for (Staging& staging : report.staging) {
    if (staging.loop >= report.loops.size()) staging.loop.reset();
  }
  scope.roles.emplace();
  for (const Role& role : report.roles.roles) {
    scope.roles->push_back({role.kind, role.condition, role.registers});
  }
  scope.role_of = report.roles.role_of;
  scope.role_of.resize(analysed.flow.blocks.size(), kNoRole);
  scope.mbarriers = summary_of(report.mbarriers, analysed.code.arch);
  scope.polling = polling_loops(analysed.flow, report);
  if (profile != nullptr) add_launched(*profile, analysed.code.name, scope);
}

std::vector<InstructionRow> CodeAnalyst::rows_of(const AnalysedFunction& analysed,
                                                 const Liveness& liveness,
                                                 const CodeSamples& samples, bool wholly_read) {
  const CodeFunction& code = analysed.code;
  std::vector<InstructionRow> rows;
  rows.reserve(code.instructions.size());
  for (std::size_t i = 0; i < code.instructions.size(); ++i) {
    const Instruction& instruction = code.instructions[i];
    InstructionRow& row = rows.emplace_back();
    row.address = instruction.address;
    row.text = instruction_text(code, opcodes_, instruction);
    row.opcode = opcodes_[instruction.opcode];
    row.line = line_text(code, instruction);
    if (wholly_read) row.live = liveness.live[i];
    row.block = analysed.flow.block_of[i];
    if (!code.encodings.empty()) row.control = control_of(code.encodings[i]);
    if (samples.rows.empty()) continue;
    row.samples = named(samples, samples.rows[i]);
    row.sampled = samples.missing.empty();
    row.threads_executed = samples.rows[i].threads_executed;
    row.lanes = lanes_of(samples.rows[i], row.opcode);
  }
  return rows;
}

void CodeAnalyst::add_listing(const AnalysedFunction& analysed, std::vector<InstructionRow> rows,
                              FunctionReport& report) {
  report.rows = std::move(rows);
  for (const FlowBlock& block : analysed.flow.blocks) {
    report.block_ranges.emplace_back(block.first, block.count);
  }
  report.block_edges = analysed.flow.edges;
}

void CodeAnalyst::choose_hot_loop(const Flow& flow, const CodeSamples& samples,
                                  FunctionReport& report) {
  const std::vector<bool> polling = polling_loops(flow, report);
  const auto choose = [&](HotLoopBy by, auto&& value) {
    const auto hot = hot_loop_by_weight(flow, sum_by_block(flow, samples, value), polling);
    if (!hot || *hot >= report.loops.size()) return false;
    report.hot_loop = *hot;
    report.hot_loop_by = by;
    return true;
  };
  if (choose(HotLoopBy::kSamples, [](const CodeSamples::Row& row) { return row.samples; })) return;
  choose(HotLoopBy::kExecutions,
         [](const CodeSamples::Row& row) { return row.executed.value_or(0); });
}

void CodeAnalyst::add_lanes(const CodeFunction& code, const CodeSamples& samples,
                            std::size_t launch, FunctionReport& report) {
  const LostLanes lost = find_lost_lanes(code, opcodes_, samples, kMostHot);
  if (lost.function.executed == 0) return;
  LaneReport lanes;
  lanes.launch = launch;
  lanes.function = lost.function;
  for (const LostLanes::Instruction& one : lost.instructions) {
    const Instruction& instruction = code.instructions[one.instruction];
    lanes.instructions.push_back({{line_text(code, instruction), one.lanes},
                                  instruction.address,
                                  instruction_text(code, opcodes_, instruction)});
  }
  for (const LostLanes::Line& one : lost.lines) lanes.lines.push_back({one.line, one.lanes});
  report.lanes = std::move(lanes);
}

void CodeAnalyst::add_samples(const AnalysedFunction& analysed, std::size_t launch,
                              const CodeSamples& samples, FunctionReport& report) {
  const CodeFunction& code = analysed.code;
  const Flow& flow = analysed.flow;
  choose_hot_loop(flow, samples, report);
  report.executed = execution_counts(samples);
  add_lanes(code, samples, launch, report);
  if (!samples.missing.empty()) return;
  const SampledFunction sampled{code, flow, opcodes_, samples, report.executed};
  add_role_samples(sampled, polling_loops(flow, report), report.roles, report.mbarriers);
  HotReport hot;
  hot.launch = launch;
  hot.samples = samples.total;
  hot.instructions.reserve(samples.rows.size());
  for (const CodeSamples::Row& row : samples.rows) hot.instructions.push_back(row.samples);
  for (const HotInstruction& one : hottest(sampled, kMostHot)) {
    const Instruction& instruction = code.instructions[one.instruction];
    std::vector<AwaitedInstruction> waits = awaited_instructions(code, opcodes_, one.traced.waits);
    find_arrivals(report.mbarriers, waits);
    std::string wait = wait_text(waits, one.traced.not_known);
    hot.rows.push_back({instruction.address, instruction_text(code, opcodes_, instruction),
                        line_text(code, instruction), one.stalled, one.share, one.reason,
                        one.executed, std::move(wait), std::move(waits)});
  }
  const double total = std::max<double>(1, static_cast<double>(samples.total));
  hot.blocks = sum_by_block(flow, samples, [&](const CodeSamples::Row& row) {
    return static_cast<double>(row.samples) / total;
  });
  for (std::uint32_t loop = 0; loop < report.loops.size(); ++loop) {
    double share = 0;
    for (std::uint32_t block = 0; block < flow.blocks.size(); ++block) {
      if (flow.in_loop(block, loop)) share += hot.blocks[block];
    }
    report.loops[loop].samples = share;
  }
  report.hot = std::move(hot);
}

FunctionReport CodeAnalyst::analyse(CodeFunction&& function, const Profile* profile,
                                    AnalysedFunction& analysed, const Launch* measured) {
  FunctionReport report;
  report.decoding = completer_.complete(function);
  analysed.code = std::move(function);
  const CodeFunction& code = analysed.code;
  for (const Instruction& instruction : code.instructions) {
    const bool unknown = traits_[instruction.opcode].kind == InstructionClass::kUnknown;
    report.unknown += unknown ? 1 : 0;
  }
  CodeSamples samples;
  const auto launch =
      profile != nullptr ? measured_launch(*profile, code, measured, samples) : std::nullopt;
  FlowDoubts doubts{report.unknown > 0, &report.decoding.partial};
  analysed.flow = build_flow(code, opcodes_, doubts);
  report.executed_unreached = executed_unreached(analysed.flow, samples);
  if (report.executed_unreached > 0) {
    doubts.any_branch = true;
    analysed.flow = build_flow(code, opcodes_, doubts);
  }
  const Flow& flow = analysed.flow;

  report.name = code.name;
  report.shown = demangle(code.name).text;
  report.entry = code.entry;
  report.complete = code.complete;
  report.arch = code.arch;
  report.container = code.container;
  report.resources = code.resources;
  report.instructions = static_cast<std::uint32_t>(code.instructions.size());
  report.stats = count_function(code, flow, traits_);
  report.blocks = static_cast<std::uint32_t>(flow.blocks.size());
  report.reached_blocks = static_cast<std::uint32_t>(
      std::count_if(flow.blocks.begin(), flow.blocks.end(),
                    [](const FlowBlock& block) { return block.reachable; }));
  report.edges = static_cast<std::uint32_t>(flow.edges.size());
  report.dangling = flow.dangling;
  report.indirect_unknown = flow.indirect_unknown;
  report.irreducible = flow.irreducible;
  add_loops(analysed, report);
  add_structure(analysed, profile, report);
  const Liveness liveness = live_registers(code, flow, opcodes_);
  report.live_registers = liveness.most;
  if (!code.instructions.empty()) report.live_at = code.instructions[liveness.most_at].address;
  if (launch) {
    add_samples(analysed, *launch, samples, report);
    add_measured(analysed, opcodes_, samples, report.hot_loop_by, analysed.scope);
  }
  if (parts_.listing || parts_.source) {
    std::vector<InstructionRow> rows = rows_of(analysed, liveness, samples, report.wholly_read());
    if (parts_.source) report.source = group_by_line(analysed, rows, samples, report);
    if (parts_.listing) add_listing(analysed, std::move(rows), report);
  }
  if (report.hot_loop) {
    report.loops[*report.hot_loop].hot = true;
    analysed.scope.hot_loop = static_cast<std::uint32_t>(*report.hot_loop);
  }
  if (!report.wholly_read()) {
    if (!report.hot_loop) report.hot_loop_by = HotLoopBy::kUnknown;
    if (report.roles.roles.empty()) report.roles.verdict = RoleVerdict::kUnknown;
  }
  analysed.scope.live = liveness.live;
  return report;
}

std::string_view to_string(HotLoopBy by) {
  switch (by) {
    case HotLoopBy::kNone: return "none";
    case HotLoopBy::kStructure: return "structure";
    case HotLoopBy::kExecutions: return "executions";
    case HotLoopBy::kSamples: return "samples";
    case HotLoopBy::kUnknown: return "unknown";
  }
  return "";
}

}  // namespace proofline

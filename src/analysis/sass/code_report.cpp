// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/code_report.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "analysis/sass/values.h"
#include "analysis/sass/waits.h"
#include "base/demangle.h"

namespace proofline {
namespace {

// A loop's instructions are counted once for each loop around it. Deeper nests than this do not
// come out of compilers.
constexpr std::size_t kMostLoops = 4096;
constexpr std::size_t kMostHot = 20;
// Of a loop's samples, from which on the loop inside it is the hot one.
constexpr double kMostOfIt = 0.8;

// Without samples: a loop with tensor instructions, then the deepest, then the longest.
std::optional<std::size_t> hottest_by_structure(const std::vector<LoopReport>& loops) {
  const auto weight = [](const LoopReport& loop) {
    return std::make_tuple(loop.stats.count(InstructionClass::kTensor) > 0, loop.depth,
                           loop.stats.instructions);
  };
  const auto found = std::max_element(
      loops.begin(), loops.end(),
      [&](const LoopReport& a, const LoopReport& b) { return weight(a) < weight(b); });
  if (found == loops.end()) return std::nullopt;
  return static_cast<std::size_t>(found - loops.begin());
}

// The launch of that function with the most samples.
std::optional<std::size_t> sampled_launch(const Profile& profile, const CodeFunction& function,
                                          CodeSamples& samples) {
  std::optional<std::size_t> best;
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < profile.launches.size(); ++i) {
    if (profile.launches[i].mangled != function.name) continue;
    CodeSamples one = samples_of(profile, profile.launches[i], function);
    const std::uint64_t count = std::accumulate(
        one.rows.begin(), one.rows.end(), std::uint64_t{0},
        [](std::uint64_t sum, const CodeSamples::Row& row) { return sum + row.samples; });
    if (count <= most) continue;
    most = count;
    best = i;
    samples = std::move(one);
  }
  return best;
}

// How many instructions were executed to which nothing leads: we took a branch for another one. By
// counts alone: a sample of a warp that exits falls on what lies behind the EXIT.
std::uint32_t executed_unreached(const Flow& flow, const CodeSamples& samples) {
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < samples.rows.size(); ++i) {
    const bool executed = samples.rows[i].executed.value_or(0) > 0;
    if (executed && !flow.blocks[flow.block_of[i]].reachable) ++count;
  }
  return count;
}

}  // namespace

void CodeAnalyst::add_loops(const AnalysedFunction& analysed, FunctionReport& report) {
  const CodeFunction& code = analysed.code;
  const Flow& flow = analysed.flow;
  const std::size_t count = std::min(flow.loops.size(), kMostLoops);
  for (std::uint32_t i = 0; i < count; ++i) {
    const FlowLoop& loop = flow.loops[i];
    LoopReport& one = report.loops.emplace_back();
    one.loop = i;
    one.address = code.instructions[flow.blocks[loop.header].first].address;
    one.parent = loop.parent;
    one.depth = loop.depth;
    one.stats = count_loop(code, flow, i, traits_);
  }
  report.hot_loop = hottest_by_structure(report.loops);
}

void CodeAnalyst::add_structure(AnalysedFunction& analysed, FunctionReport& report) {
  Values values(analysed.code, analysed.flow, opcodes_);
  report.local = find_local_accesses(values);
  report.staging = find_staging(values);
  report.roles = find_roles(values);
  report.mbarriers = find_mbarriers(values, report.roles);
  const std::vector<TripHint> trips = find_trips(values);
  for (LoopReport& loop : report.loops) loop.trips = trips[loop.loop];

  PatternScope& scope = analysed.scope;
  scope.partial = report.decoding.partial;
  scope.spill.resize(analysed.code.instructions.size());
  for (const LocalAccess& access : report.local.accesses) {
    scope.spill[access.instruction] = access.use == LocalUse::kSpill;
  }
  scope.loop_staging_passes.resize(analysed.flow.loops.size());
  for (const Staging& staging : report.staging) {
    auto& passes =
        staging.loop == kNoLoop ? scope.staging_passes : scope.loop_staging_passes[staging.loop];
    passes = staging.passes;
  }
}

void CodeAnalyst::add_listing(const AnalysedFunction& analysed, const Liveness& liveness,
                              FunctionReport& report) {
  const CodeFunction& code = analysed.code;
  report.rows.reserve(code.instructions.size());
  for (std::size_t i = 0; i < code.instructions.size(); ++i) {
    const Instruction& instruction = code.instructions[i];
    InstructionRow& row = report.rows.emplace_back();
    row.address = instruction.address;
    row.text = instruction_text(code, opcodes_, instruction);
    row.opcode = instruction.opcode;
    row.line = line_text(code, instruction);
    row.live = liveness.live[i];
    row.block = analysed.flow.block_of[i];
    if (!code.encodings.empty()) row.control = control_of(code.encodings[i]);
  }
  for (const FlowBlock& block : analysed.flow.blocks) {
    report.block_ranges.emplace_back(block.first, block.count);
  }
  report.block_edges = analysed.flow.edges;
}

void CodeAnalyst::add_samples(const AnalysedFunction& analysed, std::size_t launch,
                              const CodeSamples& samples, FunctionReport& report) {
  const CodeFunction& code = analysed.code;
  const Flow& flow = analysed.flow;
  HotReport hot;
  hot.launch = launch;
  hot.samples = samples.total;
  for (const HotInstruction& one : hottest(code, flow, opcodes_, samples, kMostHot)) {
    const Instruction& instruction = code.instructions[one.instruction];
    hot.rows.push_back({instruction.address, instruction_text(code, opcodes_, instruction),
                        line_text(code, instruction), one.stalled, one.share, one.reason,
                        one.executed, awaited_instructions(code, opcodes_, one.waits)});
  }
  report.sample_reasons = samples.reasons;
  for (std::size_t i = 0; i < report.rows.size(); ++i) report.rows[i].samples = samples.rows[i];
  hot.blocks.resize(flow.blocks.size());
  const double total = std::max<double>(1, static_cast<double>(samples.total));
  for (std::size_t i = 0; i < samples.rows.size(); ++i) {
    hot.blocks[flow.block_of[i]] += static_cast<double>(samples.rows[i].samples) / total;
  }
  for (LoopReport& loop : report.loops) {
    double share = 0;
    for (std::uint32_t block = 0; block < flow.blocks.size(); ++block) {
      if (flow.in_loop(block, loop.loop)) share += hot.blocks[block];
    }
    loop.samples = share;
  }
  // Of loops within each other with the same samples the innermost is the hot one.
  const auto hottest = std::max_element(
      report.loops.begin(), report.loops.end(), [](const LoopReport& a, const LoopReport& b) {
        return std::make_tuple(a.samples, a.depth) < std::make_tuple(b.samples, b.depth);
      });
  if (hottest != report.loops.end() && *hottest->samples > 0) {
    std::size_t chosen = static_cast<std::size_t>(hottest - report.loops.begin());
    // An inner loop with most of it is what people mean.
    for (std::size_t i = chosen + 1; i < report.loops.size(); ++i) {
      const bool inside = report.loops[i].parent == chosen;
      if (inside && *report.loops[i].samples >= kMostOfIt * *report.loops[chosen].samples) {
        chosen = i;
      }
    }
    report.hot_loop = chosen;
    report.hot_by_samples = true;
  }
  report.hot = std::move(hot);
}

FunctionReport CodeAnalyst::analyse(CodeFunction&& function, const Profile* profile,
                                    AnalysedFunction& analysed) {
  FunctionReport report;
  report.decoding = completer_.complete(function);
  analysed.code = std::move(function);
  const CodeFunction& code = analysed.code;
  for (const Instruction& instruction : code.instructions) {
    const bool unknown = traits_[instruction.opcode].kind == InstructionClass::kUnknown;
    report.unknown += unknown ? 1 : 0;
  }
  CodeSamples samples;
  const auto launch = profile != nullptr ? sampled_launch(*profile, code, samples) : std::nullopt;
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
  report.edges = static_cast<std::uint32_t>(flow.edges.size());
  report.dangling = flow.dangling;
  report.indirect_unknown = flow.indirect_unknown;
  report.irreducible = flow.irreducible;
  add_loops(analysed, report);
  add_structure(analysed, report);
  const Liveness liveness = live_registers(code, flow, opcodes_);
  report.live_registers = liveness.most;
  if (!code.instructions.empty()) report.live_at = code.instructions[liveness.most_at].address;
  if (listing_) add_listing(analysed, liveness, report);
  if (launch) add_samples(analysed, *launch, samples, report);
  if (report.hot_loop) analysed.scope.hot_loop = report.loops[*report.hot_loop].loop;
  return report;
}

}  // namespace proofline

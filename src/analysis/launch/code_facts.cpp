// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/code_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/launch/machine_code_facts.h"
#include "analysis/sass/loop_control.h"
#include "analysis/sass/tensor_shape.h"
#include "arch/mnemonics.h"
#include "vocabulary/stall_reasons.h"

namespace proofline {
namespace {

constexpr std::string_view kNoSamplesOfCode = "the report has no PC samples of this kernel";
constexpr std::array kNamedRoles = {RoleKind::kLoad, RoleKind::kMma, RoleKind::kEpilogue};
constexpr std::size_t kMostLaneLines = 10;

class CodeFacts {
 public:
  CodeFacts(const DecodedKernel& code, Facts& facts) : code_(code), facts_(facts) {}

  void publish() {
    const FunctionReport* report = code_.report;
    const std::string file_missing =
        report != nullptr ? "the code's own notes do not tell" : code_.missing;
    FunctionResources resources = report != nullptr ? report->resources : FunctionResources{};
    const std::string sum_missing =
        resources.linked ? file_missing
                         : "the code is not linked yet, and what it calls adds to it";
    if (!resources.linked) {
      resources.registers.reset();
      resources.stack_bytes.reset();
    }
    put(facts::kSassRegisters, resources.registers, sum_missing);
    put(facts::kSassStackBytes, resources.stack_bytes, sum_missing);
    put_answer(facts::kSassLines, resources.line_table, file_missing);
    put_answer(facts::kSassOptimised, resources.optimised, file_missing);
    put_answer(facts::kSassAllocates, resources.allocates,
               report != nullptr ? "something in the code allocates, and the call graph does not "
                                   "tell whether this kernel does"
                                 : code_.missing);
    std::string unread = code_.missing;
    if (report != nullptr && !report->wholly_read()) {
      unread = fmt::format("{} of {} instructions could not be decoded", report->unknown,
                           report->instructions);
      report = nullptr;
    } else if (report != nullptr && report->executed_unreached > 0) {
      unread =
          fmt::format("{} instructions were executed that nothing leads to by the branches as read",
                      report->executed_unreached);
      report = nullptr;
    }
    publish_structure(report, unread);
    publish_roles(report, unread);
    publish_waits(report, unread);
    publish_lanes(report, unread);
  }

 private:
  void put_answer(const FactRef& fact, const std::optional<bool>& answer,
                  const std::string& missing) {
    if (answer) {
      facts_.add(fact, *answer ? "yes" : "no");
    } else {
      put_absent(fact, missing);
    }
  }

  template <class Number>
  void put(const FactRef& fact, const std::optional<Number>& value, const std::string& missing,
           bool sampled = false) {
    std::vector<std::string> metrics;
    if (sampled) metrics.emplace_back(kSampleCount);
    if (value) {
      facts_.add(fact, static_cast<double>(*value), Sources(metrics));
    } else {
      put_absent(fact, missing);
    }
  }

  void put_absent(const FactRef& fact, const std::string& missing) {
    std::vector<std::string> metrics;
    const bool capture = missing == kNoSamplesOfCode || missing == kNoCode;
    if (capture) metrics.emplace_back(kSampleCount);
    facts_.mark_absent(fact, missing, std::move(metrics));
  }

  void publish_structure(const FunctionReport* report, const std::string& unread) {
    std::optional<std::size_t> instructions;
    std::optional<std::size_t> live;
    std::optional<std::uint64_t> spilled;
    std::string no_spills = unread;
    std::optional<std::size_t> loops;
    std::optional<TensorShape> shape;
    std::string no_shape = unread;
    if (report != nullptr) {
      const LocalUseCounts& spills = report->local.of(LocalUse::kSpill);
      instructions = report->stats.instructions;
      live = report->live_registers;
      if (report->local.knows_spills()) spilled = spills.loads.bytes + spills.stores.bytes;
      no_spills = "places behind an array of unknown size may be spilled registers";
      loops = report->loops.size();
      no_shape = "the kernel has no tensor instructions";
      for (const CodeStats::OpcodeCount& one : report->stats.opcodes) {
        if (instruction_class(one.opcode) != InstructionClass::kTensor) continue;
        shape = tensor_shape(one.opcode);
        no_shape = fmt::format("{} does not tell its shape", one.opcode);
        break;
      }
    }
    put(facts::kSassInstructions, instructions, unread);
    put(facts::kSassLive, live, unread);
    put(facts::kSassSpillBytes, spilled, no_spills);
    put(facts::kSassLoops, loops, unread);
    publish_loop_overhead(report, unread);
    const auto side = [&](std::uint32_t TensorShape::*which) {
      return shape ? std::optional((*shape).*which) : std::nullopt;
    };
    put(facts::kSassTensor[TensorSide::kM], side(&TensorShape::m), no_shape);
    put(facts::kSassTensor[TensorSide::kN], side(&TensorShape::n), no_shape);
    put(facts::kSassTensor[TensorSide::kK], side(&TensorShape::k), no_shape);
  }

  void publish_loop_overhead(const FunctionReport* report, const std::string& unread) {
    std::optional<double> share;
    std::string missing = unread;
    if (report != nullptr && !report->hot_loop) {
      missing = "the kernel has no loop that works";
    } else if (report != nullptr) {
      const LoopReport& loop = report->loops[*report->hot_loop];
      const auto control =
          count_loop_control(code_.analysed->code, code_.analysed->flow, *code_.opcodes,
                             static_cast<std::uint32_t>(*report->hot_loop));
      if (control) share = static_cast<double>(*control) / loop.stats.instructions;
      missing = "the loop is too large to find out what only keeps it going";
    }
    put(facts::kSassLoopOverheadShare, share, missing);
  }

  void publish_roles(const FunctionReport* report, const std::string& unread) {
    if (report == nullptr) {
      put_absent(facts::kSassRoles, unread);
      put_absent(facts::kSassRolesVerdict, unread);
    } else {
      put(facts::kSassRoles, std::optional(report->roles.roles.size()), "");
      facts_.add(facts::kSassRolesVerdict, std::string(to_string(report->roles.verdict)));
    }
    std::optional<std::size_t> barriers;
    std::string no_barriers = unread;
    if (report != nullptr && report->roles.unknown_barriers > 0) {
      no_barriers = "the number of a barrier is in a register";
    } else if (report != nullptr) {
      const auto& all = report->roles.barriers;
      barriers = static_cast<std::size_t>(std::count_if(
          all.begin(), all.end(), [](const RoleBarrier& barrier) { return barrier.in_loop; }));
    }
    put(facts::kSassBarriersShared, barriers, no_barriers);
    for (const RoleKind kind : kNamedRoles) publish_role(report, kind, unread);
  }

  void publish_role(const FunctionReport* report, RoleKind kind, const std::string& unread) {
    std::optional<std::uint32_t> instructions;
    std::optional<std::uint32_t> registers;
    std::optional<std::uint32_t> warps = 0;
    if (report != nullptr) {
      for (const Role& role : report->roles.roles) {
        if (role.kind != kind) continue;
        warps = warps && role.warps ? std::optional(*warps + *role.warps) : std::nullopt;
        instructions = std::max(instructions.value_or(0), role.instructions);
        const auto own = role.registers ? role.registers : report->resources.registers;
        if (own) registers = std::max(registers.value_or(0), *own);
      }
    }
    const std::string missing =
        report == nullptr ? unread : fmt::format("the kernel has no {} role", to_string(kind));
    put(facts::kSassRoleInstructions[kind], instructions, missing);
    put(facts::kSassRoleRegisters[kind], registers, missing);
    if (!instructions) warps = std::nullopt;
    put(facts::kSassRoleWarps[kind], warps,
        instructions ? "the role's condition does not tell its warps" : missing);
    const RoleTime time = report != nullptr ? report->roles.time_of(kind) : RoleTime();
    const bool sampled = report != nullptr && report->hot && instructions;
    std::string no_samples = missing;
    if (instructions) no_samples = sampled ? "no sample fell on this role" : kNoSamplesOfCode;
    std::optional<double> share;
    std::optional<double> waiting;
    if (sampled && report->hot->samples > 0) {
      share = static_cast<double>(time.samples) / static_cast<double>(report->hot->samples);
    }
    if (sampled && time.samples > 0) waiting = time.waiting_share();
    put(facts::kSassRoleSamplesShare[kind], share, no_samples, true);
    put(facts::kSassRoleWaitingShare[kind], waiting, no_samples, true);
  }

  void publish_waits(const FunctionReport* report, const std::string& unread) {
    const bool sampled = report != nullptr && report->hot && report->hot->samples > 0;
    const RoleTime mma = report != nullptr ? report->roles.time_of(RoleKind::kMma) : RoleTime();
    const bool bubbles = sampled && mma.samples > 0;
    std::string missing = unread;
    if (report != nullptr) missing = kNoSamplesOfCode;
    const bool multiplies = facts_.number(facts::kSassRoleInstructions[RoleKind::kMma]).has_value();
    const std::string no_bubbles = !sampled     ? missing
                                   : multiplies ? "no sample fell on the mma role"
                                                : "the kernel has no mma role";
    std::optional<double> balance;
    if (sampled) balance = report->roles.balance;
    put(facts::kSassRolesBalanceShare, balance,
        sampled ? "the kernel has no roles that wait for each other" : missing, true);
    std::optional<double> all;
    if (bubbles) all = mma.waiting_share();
    put(facts::kPipelineBubbleShare, all, no_bubbles, true);
    for (const RoleKind kind : {RoleKind::kLoad, RoleKind::kEpilogue}) {
      std::optional<double> share;
      if (bubbles) share = bubble(*report, kind, mma.samples);
      const std::string apart =
          fmt::format("the mma role meets no {} role at a barrier", to_string(kind));
      put(facts::kPipelineBubbleRoleShare[kind], share, bubbles ? apart : no_bubbles, true);
    }
    std::optional<double> copies;
    if (sampled) copies = copy_waits(*report);
    put(facts::kMemoryTmaWaitShare, copies, sampled ? "the kernel waits for no bulk copy" : missing,
        true);
  }

  // Of the mma roles' samples, those that wait for roles of a kind; nothing where they never meet.
  static std::optional<double> bubble(const FunctionReport& report, RoleKind kind,
                                      std::uint64_t samples) {
    std::optional<double> sum;
    for (const RoleWait& wait : report.roles.waits) {
      if (report.roles.roles[wait.role].kind != RoleKind::kMma) continue;
      if (report.roles.roles[wait.for_role].kind != kind) continue;
      sum = sum.value_or(0) + static_cast<double>(wait.samples) / static_cast<double>(samples);
    }
    return sum;
  }

  static std::optional<double> copy_waits(const FunctionReport& report) {
    std::optional<double> sum;
    for (const Mbarrier& barrier : report.mbarriers.barriers) {
      const bool copied = std::any_of(
          barrier.accesses.begin(), barrier.accesses.end(),
          [](const MbarrierAccess& access) { return access.use == MbarrierUse::kCopy; });
      if (!copied || !barrier.waiting_samples) continue;
      sum = sum.value_or(0) + static_cast<double>(*barrier.waiting_samples) /
                                  static_cast<double>(report.hot->samples);
    }
    return sum;
  }

  void publish_lanes(const FunctionReport* report, const std::string& unread) {
    const std::vector<std::string> metrics = {std::string(kThreadsExecuted)};
    const bool counted = report != nullptr && report->lanes;
    const std::size_t lines =
        counted ? std::min(report->lanes->lines.size(), kMostLaneLines) : std::size_t{0};
    for (std::size_t i = 0; i < lines; ++i) {
      const LaneLine& row = report->lanes->lines[i];
      const double share = static_cast<double>(row.lanes.lost()) /
                           static_cast<double>(report->lanes->function.all());
      facts_.add(facts::kLanesLinePlace[i], row.line, Sources(metrics));
      facts_.add(facts::kLanesLineLostShare[i], share, Sources(metrics));
    }
    if (lines > 0) return;
    const std::string missing = report == nullptr ? unread
                                : !counted        ? "executed threads were not counted"
                                                  : "no line is known to lose lanes";
    const bool capture = missing == kNoCode || (report != nullptr && !counted);
    for (const FactRef& fact : {facts::kLanesLinePlace[0], facts::kLanesLineLostShare[0]}) {
      facts_.mark_absent(fact, missing, capture ? metrics : std::vector<std::string>{});
    }
  }

  const DecodedKernel& code_;
  Facts& facts_;
};

}  // namespace

void publish_code_facts(const DecodedKernel& code, Facts& facts) {
  CodeFacts(code, facts).publish();
}

}  // namespace proofline

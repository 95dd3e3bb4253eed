// SPDX-License-Identifier: Apache-2.0
//
// How many warps an SM could hold of this kernel and how many it held, what stops the next block
// and what would let it in. ncu's numbers come first; where the capture lacks them, our calculator
// works them out from the launch. Where both are there and differ, a fact says so.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/launch/occupancy_calculator.h"
#include "analysis/launch/occupancy_facts.h"
#include "arch/arch.h"
#include "base/text.h"
#include "vocabulary/metric_names.h"

namespace proofline {
namespace {

constexpr std::string_view kTheoreticalWarps = "sm__maximum_warps_avg_per_active_cycle";

// In the order of BlockLimit.
constexpr std::array<std::string_view, kBlockLimitCount> kLimits = {
    "launch__occupancy_limit_registers", "launch__occupancy_limit_shared_mem",
    "launch__occupancy_limit_warps", "launch__occupancy_limit_blocks",
    "launch__occupancy_limit_barriers"};

constexpr auto kBarriers = static_cast<std::size_t>(BlockLimit::kBarriers);

// More than any GPU can mean is a damaged number, taken as absent.
constexpr double kMostThings = 1 << 20;
constexpr double kMostBytes = 1 << 30;
constexpr double kMostPercent = 110;
// Two shares that differ by less are the same one, printed with two decimals.
constexpr double kSameShare = 1e-4;

struct Number {
  double value = 0;
  Sources sources;
};

std::optional<double> count(const Subject& subject, std::string_view metric, double most) {
  const auto value = subject.number(metric);
  return value && *value >= 0 && *value <= most ? value : std::nullopt;
}

std::optional<double> share(const Subject& subject, std::string_view metric) {
  const auto percent = subject.number(metric);
  if (!percent || *percent < 0 || *percent > kMostPercent) return std::nullopt;
  return std::min(1.0, *percent / 100);
}

// What our calculator makes of a launch, or why it cannot.
struct Calculation {
  const SmLimits* sm = nullptr;
  BlockResources block;
  std::optional<Occupancy> occupancy;
  Sources sources;
  std::string reason;                // beside metrics that the capture lacks
  std::vector<std::string> missing;  // those
};

// Printed sizes are rounded to 10 bytes; the real one is the multiple nearby.
std::uint32_t exact(const Subject& subject, double printed, double unit) {
  const double multiple = std::round(printed / unit) * unit;
  const std::string& format = subject.profile.format;
  const bool rounded = format != "ncu-rep" && format != "recording" && printed >= 1000;
  return static_cast<std::uint32_t>(rounded && std::abs(multiple - printed) <= 5 ? multiple
                                                                                 : printed);
}

Calculation calculate(const Subject& subject) {
  Calculation result;
  const Launch& launch = subject.launch;
  result.sm = find_sm_limits(launch.compute_capability);
  if (launch.compute_capability.empty()) {
    result.reason = "the GPU's compute capability is unknown";
  } else if (result.sm == nullptr) {
    result.reason =
        "compute capability " + launch.compute_capability + " is not among those we know";
  } else if (launch.kind != LaunchKind::kKernel) {
    result.reason = fmt::format("a {} can hold several kernels", to_string(launch.kind));
  }
  if (!result.reason.empty()) return result;

  const auto read = [&](std::string_view metric, double most) -> double {
    const auto value = count(subject, metric, most);
    if (!value) {
      result.missing.emplace_back(metric);
      return 0;
    }
    result.sources.add(metric);
    return *value;
  };
  // Kernels choose shared memory in multiples of 16 bytes; the carve-outs are whole KiB.
  BlockResources& block = result.block;
  block.threads = static_cast<std::uint32_t>(read("launch__block_size", kMostThings));
  block.registers_per_thread =
      static_cast<std::uint32_t>(read("launch__registers_per_thread", kMostThings));
  block.shared_bytes = exact(subject, read("launch__shared_mem_per_block_static", kMostBytes), 16) +
                       exact(subject, read("launch__shared_mem_per_block_dynamic", kMostBytes), 16);
  if (!result.missing.empty()) return result;
  // These two older versions of ncu do not write.
  if (count(subject, "launch__shared_mem_config_size", kMostBytes)) {
    block.shared_carveout =
        exact(subject, read("launch__shared_mem_config_size", kMostBytes), 1024);
  }
  if (count(subject, "launch__barrier_count", kMostThings)) {
    block.barriers = static_cast<std::uint32_t>(read("launch__barrier_count", kMostThings));
  }
  result.occupancy = calculate_occupancy(*result.sm, block);
  if (result.occupancy->blocks == 0) {
    result.occupancy.reset();
    result.reason = "by its registers, shared memory and threads such a block cannot run";
  }
  return result;
}

// ncu's number where the capture has it, else ours.
std::optional<Number> choose(std::string_view metric, std::optional<double> theirs,
                             std::optional<double> ours, const Calculation& calculation) {
  if (theirs) return Number{*theirs, {std::string(metric)}};
  if (ours) return Number{*ours, calculation.sources};
  return std::nullopt;
}

void mark_missing(Facts& facts, const FactRef& fact, std::string_view metric,
                  const Calculation& calculation) {
  std::string reason = "the capture lacks " + std::string(metric);
  if (!calculation.reason.empty()) reason += ", and " + calculation.reason;
  facts.mark_absent(fact, std::move(reason), {std::string(metric)});
}

void publish_either(Facts& facts, const FactRef& fact, std::string_view metric,
                    const std::optional<Number>& number, const Calculation& calculation) {
  if (number) {
    facts.add(fact, number->value, number->sources);
  } else {
    mark_missing(facts, fact, metric, calculation);
  }
}

void note_difference(std::vector<std::string>& differences, std::string_view what, double theirs,
                     double our) {
  differences.push_back(fmt::format("{}: {:g} by ncu, {:g} by our calculation", what, theirs, our));
}

std::string fewer(std::uint32_t before, std::uint32_t after, std::string_view one,
                  std::string_view many) {
  return fmt::format("{} ({} instead of {})", plural(before - after, one, many),
                     group_digits(after), group_digits(before));
}

// "3 registers fewer per thread (64 instead of 67) gives one more block: 50 % -> 62.5 %"
std::string describe(const Calculation& calculation, const OccupancyStep& step) {
  const BlockResources& now = calculation.block;
  const BlockResources& then = step.block;
  const std::string effect = fmt::format(": {} -> {}", share_text(calculation.occupancy->share),
                                         share_text(step.occupancy.share));
  if (then.threads != now.threads) {
    return fmt::format("{} threads per block instead of {} fill an SM better", then.threads,
                       now.threads) +
           effect;
  }
  std::vector<std::string> changes;
  if (then.registers_per_thread != now.registers_per_thread) {
    changes.push_back(fewer(now.registers_per_thread, then.registers_per_thread,
                            "register fewer per thread", "registers fewer per thread"));
  }
  if (then.shared_bytes != now.shared_bytes) {
    changes.push_back(fewer(now.shared_bytes, then.shared_bytes,
                            "byte less shared memory per block",
                            "bytes less shared memory per block"));
  }
  if (then.shared_carveout && then.shared_carveout != now.shared_carveout) {
    changes.push_back(fmt::format("a shared-memory carve-out of {} KiB instead of {}",
                                  *then.shared_carveout / 1024,
                                  now.shared_carveout.value_or(0) / 1024));
  }
  if (then.barriers != now.barriers) {
    changes.push_back(
        fewer(now.barriers, then.barriers, "barrier fewer per block", "barriers fewer per block"));
  }
  const std::uint32_t more = step.occupancy.blocks - calculation.occupancy->blocks;
  return fmt::format("{} gives {}{}", fmt::join(changes, " and "),
                     more == 1 ? "one more block" : fmt::format("{} more blocks", more), effect);
}

void publish_next_step(Facts& facts, const Calculation& calculation, bool agreed) {
  const auto absent = [&](std::string reason, std::vector<std::string> metrics = {}) {
    facts.mark_absent(facts::kOccupancyNextStep, std::move(reason), std::move(metrics));
  };
  if (!calculation.missing.empty()) {
    return absent("the capture lacks " + calculation.missing.front(), calculation.missing);
  }
  if (!calculation.occupancy) return absent(calculation.reason);
  if (!agreed) return absent("ncu's numbers and our own calculation differ");
  if (calculation.occupancy->share == 1) {
    return absent("the theoretical occupancy is 100 % already");
  }
  const auto step = next_occupancy_step(*calculation.sm, calculation.block);
  if (!step) return absent("no change to the block lets more warps in");
  facts.add(facts::kOccupancyNextStep, describe(calculation, *step), calculation.sources);
}

void publish_cluster_fill(const Subject& subject, Facts& facts, const std::optional<Number>& blocks,
                          const Calculation& ours) {
  if (subject.number("launch__cluster_size").value_or(0) == 0) {
    facts.mark_absent(facts::kOccupancyClusterFill, "the launch has no clusters");
    return;
  }
  if (!blocks) {
    mark_missing(facts, facts::kOccupancyClusterFill, kLimits[0], ours);
    return;
  }
  Formula formula(subject);
  const double clusters = formula.read("launch__cluster_max_active");
  const double size = formula.read("launch__cluster_size");
  const double sms = formula.read("launch__sm_count");
  formula.publish(facts, facts::kOccupancyClusterFill, clusters * size / (sms * blocks->value));
}

using Limits = std::array<std::optional<Number>, kBlockLimitCount>;

Limits publish_limits(const Subject& subject, Facts& facts, const Calculation& ours,
                      std::vector<std::string>& differences) {
  Limits limits;
  for (std::size_t i = 0; i < kBlockLimitCount; ++i) {
    const auto limit = static_cast<BlockLimit>(i);
    const auto theirs = count(subject, kLimits[i], kMostThings);
    std::optional<double> our;
    if (ours.occupancy && ours.occupancy->limits[i]) our = *ours.occupancy->limits[i];
    if (theirs && our && *theirs != *our)
      note_difference(differences, to_string(limit), *theirs, *our);
    limits[i] = choose(kLimits[i], theirs, our, ours);
    const FactRef fact = facts::kOccupancyLimit[limit];
    if (!limits[i] && i == kBarriers && ours.sm != nullptr && !ours.sm->barriers) {
      facts.mark_absent(fact, "barriers do not limit the blocks of this GPU");
    } else {
      publish_either(facts, fact, kLimits[i], limits[i], ours);
    }
  }
  return limits;
}

// Blocks that fit by all limits. Barriers are the one that older captures and GPUs do without.
std::optional<Number> smallest(const Limits& limits) {
  Number blocks{kMostThings, {}};
  for (std::size_t i = 0; i < kBlockLimitCount; ++i) {
    if (!limits[i] && i == kBarriers) continue;
    if (!limits[i]) return std::nullopt;
    blocks.value = std::min(blocks.value, limits[i]->value);
    for (const std::string& source : limits[i]->sources.metrics()) {
      const std::vector<std::string>& known = blocks.sources.metrics();
      if (std::find(known.begin(), known.end(), source) == known.end()) blocks.sources.add(source);
    }
  }
  return blocks;
}

// "registers+shared-memory". Where block slots run out, what a block takes of shared memory and
// barriers does not matter; a carve-out that could be larger is no limit beside another.
std::string binding(const Limits& limits, double blocks, const Calculation& ours) {
  const auto binds = [&](BlockLimit limit) {
    const auto& number = limits[static_cast<std::size_t>(limit)];
    return number && number->value == blocks;
  };
  const bool slots = binds(BlockLimit::kBlocks);
  const bool size = slots || binds(BlockLimit::kWarps);
  const bool registers = binds(BlockLimit::kRegisters);
  const bool barriers = binds(BlockLimit::kBarriers) && !slots;
  const bool carveout = ours.occupancy && ours.occupancy->most_by_shared_memory > blocks;
  const bool shared =
      binds(BlockLimit::kSharedMemory) && !slots && !(carveout && (size || registers || barriers));
  std::vector<std::string_view> words;
  if (registers) words.emplace_back("registers");
  if (shared) words.emplace_back("shared-memory");
  if (size) words.emplace_back("block-size");
  if (barriers) words.emplace_back("barriers");
  return fmt::format("{}", fmt::join(words, "+"));
}

void publish_warps_per_scheduler(const Subject& subject, Facts& facts, const Calculation& ours) {
  std::optional<double> our;
  if (ours.occupancy) our = ours.occupancy->warps;
  auto warps = choose(kTheoreticalWarps, count(subject, kTheoreticalWarps, kMostThings), our, ours);
  if (warps && ours.sm == nullptr) {
    facts.mark_absent(facts::kOccupancyWarpsPerScheduler, ours.reason);
    return;
  }
  if (warps) warps->value /= ours.sm->sub_partitions;
  publish_either(facts, facts::kOccupancyWarpsPerScheduler, kTheoreticalWarps, warps, ours);
}

void publish_launch(const Subject& subject, Facts& facts) {
  publish_metric(subject, facts, facts::kOccupancyRegistersPerThread);
  Formula shared(subject);
  const double fixed = shared.read("launch__shared_mem_per_block_static");
  const double dynamic = shared.read("launch__shared_mem_per_block_dynamic");
  shared.publish(facts, facts::kOccupancySharedMemoryPerBlock, fixed + dynamic);
}

void publish_occupancy(const Subject& subject, Facts& facts) {
  const Calculation ours = calculate(subject);
  std::vector<std::string> differences;

  const std::string_view metric = kTheoreticalOccupancy[0];
  const auto their_share = share(subject, metric);
  std::optional<double> our_share;
  if (ours.occupancy) our_share = ours.occupancy->share;
  if (their_share && our_share && std::abs(*their_share - *our_share) > kSameShare) {
    note_difference(differences, "theoretical occupancy", *their_share, *our_share);
  }
  const auto theoretical = choose(metric, their_share, our_share, ours);
  publish_either(facts, facts::kOccupancyTheoretical, metric, theoretical, ours);
  publish_either(
      facts, facts::kOccupancyAchieved, kAchievedOccupancy[0],
      choose(kAchievedOccupancy[0], share(subject, kAchievedOccupancy[0]), std::nullopt, ours), {});

  const Limits limits = publish_limits(subject, facts, ours, differences);
  const auto blocks = smallest(limits);
  publish_either(facts, facts::kOccupancyBlocksPerSm, kLimits[0], blocks, ours);
  if (blocks && theoretical) {
    const bool full = theoretical->value > 1 - kSameShare;
    facts.add(facts::kOccupancyLimiter, full ? "none" : binding(limits, blocks->value, ours),
              blocks->sources);
  } else {
    mark_missing(facts, facts::kOccupancyLimiter, kLimits[0], ours);
  }

  publish_warps_per_scheduler(subject, facts, ours);
  publish_launch(subject, facts);
  publish_cluster_fill(subject, facts, blocks, ours);
  publish_next_step(facts, ours, differences.empty());
  if (differences.empty()) {
    facts.mark_absent(facts::kOccupancyDisagreement, "ncu's numbers and ours do not differ");
  } else {
    facts.add(facts::kOccupancyDisagreement, fmt::format("{}", fmt::join(differences, "; ")),
              ours.sources);
  }
}

}  // namespace

Analysis occupancy() { return {"occupancy", kOccupancyFacts, publish_occupancy}; }

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// How busy each level of the memory system and each pipe is, as a share of its peak over the
// elapsed time, with bytes/s beside it, and which of them is the roof.
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/launch/reachable.h"
#include "analysis/launch/throughput_facts.h"
#include "base/characters.h"
#include "vocabulary/levels.h"
#include "vocabulary/metric_names.h"

namespace proofline {
namespace {

// Levels within this factor of the busiest are candidates for the roof; LevelInfo::binds decides.
constexpr double kNear = 0.9;

// Bytes per wavefront of the data stage of L1 and shared memory.
constexpr double kWavefrontBytes = 128;

struct Utilisation {
  const LevelInfo* level;
  double share;
  std::string path;  // the metric that it was read from
};

void publish_utilisation(const Utilisation& found, Facts& facts) {
  const Level level = found.level->level;
  facts.add(facts::kThroughputShare[level], found.share, {found.path});
  facts.add(facts::kThroughputPath[level], found.path, {found.path});
}

void publish_absent(const LevelInfo& level, Facts& facts) {
  const std::string metric(level.is_whole() ? level.aggregate.front() : level.paths.front());
  for (const auto& family : {facts::kThroughputShare, facts::kThroughputPath}) {
    facts.mark_absent(family[level.level], "the capture lacks " + metric, {metric});
  }
}

std::optional<Utilisation> busiest(const Subject& subject, const LevelInfo& level,
                                   MetricAlternatives paths) {
  std::optional<Utilisation> best;
  for (const std::string_view path : paths) {
    const auto percent = subject.number(path);
    if (percent && (!best || *percent / 100 > best->share)) {
      best = Utilisation{&level, *percent / 100, std::string(path)};
    }
  }
  return best;
}

// Shuffles count as shared wavefronts but access no shared memory, so that the share is scaled by
// the wavefronts of the instructions that do.
std::optional<Utilisation> shared_utilisation(const Subject& subject, const LevelInfo& level) {
  auto found = busiest(subject, level, level.paths);
  if (!found) return std::nullopt;
  const auto all = subject.number("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum");
  const auto accesses = subject.number("memory_l1_wavefronts_shared");
  if (all && accesses && *all > 0) found->share *= std::min(1.0, *accesses / *all);
  return found;
}

// L1's own load is that of its data stage without shared memory, or that of the writeback path.
std::optional<Utilisation> l1_utilisation(const Subject& subject, const LevelInfo& level) {
  auto found = busiest(subject, level, level.paths.first(1));
  if (!found) return std::nullopt;
  const auto shared = subject.first(level_info(Level::kShared).paths);
  found->share = std::max(0.0, found->share - shared.value_or(0) / 100);
  auto other = busiest(subject, level, level.paths.subspan(1));
  return other && other->share > found->share ? other : found;
}

// An SM has four schedulers from cc 7.0 on, each of which issues one instruction per cycle.
std::optional<Utilisation> issue_utilisation(const Subject& subject, const LevelInfo& level) {
  constexpr double kSchedulers = 4;
  auto found = busiest(subject, level, level.paths);
  if (found || subject.launch.compute_capability.starts_with("6.")) return found;
  constexpr std::string_view kIpc = "sm__inst_executed.avg.per_cycle_elapsed";
  if (const auto ipc = subject.number(kIpc)) {
    found = Utilisation{&level, *ipc / kSchedulers, std::string(kIpc)};
  }
  return found;
}

// ncu gives L1's aggregate over active cycles; scaled to elapsed ones.
std::optional<Utilisation> aggregate_utilisation(const Subject& subject, const LevelInfo& level) {
  for (const std::string_view name : level.aggregate) {
    const auto percent = subject.number(name);
    if (!percent) continue;
    double share = *percent / 100;
    if (name.ends_with("_active")) {
      const auto active = subject.number("sm__cycles_active.avg");
      const auto elapsed = subject.number("sm__cycles_elapsed.max");
      if (active && elapsed && *elapsed > 0) share *= std::min(1.0, *active / *elapsed);
    }
    return Utilisation{&level, share, std::string(name)};
  }
  return std::nullopt;
}

std::optional<Utilisation> utilisation_by_paths(const Subject& subject, const LevelInfo& level) {
  switch (level.level) {
    case Level::kL1: return l1_utilisation(subject, level);
    case Level::kShared: return shared_utilisation(subject, level);
    case Level::kIssue: return issue_utilisation(subject, level);
    default: return busiest(subject, level, level.paths);
  }
}

// Achieved over peak bytes per second, which is all that a roofline section has.
std::optional<Utilisation> utilisation_by_bytes(const Subject& subject, const LevelInfo& level) {
  if (level.bytes.empty()) return std::nullopt;
  const std::string rate = std::string(level.bytes) + ".per_second";
  const auto bytes = subject.number(rate);
  const auto peak = subject.number(std::string(level.bytes) + ".peak_sustained");
  const auto clock = subject.number(level.clock);
  if (!bytes || !peak || !clock || *peak <= 0 || *clock <= 0) return std::nullopt;
  return Utilisation{&level, *bytes / (*peak * *clock), rate};
}

std::optional<Utilisation> utilisation(const Subject& subject, const LevelInfo& level) {
  if (auto found = utilisation_by_paths(subject, level)) return found;
  if (auto found = aggregate_utilisation(subject, level)) return found;
  return utilisation_by_bytes(subject, level);
}

// An aggregate tells something only where its parts were not captured: no level of memory, or so
// few pipes of an SM that none accounts for it.
bool says_more(const Utilisation& whole, const std::vector<Utilisation>& parts) {
  constexpr std::ptrdiff_t kFew = 3;
  const auto is_far = [](const Utilisation& part) {
    return part.level->level == Level::kDram || part.level->level == Level::kL2;
  };
  const auto is_memory = [&](const Utilisation& part) {
    return is_far(part) || part.level->level == Level::kL1;
  };
  if (whole.level->level == Level::kMemory)
    return std::none_of(parts.begin(), parts.end(), is_memory);
  const auto accounts = [&](const Utilisation& part) {
    return part.share >= kNear * whole.share && !is_far(part);
  };
  return std::count_if(parts.begin(), parts.end(), std::not_fn(is_memory)) < kFew &&
         std::none_of(parts.begin(), parts.end(), accounts);
}

void publish_roof(const std::vector<Utilisation>& all, Facts& facts) {
  double highest = 0;
  for (const Utilisation& found : all) highest = std::max(highest, found.share);
  const Utilisation* roof = nullptr;
  for (const Utilisation& found : all) {
    if (found.share < kNear * highest) continue;
    if (roof == nullptr || found.level->binds < roof->level->binds) roof = &found;
  }
  if (roof != nullptr) {
    const Sources sources = {roof->path};
    facts.add(facts::kRoofLevel, std::string(roof->level->name), sources);
    facts.add(facts::kRoofShare, roof->share, sources);
    facts.add(facts::kRoofHeadroom, std::max(0.0, 1 - roof->share / kReachable), sources);
    return;
  }
  for (const FactInfo& fact : {facts::kRoofLevel, facts::kRoofShare, facts::kRoofHeadroom}) {
    facts.mark_absent(fact, "the capture has no throughput of any level",
                      {"sm__throughput.avg.pct_of_peak_sustained_elapsed"});
  }
}

// A report lists the metrics that a throughput is made of, separated by commas.
void publish_breakdown(const Subject& subject, std::string_view throughput, const FactInfo& top,
                       const FactInfo& top_share, Facts& facts) {
  const Metric* list = subject.metric("breakdown:" + std::string(throughput));
  const auto* names = list != nullptr ? std::get_if<std::string>(&list->value) : nullptr;
  const auto publish_none = [&](const std::string& why) {
    for (const FactInfo* fact : {&top, &top_share}) {
      facts.mark_absent(*fact, why, {std::string(throughput)});
    }
  };
  if (names == nullptr) {
    return publish_none("the capture does not say what makes up " + std::string(throughput));
  }
  std::string_view rest = *names;
  std::string_view busiest_part;
  double highest = -1;
  while (!rest.empty()) {
    const std::string_view part = take_until(',', rest);
    if (const auto value = subject.number(part); value && *value > highest) {
      highest = *value;
      busiest_part = part;
    }
  }
  if (busiest_part.empty()) {
    return publish_none("the capture has nothing of what makes up " + std::string(throughput));
  }
  facts.add(top, std::string(busiest_part), {std::string(throughput)});
  facts.add(top_share, highest / 100, {std::string(busiest_part)});
}

void publish_throughput(const Subject& subject, Facts& facts) {
  Formula time(subject);
  const double duration = time.read_any(kDuration);
  time.publish(facts, facts::kDuration, duration);

  std::vector<Utilisation> all;
  for (const LevelInfo& level : levels()) {
    auto found = utilisation(subject, level);
    if (found && (!level.is_whole() || says_more(*found, all))) {
      publish_utilisation(*found, facts);
      if (level.can_be_roof()) all.push_back(std::move(*found));
    } else if (found) {
      facts.mark_absent(facts::kThroughputShare[level.level],
                        "the levels that make it up were captured");
    } else {
      publish_absent(level, facts);
    }
  }
  publish_roof(all, facts);
  publish_breakdown(subject, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
                    facts::kThroughputMemoryTop, facts::kThroughputMemoryTopShare, facts);
  publish_breakdown(subject, "sm__throughput.avg.pct_of_peak_sustained_elapsed",
                    facts::kThroughputSmTop, facts::kThroughputSmTopShare, facts);
  Formula shared(subject);
  const double wavefronts = shared.read("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum");
  const double seconds = shared.read_any(kDuration) * 1e-9;
  shared.publish(facts, facts::kThroughputBytesPerSecond[Level::kShared],
                 kWavefrontBytes * wavefronts / seconds);
  for (const LevelInfo& level : levels()) {
    if (level.bytes.empty()) continue;
    publish_metric(subject, facts, facts::kThroughputBytesPerSecond[level.level],
                   std::string(level.bytes) + ".per_second");
  }
}

}  // namespace

Analysis throughput() { return {"throughput", kThroughputFacts, publish_throughput}; }

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// How near each level of the memory system and each pipe stands to its peak, over the whole elapsed
// time, with bytes/s beside it, and which of them is the roof.
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/launch/reachable.h"
#include "base/characters.h"
#include "vocabulary/levels.h"
#include "vocabulary/metric_names.h"

namespace proofline {
namespace {

constexpr FactInfo kThroughputFacts[] = {
    {"throughput.<level>.share", kShare,
     "How much of a level's or pipe's peak was used over the elapsed time: dram, l2, l1, shared, "
     "tensor, fma, fma-heavy, fp64, integer, special-function, lsu, issue, constant, tma; sm and "
     "memory are ncu's aggregates, where what makes them up was not captured."},
    {"throughput.<level>.path", "", "The data path of that level that was used most."},
    {"throughput.<level>.bytes_per_second", "byte/s", "Bytes that level moved in a second."},
    {"throughput.memory.top", "", "What makes up ncu's memory throughput: its largest part."},
    {"throughput.sm.top", "", "What makes up ncu's SM throughput: its largest part."},
    {"throughput.memory.top_share", kShare, "That part's share of its peak."},
    {"throughput.sm.top_share", kShare, "That part's share of its peak."},
    {"roof.level", "", "The level or pipe that the kernel stands nearest to saturating."},
    {"roof.share", kShare, "How much of that roof's peak was used."},
    {"roof.headroom", kShare,
     "How much of the time reaching that roof in practice would save; no change that "
     "leaves the work as it is can gain more."},
    {"duration", "ns", "The time of the launch under ncu's replay; not wall time."},
};

// Levels this near to the highest share are candidates for the roof; Level::binds decides.
constexpr double kNear = 0.9;

// What the data stage of L1 and shared memory moves at once.
constexpr double kWavefrontBytes = 128;

struct Standing {
  const Level* level;
  double share;
  std::string path;
};

void publish_standing(const Standing& standing, Facts& facts) {
  facts.add(
      {share_fact(standing.level->name), std::string(kShare), standing.share, {standing.path}});
  facts.add({"throughput." + std::string(standing.level->name) + ".path",
             "",
             standing.path,
             {standing.path}});
}

void publish_absent(const Level& level, Facts& facts) {
  const std::string metric(level.is_whole() ? level.aggregate.front() : level.paths.front());
  const std::string path = "throughput." + std::string(level.name) + ".path";
  for (const std::string& name : {share_fact(level.name), path}) {
    facts.add_absent({name, "the capture lacks " + metric, {metric}});
  }
}

std::optional<Standing> busiest(const Subject& subject, const Level& level,
                                MetricAlternatives paths) {
  std::optional<Standing> best;
  for (const std::string_view path : paths) {
    const auto percent = subject.number(path);
    if (percent && (!best || *percent / 100 > best->share)) {
      best = Standing{&level, *percent / 100, std::string(path)};
    }
  }
  return best;
}

// Shuffles count among the shared wavefronts but move no shared memory; what the instructions that
// do access it need is counted apart.
std::optional<Standing> stand_shared(const Subject& subject, const Level& level) {
  auto standing = busiest(subject, level, level.paths);
  if (!standing) return std::nullopt;
  const auto all = subject.number("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum");
  const auto accesses = subject.number("memory_l1_wavefronts_shared");
  if (all && accesses && *all > 0) standing->share *= std::min(1.0, *accesses / *all);
  return standing;
}

// L1's own load is what its data stage does beyond shared memory, or its way back to registers.
std::optional<Standing> stand_l1(const Subject& subject, const Level& level) {
  auto standing = busiest(subject, level, level.paths.first(1));
  if (!standing) return std::nullopt;
  const auto shared = subject.first(find_level("shared")->paths);
  standing->share = std::max(0.0, standing->share - shared.value_or(0) / 100);
  auto other = busiest(subject, level, level.paths.subspan(1));
  return other && other->share > standing->share ? other : standing;
}

// Each scheduler issues one instruction a cycle, and from cc 7.0 on an SM has four.
std::optional<Standing> stand_issue(const Subject& subject, const Level& level) {
  constexpr double kSchedulers = 4;
  auto standing = busiest(subject, level, level.paths);
  if (standing || subject.launch.compute_capability.starts_with("6.")) return standing;
  constexpr std::string_view kIpc = "sm__inst_executed.avg.per_cycle_elapsed";
  if (const auto ipc = subject.number(kIpc)) {
    standing = Standing{&level, *ipc / kSchedulers, std::string(kIpc)};
  }
  return standing;
}

// ncu counts L1's aggregate over the cycles in which its SM was active.
std::optional<Standing> stand_aggregate(const Subject& subject, const Level& level) {
  for (const std::string_view name : level.aggregate) {
    const auto percent = subject.number(name);
    if (!percent) continue;
    double share = *percent / 100;
    if (name.ends_with("_active")) {
      const auto active = subject.number("sm__cycles_active.avg");
      const auto elapsed = subject.number("sm__cycles_elapsed.max");
      if (active && elapsed && *elapsed > 0) share *= std::min(1.0, *active / *elapsed);
    }
    return Standing{&level, share, std::string(name)};
  }
  return std::nullopt;
}

std::optional<Standing> stand_by_paths(const Subject& subject, const Level& level) {
  if (level.name == "l1") return stand_l1(subject, level);
  if (level.name == "shared") return stand_shared(subject, level);
  if (level.name == "issue") return stand_issue(subject, level);
  return busiest(subject, level, level.paths);
}

// Bytes in a second of those that its clock would let it move: all that a roofline tells.
std::optional<Standing> stand_by_bytes(const Subject& subject, const Level& level) {
  if (level.bytes.empty()) return std::nullopt;
  const std::string rate = std::string(level.bytes) + ".per_second";
  const auto bytes = subject.number(rate);
  const auto peak = subject.number(std::string(level.bytes) + ".peak_sustained");
  const auto clock = subject.number(level.clock);
  if (!bytes || !peak || !clock || *peak <= 0 || *clock <= 0) return std::nullopt;
  return Standing{&level, *bytes / (*peak * *clock), rate};
}

std::optional<Standing> stand(const Subject& subject, const Level& level) {
  if (auto standing = stand_by_paths(subject, level)) return standing;
  if (auto standing = stand_aggregate(subject, level)) return standing;
  return stand_by_bytes(subject, level);
}

// An aggregate is worth a word where what makes it up was not captured: no level of memory, or so
// few of an SM's that none accounts for it.
bool says_more(const Standing& whole, const std::vector<Standing>& parts) {
  constexpr std::ptrdiff_t kFew = 3;
  const auto is_memory = [](const Standing& part) {
    return is_one_of(part.level->name, {"dram", "l2", "l1"});
  };
  if (whole.level->name == "memory") return std::none_of(parts.begin(), parts.end(), is_memory);
  const auto accounts = [&](const Standing& part) {
    return part.share >= kNear * whole.share && !is_one_of(part.level->name, {"dram", "l2"});
  };
  return std::count_if(parts.begin(), parts.end(), std::not_fn(is_memory)) < kFew &&
         std::none_of(parts.begin(), parts.end(), accounts);
}

void publish_roof(const std::vector<Standing>& standings, Facts& facts) {
  double highest = 0;
  for (const Standing& standing : standings) highest = std::max(highest, standing.share);
  const Standing* roof = nullptr;
  for (const Standing& standing : standings) {
    if (standing.share < kNear * highest) continue;
    if (roof == nullptr || standing.level->binds < roof->level->binds) roof = &standing;
  }
  if (roof != nullptr) {
    const Sources sources = {roof->path};
    facts.add({"roof.level", "", std::string(roof->level->name), sources});
    facts.add({"roof.share", std::string(kShare), roof->share, sources});
    facts.add({"roof.headroom", std::string(kShare), std::max(0.0, 1 - roof->share / kReachable),
               sources});
    return;
  }
  for (const char* name : {"roof.level", "roof.share", "roof.headroom"}) {
    facts.add_absent({name,
                      "the capture has no throughput of any level",
                      {"sm__throughput.avg.pct_of_peak_sustained_elapsed"}});
  }
}

// A report lists the names behind a throughput, separated by commas.
void publish_breakdown(const Subject& subject, std::string_view throughput, const std::string& name,
                       Facts& facts) {
  const Metric* list = subject.metric("breakdown:" + std::string(throughput));
  const auto* names = list != nullptr ? std::get_if<std::string>(&list->value) : nullptr;
  const auto publish_none = [&](const std::string& why) {
    for (const std::string& absent : {name, name + "_share"}) {
      facts.add_absent({absent, why, {std::string(throughput)}});
    }
  };
  if (names == nullptr) {
    return publish_none("the capture does not say what makes up " + std::string(throughput));
  }
  std::string_view rest = *names;
  std::string_view top;
  double highest = -1;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    if (const auto value = subject.number(part); value && *value > highest) {
      highest = *value;
      top = part;
    }
  }
  if (top.empty()) {
    return publish_none("the capture has nothing of what makes up " + std::string(throughput));
  }
  facts.add({name, "", std::string(top), {std::string(throughput)}});
  facts.add({name + "_share", std::string(kShare), highest / 100, {std::string(top)}});
}

void publish_throughput(const Subject& subject, Facts& facts) {
  Formula time(subject);
  const double duration = time.read_any(kDuration);
  time.publish(facts, "duration", "ns", duration);

  std::vector<Standing> standings;
  for (const Level& level : levels()) {
    auto standing = stand(subject, level);
    if (standing && (!level.is_whole() || says_more(*standing, standings))) {
      publish_standing(*standing, facts);
      if (level.can_be_roof()) standings.push_back(std::move(*standing));
    } else if (standing) {
      facts.add_absent({share_fact(level.name), "the levels that make it up were captured", {}});
    } else {
      publish_absent(level, facts);
    }
  }
  publish_roof(standings, facts);
  publish_breakdown(subject, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
                    "throughput.memory.top", facts);
  publish_breakdown(subject, "sm__throughput.avg.pct_of_peak_sustained_elapsed",
                    "throughput.sm.top", facts);
  Formula shared(subject);
  const double wavefronts = shared.read("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum");
  const double seconds = shared.read_any(kDuration) * 1e-9;
  shared.publish(facts, "throughput.shared.bytes_per_second", "byte/s",
                 kWavefrontBytes * wavefronts / seconds);
  for (const Level& level : levels()) {
    if (level.bytes.empty()) continue;
    publish_metric(subject, facts, "throughput." + std::string(level.name) + ".bytes_per_second",
                   "byte/s", {std::string(level.bytes) + ".per_second"});
  }
}

}  // namespace

Analysis throughput() { return {"throughput", kThroughputFacts, publish_throughput}; }

}  // namespace proofline

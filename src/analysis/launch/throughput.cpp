// SPDX-License-Identifier: Apache-2.0
//
// How near each level of the memory system and each pipe stands to its peak, over the whole elapsed
// time, with bytes/s beside it, and which of them is the roof.
//
// The shares are those of data paths that a kernel can saturate. ncu's `lts__throughput` also
// counts internal activity and reads 91 % on a copy whose DRAM is at 87 %; shares of active cycles
// exceed 100 %. Both stay out.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/launch/reachable.h"
#include "vocabulary/metric_names.h"

namespace proofline {
namespace {

constexpr FactInfo kThroughputFacts[] = {
    {"throughput.<level>.share", kShare,
     "How much of a level's or pipe's peak was used over the elapsed time: dram, l2, l1, shared, "
     "tensor, fma, fma-heavy, fp64, integer, special-function, lsu, issue, constant, tma."},
    {"throughput.<level>.path", "", "The data path of that level that was used most."},
    {"throughput.<level>.bytes_per_second", "byte/s", "Bytes that level moved in a second."},
    {"throughput.memory.top", "", "What makes up ncu's memory throughput: its largest part."},
    {"throughput.sm.top", "", "What makes up ncu's SM throughput: its largest part."},
    {"throughput.memory.top_share", kShare, "That part's share of its peak."},
    {"throughput.sm.top_share", kShare, "That part's share of its peak."},
    {"roof.level", "", "The level or pipe that the kernel stands nearest to saturating."},
    {"roof.share", kShare, "How much of that roof's peak was used."},
    {"roof.headroom", kShare,
     "The share of the time that would go if that roof were reached in practice; no change that "
     "leaves the work as it is can gain more."},
    {"duration", "ns", "The time of the launch under ncu's replay; not wall time."},
};

// Levels this near to the highest share are candidates for the roof; the order of kLevels decides.
constexpr double kNear = 0.9;

// What the data stage of L1 and shared memory moves at once.
constexpr double kWavefrontBytes = 128;

struct Level {
  std::string_view name;
  std::vector<std::string_view> paths;  // percent of peak; the largest counts
  bool can_be_roof = true;
};

// In the order in which they bind when several stand equally high: a tensor core's operand reads
// count as shared wavefronts, each instruction of a pipe takes an issue slot and an LSU slot, and
// what comes from DRAM passes L2 and L1.
const std::vector<Level>& levels() {
  static const std::vector<Level> kLevels = {
      {"tensor",
       {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
        "sm__pipe_tc_cycles_active.avg.pct_of_peak_sustained_elapsed",
        "sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_elapsed",
        "sm__pipe_tensor_op_imma_cycles_active.avg.pct_of_peak_sustained_elapsed",
        "sm__pipe_tensor_op_dmma_cycles_active.avg.pct_of_peak_sustained_elapsed",
        "sm__pipe_tensor_subpipe_hmma_cycles_active.avg.pct_of_peak_sustained_elapsed",
        "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_elapsed"}},
      {"fp64",
       {"sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed",
        "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_elapsed"}},
      {"fma",
       {"sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed",
        "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed"}},
      {"special-function", {"sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed"}},
      {"fma-heavy", {"sm__pipe_fmaheavy_cycles_active.avg.pct_of_peak_sustained_elapsed"}},
      {"integer",
       {"sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed",
        "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_elapsed"}},
      {"dram", {kDramThroughput.begin(), kDramThroughput.end()}},
      {"shared", {}},  // both by subtraction, below
      {"l1", {}},
      {"l2",
       {"lts__lts2xbar_cycles_active.avg.pct_of_peak_sustained_elapsed",
        "lts__xbar2lts_cycles_active.avg.pct_of_peak_sustained_elapsed",
        "lts__t_sectors.avg.pct_of_peak_sustained_elapsed",
        "lts__t_tag_requests.avg.pct_of_peak_sustained_elapsed"}},
      {"lsu", {"sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_elapsed"}},
      {"issue",
       {"sm__issue_active.avg.pct_of_peak_sustained_elapsed",
        "sm__inst_issued.avg.pct_of_peak_sustained_elapsed",
        "sm__inst_executed.avg.pct_of_peak_sustained_elapsed"}},
      {"constant", {"idc__request_cycles_active.avg.pct_of_peak_sustained_elapsed"}, false},
      {"tma", {"sm__pipe_tma_cycles_active.avg.pct_of_peak_sustained_elapsed"}, false},
  };
  return kLevels;
}

struct Standing {
  std::string_view level;
  double share;
  std::string path;
};

void publish_standing(const Standing& standing, Facts& facts) {
  const std::string prefix = "throughput." + std::string(standing.level);
  facts.add({prefix + ".share", std::string(kShare), standing.share, {standing.path}});
  facts.add({prefix + ".path", "", standing.path, {standing.path}});
}

void publish_absent(std::string_view level, std::string_view metric, Facts& facts) {
  facts.add_absent({"throughput." + std::string(level) + ".share",
                    "the capture lacks " + std::string(metric),
                    {std::string(metric)}});
}

constexpr std::string_view kWavefronts =
    "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed";
constexpr std::string_view kShared =
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed";

// Shuffles count among the shared wavefronts but move no shared memory; what the instructions that
// do access it need is counted apart.
std::optional<Standing> stand_shared(const Subject& subject) {
  const auto percent = subject.number(kShared);
  if (!percent) return std::nullopt;
  const auto all = subject.number("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum");
  const auto accesses = subject.number("memory_l1_wavefronts_shared");
  const double part = all && accesses && *all > 0 ? std::min(1.0, *accesses / *all) : 1;
  return Standing{"shared", part * *percent / 100, std::string(kShared)};
}

// L1's own load is what its data stage does beyond shared memory, or its way back to registers.
std::optional<Standing> stand_l1(const Subject& subject) {
  constexpr std::string_view kWriteback =
      "l1tex__lsu_writeback_active_mem_lgds.sum.pct_of_peak_sustained_elapsed";
  constexpr std::string_view kTexture =
      "l1tex__data_pipe_tex_wavefronts.avg.pct_of_peak_sustained_elapsed";
  const auto wavefronts = subject.number(kWavefronts);
  if (!wavefronts) return std::nullopt;
  Standing best{"l1", std::max(0.0, *wavefronts - subject.number(kShared).value_or(0)),
                std::string(kWavefronts)};
  for (const std::string_view path : {kWriteback, kTexture}) {
    if (const auto value = subject.number(path); value && *value > best.share) {
      best.share = *value;
      best.path = path;
    }
  }
  best.share /= 100;
  return best;
}

std::optional<Standing> stand(const Subject& subject, const Level& level) {
  if (level.name == "l1") return stand_l1(subject);
  if (level.name == "shared") return stand_shared(subject);
  std::optional<Standing> best;
  for (const std::string_view path : level.paths) {
    const auto value = subject.number(path);
    if (value && (!best || *value / 100 > best->share)) {
      best = Standing{level.name, *value / 100, std::string(path)};
    }
  }
  return best;
}

void publish_roof(const std::vector<Standing>& standings, Facts& facts) {
  double highest = 0;
  for (const Standing& standing : standings) highest = std::max(highest, standing.share);
  for (const Standing& standing : standings) {
    if (standing.share < kNear * highest) continue;
    const std::vector<std::string> sources = {standing.path};
    facts.add({"roof.level", "", std::string(standing.level), sources});
    facts.add({"roof.share", std::string(kShare), standing.share, sources});
    facts.add({"roof.headroom", std::string(kShare), std::max(0.0, 1 - standing.share / kReachable),
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
  if (names == nullptr) {
    facts.add_absent({name,
                      "the capture does not say what makes up " + std::string(throughput),
                      {std::string(throughput)}});
    return;
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
  if (top.empty()) return;
  facts.add({name, "", std::string(top), {std::string(throughput)}});
  facts.add({name + "_share", std::string(kShare), highest / 100, {std::string(top)}});
}

void publish_throughput(const Subject& subject, Facts& facts) {
  Formula time(subject);
  const double duration = time.read_any(kDuration);
  time.publish(facts, "duration", "ns", duration);

  std::vector<Standing> standings;
  for (const Level& level : levels()) {
    if (auto standing = stand(subject, level)) {
      publish_standing(*standing, facts);
      if (level.can_be_roof) standings.push_back(std::move(*standing));
    } else {
      publish_absent(level.name,
                     !level.paths.empty()     ? level.paths.front()
                     : level.name == "shared" ? kShared
                                              : kWavefronts,
                     facts);
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
  for (const auto& [level, metric] :
       {std::pair{"dram", "dram__bytes.sum.per_second"},
        std::pair{"l2", "derived__lts__lts2xbar_bytes.sum.per_second"},
        std::pair{"l1", "derived__l1tex__lsu_writeback_bytes_mem_lgds.sum.per_second"}}) {
    publish_metric(subject, facts, std::string("throughput.") + level + ".bytes_per_second",
                   "byte/s", {metric});
  }
}

}  // namespace

Analysis throughput() { return {"throughput", kThroughputFacts, publish_throughput}; }

}  // namespace proofline

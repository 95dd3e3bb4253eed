// SPDX-License-Identifier: Apache-2.0
//
// How the grid meets the SMs: waves, what the last wave leaves idle, how evenly the SMs were busy.
#include <algorithm>
#include <cmath>

#include "analysis/analysis.h"
#include "vocabulary/metric_names.h"

namespace proofline {
namespace {

constexpr FactInfo kLaunchShapeFacts[] = {
    {"launch.blocks", "block", "Blocks of the grid."},
    {"launch.threads_per_block", "thread", "Threads of a block."},
    {"launch.lanes.share", kShare, "Threads of a block over those of its whole warps."},
    {"launch.sm_count", "SM", "SMs of the device."},
    {"launch.blocks_per_sm", "block", "Blocks of the grid over SMs."},
    {"launch.waves", "wave", "Blocks of the grid over blocks that run at once."},
    {"launch.cluster_size", "block", "Blocks of a cluster; 1 without clusters."},
    {"launch.persistent", "", "yes where the grid is exactly what runs at once, or a whole part."},
    {"launch.sms_idle.share", kShare, "SMs that get no block at all."},
    {"launch.tail.share", kShare,
     "Time that SMs wait for the last wave, or for SMs with one block more, if all blocks take "
     "equally long."},
    {"launch.balance.share", kShare,
     "Mean over maximum of the cycles that SMs were busy, of the SMs that got a block."},
    {"launch.imbalance.share", kShare,
     "Time that SMs wait for the busiest one, beyond what the last wave explains."},
    {"launch.idle.share", kShare,
     "Elapsed cycles in which an SM had no block, mean over the SMs that got one."},
    {"launch.sm_active.share", kShare,
     "Cycles of the busiest SM over elapsed cycles: the rest is launch and drain."},
};

void publish_launch_shape(const Subject& subject, Facts& facts) {
  publish_metric(subject, facts, "launch.blocks", "block", {"launch__grid_size"});
  publish_metric(subject, facts, "launch.threads_per_block", "thread", {"launch__block_size"});
  Formula sm_count(subject);
  const double count = sm_count.read_any(kSmCount);
  sm_count.publish(facts, "launch.sm_count", "SM", count);
  publish_metric(subject, facts, "launch.waves", "wave", {"launch__waves_per_multiprocessor"});

  Formula lanes(subject);
  const double threads = lanes.read("launch__block_size");
  lanes.publish(facts, "launch.lanes.share", kShare, threads / (32 * std::ceil(threads / 32)));

  Formula cluster(subject);
  const double cluster_size = cluster.read("launch__cluster_size");
  cluster.publish(facts, "launch.cluster_size", "block", std::fmax(1, cluster_size));

  Formula spread(subject);
  const double blocks = spread.read("launch__grid_size");
  const double sms = spread.read_any(kSmCount);
  spread.publish(facts, "launch.blocks_per_sm", "block", blocks / sms);
  spread.publish(facts, "launch.sms_idle.share", kShare, std::max(0.0, 1 - blocks / sms));

  // ncu's waves count blocks that fit.
  Formula tail(subject);
  const double waves = tail.read("launch__waves_per_multiprocessor");
  // Below one wave all blocks run at once, but some SMs may hold one more than others.
  const double whole_blocks = blocks > sms ? (blocks / sms) / std::ceil(blocks / sms - 1e-9) : 1;
  const double last = waves > 1 ? 1 - waves / std::ceil(waves - 1e-9) : 1 - whole_blocks;
  tail.publish(facts, "launch.tail.share", kShare, last);
  const bool whole = std::abs(waves - std::round(waves)) < 1e-6 && waves < 1.5;
  const double resident = waves > 0 ? blocks / sms : 0;
  const bool part = waves < 1 && std::abs(resident - std::round(resident)) < 1e-6;
  tail.publish(facts, "launch.persistent",
               std::isfinite(resident) && (whole || part) ? "yes" : "no");

  Formula balance(subject);
  const double launched = balance.read("launch__grid_size");
  const double used = std::min(launched, balance.read_any(kSmCount));
  const double mean = balance.read("sm__cycles_active.sum") / used;
  const double busiest = balance.read("sm__cycles_active.max");
  balance.publish(facts, "launch.balance.share", kShare, std::min(1.0, mean / busiest));
  const double waiting = 1 - std::min(1.0, mean / busiest);
  balance.publish(facts, "launch.imbalance.share", kShare,
                  std::max(0.0, waiting - (std::isfinite(last) ? last : 0)));

  Formula idle(subject);
  const double idle_blocks = idle.read("launch__grid_size");
  const double with_blocks = std::min(idle_blocks, idle.read_any(kSmCount));
  const double active_cycles = subject.number("sm__cycles_active.sum")
                                   ? idle.read("sm__cycles_active.sum")
                                   : idle.read("sm__cycles_active.avg") * idle.read_any(kSmCount);
  const double all_cycles = with_blocks * idle.read("sm__cycles_elapsed.max");
  idle.publish(facts, "launch.idle.share", kShare, std::max(0.0, 1 - active_cycles / all_cycles));

  Formula active(subject);
  const double cycles = active.read("sm__cycles_active.max");
  const double elapsed = active.read("sm__cycles_elapsed.max");
  active.publish(facts, "launch.sm_active.share", kShare, std::min(1.0, cycles / elapsed));
}

}  // namespace

Analysis launch_shape() { return {"launch", kLaunchShapeFacts, publish_launch_shape}; }

}  // namespace proofline

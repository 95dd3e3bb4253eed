// SPDX-License-Identifier: Apache-2.0
//
// How the grid meets the SMs: waves, what the last wave leaves idle, how evenly the SMs were busy.
#include <algorithm>
#include <cmath>

#include "analysis/analysis.h"
#include "analysis/launch/launch_shape_facts.h"
#include "vocabulary/metric_names.h"

namespace proofline {
namespace {

void publish_launch_shape(const Subject& subject, Facts& facts) {
  publish_metric(subject, facts, facts::kLaunchBlocks);
  publish_metric(subject, facts, facts::kLaunchThreadsPerBlock);
  Formula sm_count(subject);
  const double count = sm_count.read_any(kSmCount);
  sm_count.publish(facts, facts::kLaunchSmCount, count);
  publish_metric(subject, facts, facts::kLaunchWaves);

  Formula lanes(subject);
  const double threads = lanes.read("launch__block_size");
  lanes.publish(facts, facts::kLaunchLanesShare, threads / (32 * std::ceil(threads / 32)));

  Formula cluster(subject);
  const double cluster_size = cluster.read("launch__cluster_size");
  cluster.publish(facts, facts::kLaunchClusterSize, std::fmax(1, cluster_size));

  Formula spread(subject);
  const double blocks = spread.read("launch__grid_size");
  const double sms = spread.read_any(kSmCount);
  spread.publish(facts, facts::kLaunchBlocksPerSm, blocks / sms);
  spread.publish(facts, facts::kLaunchSmsIdleShare, std::max(0.0, 1 - blocks / sms));

  // ncu's waves count blocks that fit.
  Formula tail(subject);
  const double waves = tail.read("launch__waves_per_multiprocessor");
  // Below one wave all blocks run at once, but some SMs may hold one more than others.
  const double whole_blocks = blocks > sms ? (blocks / sms) / std::ceil(blocks / sms - 1e-9) : 1;
  const double last = waves > 1 ? 1 - waves / std::ceil(waves - 1e-9) : 1 - whole_blocks;
  tail.publish(facts, facts::kLaunchTailShare, last);
  const bool whole = std::abs(waves - std::round(waves)) < 1e-6 && waves < 1.5;
  const double resident = waves > 0 ? blocks / sms : 0;
  const bool part = waves < 1 && std::abs(resident - std::round(resident)) < 1e-6;
  tail.publish(facts, facts::kLaunchPersistent,
               std::isfinite(resident) && (whole || part) ? "yes" : "no");

  Formula balance(subject);
  const double launched = balance.read("launch__grid_size");
  const double used = std::min(launched, balance.read_any(kSmCount));
  const double mean = balance.read("sm__cycles_active.sum") / used;
  const double busiest = balance.read("sm__cycles_active.max");
  balance.publish(facts, facts::kLaunchBalanceShare, std::min(1.0, mean / busiest));
  const double waiting = 1 - std::min(1.0, mean / busiest);
  balance.publish(facts, facts::kLaunchImbalanceShare,
                  std::max(0.0, waiting - (std::isfinite(last) ? last : 0)));

  Formula idle(subject);
  const double idle_blocks = idle.read("launch__grid_size");
  const double with_blocks = std::min(idle_blocks, idle.read_any(kSmCount));
  const double active_cycles = subject.number("sm__cycles_active.sum")
                                   ? idle.read("sm__cycles_active.sum")
                                   : idle.read("sm__cycles_active.avg") * idle.read_any(kSmCount);
  const double all_cycles = with_blocks * idle.read("sm__cycles_elapsed.max");
  idle.publish(facts, facts::kLaunchIdleShare, std::max(0.0, 1 - active_cycles / all_cycles));
}

}  // namespace

Analysis launch_shape() { return {"launch", kLaunchShapeFacts, publish_launch_shape}; }

}  // namespace proofline

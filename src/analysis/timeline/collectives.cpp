// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/collectives.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/timeline/device_time.h"
#include "base/statistics.h"

namespace proofline {
namespace {

using CollectivesByPosition = std::unordered_map<std::uint32_t, const Collective*>;

CollectivesByPosition by_position(const std::vector<Collective>& collectives) {
  CollectivesByPosition known;
  for (const Collective& one : collectives) known.emplace(one.op, &one);
  return known;
}

bool contains_text(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

CopySize message_size(std::uint64_t bytes) {
  if (bytes == kUnknownBytes || bytes < kMediumCopyBytes) return CopySize::kSmall;
  return bytes < kLargeCopyBytes ? CopySize::kMedium : CopySize::kLarge;
}

void set_rates(std::vector<double> rates, CollectiveTimes& times) {
  if (rates.empty()) return;
  times.median_rate = lower_median(rates);
  times.best_rate = *std::max_element(rates.begin(), rates.end());
}

}  // namespace

std::optional<double> bus_factor(std::string_view collective, std::uint32_t ranks) {
  if (ranks < 2) return std::nullopt;
  const double others = 1 - 1.0 / ranks;
  if (contains_text(collective, "allreduce") || contains_text(collective, "all_reduce")) {
    return 2 * others;
  }
  for (const std::string_view spread :
       {"allgather", "all_gather", "reduce_scatter", "all_to_all", "alltoall"}) {
    if (contains_text(collective, spread)) return others;
  }
  for (const std::string_view direct : {"broadcast", "reduce", "send", "recv"}) {
    if (collective == direct) return 1;
  }
  return std::nullopt;
}

std::vector<CollectiveTimes> collective_times(const Timeline& timeline, const Launches& launches,
                                              const TimeSelection& selection) {
  if (timeline.collectives.empty() && timeline.asked_collectives.empty()) return {};
  const CollectivesByPosition of_op = by_position(timeline.collectives);
  const CollectivesByPosition of_range = by_position(timeline.asked_collectives);
  const auto find = [&](std::uint32_t op) -> const Collective* {
    if (const auto known = of_op.find(op); known != of_op.end()) return known->second;
    const auto asked = of_range.find(launches.range_of_op[op]);
    return asked != of_range.end() ? asked->second : nullptr;
  };
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, CopySize>;
  std::map<Key, std::pair<CollectiveTimes, std::vector<double>>> by_kind;
  for (std::uint32_t i = 0; i < timeline.ops.size(); ++i) {
    const GpuOp& op = timeline.ops[i];
    if (op.work != GpuWork::kKernel || !selection.has(op.start_ns)) continue;
    const Collective* one = find(i);
    // An operator also launches what is no communication, such as a copy of its input.
    if (one == nullptr || !is_communication(timeline.names[op.name])) continue;
    const CopySize size = message_size(one->bytes);
    auto& [times, rates] = by_kind[{one->name, one->group, one->ranks, size}];
    times.name = timeline.names[one->name];
    times.group = timeline.names[one->group];
    times.ranks = one->ranks;
    times.size = size;
    const std::int64_t ns = op.end_ns - op.start_ns;
    ++times.count;
    times.sum_ns += ns;
    if (one->bytes == kUnknownBytes) times.bytes.reset();
    if (times.bytes) *times.bytes += one->bytes;
    const auto factor = bus_factor(times.name, one->ranks);
    if (factor && ns > 0 && one->bytes != kUnknownBytes) {
      rates.push_back(*factor * static_cast<double>(one->bytes) / static_cast<double>(ns));
    }
  }
  std::vector<CollectiveTimes> all;
  for (auto& [key, entry] : by_kind) {
    set_rates(std::move(entry.second), entry.first);
    all.push_back(std::move(entry.first));
  }
  std::stable_sort(all.begin(), all.end(), [](const CollectiveTimes& a, const CollectiveTimes& b) {
    return a.sum_ns > b.sum_ns;
  });
  return all;
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>

#include "analysis/timeline/device_time.h"
#include "base/statistics.h"

namespace proofline {
namespace {

// By key, where each rank was in it; only what all ranks took part in.
using Meetings = std::map<std::string, std::vector<const RankCollective*>>;

Meetings meetings_of(const std::vector<std::vector<RankCollective>>& collectives) {
  Meetings all;
  for (std::size_t rank = 0; rank < collectives.size(); ++rank) {
    for (const RankCollective& one : collectives[rank]) {
      auto& places = all[one.key];
      places.resize(collectives.size(), nullptr);
      places[rank] = &one;
    }
  }
  std::erase_if(all, [](const auto& meeting) {
    return std::find(meeting.second.begin(), meeting.second.end(), nullptr) != meeting.second.end();
  });
  return all;
}

// What has to be taken off each rank's times so that its ends agree with the first one's.
std::vector<std::int64_t> clock_offsets(const Meetings& meetings, std::size_t ranks) {
  std::vector<std::int64_t> offsets(ranks, 0);
  for (std::size_t rank = 1; rank < ranks; ++rank) {
    std::vector<std::int64_t> differences;
    for (const auto& [key, places] : meetings) {
      differences.push_back(places[rank]->end_ns - places[0]->end_ns);
    }
    if (differences.empty()) continue;
    offsets[rank] = lower_median(differences);
  }
  return offsets;
}

}  // namespace

std::vector<RankCollective> collectives_of(const Timeline& timeline) {
  std::unordered_map<std::uint32_t, const Collective*> known;
  for (const Collective& collective : timeline.collectives)
    known.emplace(collective.op, &collective);
  std::vector<std::uint32_t> ops;
  for (std::uint32_t i = 0; i < timeline.ops.size(); ++i) {
    const GpuOp& op = timeline.ops[i];
    if (op.work == GpuWork::kKernel && is_communication(timeline.names[op.name])) ops.push_back(i);
  }
  std::stable_sort(ops.begin(), ops.end(), [&](std::uint32_t a, std::uint32_t b) {
    return timeline.ops[a].start_ns < timeline.ops[b].start_ns;
  });
  std::map<std::string, std::uint64_t> counts;
  std::vector<RankCollective> collectives;
  for (const std::uint32_t i : ops) {
    const GpuOp& op = timeline.ops[i];
    const auto found = known.find(i);
    std::string key;
    if (found != known.end() && found->second->sequence) {
      const Collective& one = *found->second;
      key = fmt::format("{} {} {}", timeline.names[one.group], timeline.names[one.name],
                        *one.sequence);
    } else {
      key = timeline.names[op.name];
    }
    // A sequence may hold several kernels, and where there is none the order has to do.
    const std::uint64_t number = counts[key]++;
    const std::int64_t shift = timeline.unix_ns.value_or(0);
    collectives.push_back(
        {fmt::format("{} {}", key, number), op.start_ns + shift, op.end_ns + shift});
  }
  return collectives;
}

void compare_ranks(const std::vector<std::vector<RankCollective>>& collectives,
                   std::vector<RankRow>& rows) {
  const Meetings meetings = meetings_of(collectives);
  const std::vector<std::int64_t> offsets = clock_offsets(meetings, rows.size());
  for (const auto& [key, places] : meetings) {
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    std::size_t latest = 0;
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
      const std::int64_t start = places[rank]->start_ns - offsets[rank];
      if (start <= last) continue;
      last = start;
      latest = rank;
    }
    std::int64_t waited = 0;
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
      const std::int64_t wait = last - (places[rank]->start_ns - offsets[rank]);
      ++rows[rank].collectives;
      rows[rank].wait_ns += wait;
      waited += wait;
    }
    // Where all ranks arrive at once, none is last.
    if (waited > 0) ++rows[latest].came_last;
  }
}

const RankRow* straggler(const std::vector<RankRow>& rows) {
  const auto last = std::max_element(
      rows.begin(), rows.end(),
      [](const RankRow& a, const RankRow& b) { return a.came_last < b.came_last; });
  return last == rows.end() || last->came_last == 0 ? nullptr : &*last;
}

}  // namespace proofline

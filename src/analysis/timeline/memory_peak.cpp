// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/memory_peak.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace proofline {

std::uint64_t memory_peak(const Timeline& timeline) {
  std::vector<const MemoryChange*> changes;
  for (const MemoryChange& change : timeline.memory) {
    const bool is_on_gpu = change.kind == MemoryKind::kDevice ||
                           change.kind == MemoryKind::kArray || change.kind == MemoryKind::kManaged;
    if (is_on_gpu) changes.push_back(&change);
  }
  std::stable_sort(
      changes.begin(), changes.end(),
      [](const MemoryChange* a, const MemoryChange* b) { return a->time_ns < b->time_ns; });
  // What was taken before the recording began is not known, and neither is its return.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> held;  // by process and address
  std::uint64_t now = 0;
  std::uint64_t peak = 0;
  for (const MemoryChange* change : changes) {
    const auto [place, is_new] = held.try_emplace({change->process, change->address}, 0);
    now -= place->second;
    if (change->is_release) {
      held.erase(place);
      continue;
    }
    place->second = change->bytes;
    now += change->bytes;
    peak = std::max(peak, now);
  }
  return peak;
}

}  // namespace proofline

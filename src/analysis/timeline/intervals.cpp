// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/intervals.h"

#include <algorithm>

namespace proofline {

Stretches::Stretches(std::vector<Stretch> unordered) {
  const auto earlier = [](const Stretch& a, const Stretch& b) { return a.start_ns < b.start_ns; };
  if (!std::is_sorted(unordered.begin(), unordered.end(), earlier)) {
    std::sort(unordered.begin(), unordered.end(), earlier);
  }
  // In place: there are never more than there were.
  std::size_t count = 0;
  for (const Stretch& one : unordered) {
    if (count > 0 && one.start_ns <= unordered[count - 1].end_ns) {
      unordered[count - 1].end_ns = std::max(unordered[count - 1].end_ns, one.end_ns);
    } else {
      unordered[count++] = one;
    }
  }
  unordered.resize(count);
  all_ = std::move(unordered);
  lengths_.reserve(count);
  std::int64_t length = 0;
  for (const Stretch& one : all_) lengths_.push_back(length += one.length());
}

std::int64_t Stretches::length_before(std::int64_t time) const {
  const auto after = std::lower_bound(
      all_.begin(), all_.end(), time,
      [](const Stretch& one, std::int64_t moment) { return one.start_ns < moment; });
  if (after == all_.begin()) return 0;
  const auto last = static_cast<std::size_t>(after - all_.begin()) - 1;
  const std::int64_t over = all_[last].end_ns - std::min(all_[last].end_ns, time);
  return lengths_[last] - over;
}

std::int64_t Stretches::length_within(std::int64_t from, std::int64_t to) const {
  return from < to ? length_before(to) - length_before(from) : 0;
}

bool Stretches::contains(std::int64_t time) const {
  const auto after = std::upper_bound(
      all_.begin(), all_.end(), time,
      [](std::int64_t moment, const Stretch& one) { return moment < one.start_ns; });
  return after != all_.begin() && std::prev(after)->end_ns >= time;
}

}  // namespace proofline

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
  return length_before(time, static_cast<std::size_t>(after - all_.begin()));
}

std::int64_t Stretches::length_before(std::int64_t time, std::size_t started) const {
  if (started == 0) return 0;
  const Stretch& last = all_[started - 1];
  return lengths_[started - 1] - (last.end_ns - std::min(last.end_ns, time));
}

std::int64_t StretchSweep::length_before(std::int64_t time) {
  const std::vector<Stretch>& all = stretches_.all_;
  while (started_ < all.size() && all[started_].start_ns < time) ++started_;
  return stretches_.length_before(time, started_);
}

bool StretchSweep::contains(std::int64_t time) {
  length_before(time);
  const std::vector<Stretch>& all = stretches_.all_;
  return (started_ > 0 && all[started_ - 1].end_ns >= time) ||
         (started_ < all.size() && all[started_].start_ns == time);
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

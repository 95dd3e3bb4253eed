// SPDX-License-Identifier: Apache-2.0
//
// Unions of stretches of time, and how long they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace proofline {

struct Stretch {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;

  std::int64_t length() const { return end_ns - start_ns; }
};

// Disjoint stretches in order, so that queries are binary searches.
class Stretches {
 public:
  Stretches() = default;
  // Takes stretches in any order; those that touch become one.
  explicit Stretches(std::vector<Stretch> unordered);

  std::int64_t length() const { return lengths_.empty() ? 0 : lengths_.back(); }
  // The part of the union between these times.
  std::int64_t length_within(std::int64_t from, std::int64_t to) const;
  // Both ends of a stretch belong to it.
  bool contains(std::int64_t time) const;
  const std::vector<Stretch>& all() const { return all_; }

 private:
  friend class StretchSweep;
  std::int64_t length_before(std::int64_t time) const;
  // The same where so many stretches start before the time.
  std::int64_t length_before(std::int64_t time, std::size_t started) const;

  std::vector<Stretch> all_;
  std::vector<std::int64_t> lengths_;  // of all up to and with each
};

// The same queries for times that never decrease, in amortised constant time each.
class StretchSweep {
 public:
  explicit StretchSweep(const Stretches& stretches) : stretches_(stretches) {}

  std::int64_t length_before(std::int64_t time);
  bool contains(std::int64_t time);

 private:
  const Stretches& stretches_;
  std::size_t started_ = 0;  // before the last time that was asked for
};

}  // namespace proofline

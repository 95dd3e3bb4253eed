// SPDX-License-Identifier: Apache-2.0
//
// Unions of stretches of time, and how long they are.
#pragma once

#include <cstdint>
#include <vector>

namespace proofline {

struct Stretch {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;

  std::int64_t length() const { return end_ns - start_ns; }
};

// Stretches that are apart and in order, so that questions are answered by halving.
class Stretches {
 public:
  Stretches() = default;
  // Takes stretches in any order; those that touch become one.
  explicit Stretches(std::vector<Stretch> unordered);

  std::int64_t length() const { return lengths_.empty() ? 0 : lengths_.back(); }
  // Of what lies between these times.
  std::int64_t length_within(std::int64_t from, std::int64_t to) const;
  // With both ends.
  bool contains(std::int64_t time) const;
  const std::vector<Stretch>& all() const { return all_; }

 private:
  std::int64_t length_before(std::int64_t time) const;

  std::vector<Stretch> all_;
  std::vector<std::int64_t> lengths_;  // of all up to and with each
};

}  // namespace proofline

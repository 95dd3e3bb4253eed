// SPDX-License-Identifier: Apache-2.0
//
// One value for each side of the evidence: what is judged (after), what there was before the
// change, and each case. A side without evidence has no value.
#pragma once

#include <algorithm>
#include <deque>
#include <utility>

#include "playbook/expression.h"

namespace proofline {

template <class Value>
class Sides {
 public:
  struct Entry {
    EvidenceSide side;
    Value value;
  };

  // There is always something to judge, be it empty.
  explicit Sides(Value after) { add({}, std::move(after)); }
  Sides(Sides&&) = default;
  Sides& operator=(Sides&&) = default;

  // A side's value stays where it is in memory.
  Value& add(EvidenceSide side, Value value) {
    return entries_.emplace_back(Entry{std::move(side), std::move(value)}).value;
  }

  Value& after() { return entries_.front().value; }
  const Value& after() const { return entries_.front().value; }
  // Null: there is no evidence of this side.
  const Value* find(const EvidenceSide& side) const {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& one) { return one.side == side; });
    return found == entries_.end() ? nullptr : &found->value;
  }
  const Value* before() const { return find({EvidenceSide::Kind::kBefore, ""}); }

  // In the order in which they were added; what is judged comes first.
  auto begin() { return entries_.begin(); }
  auto end() { return entries_.end(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  std::deque<Entry> entries_;
};

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// Looking up rows by function and offset.
#include "model/code/line_table.h"

#include <algorithm>

namespace proofline {

const LineTable::Function* LineTable::function(std::string_view name) const {
  const auto found = std::lower_bound(
      functions.begin(), functions.end(), name,
      [](const Function& function, std::string_view wanted) { return function.name < wanted; });
  return found != functions.end() && found->name == name ? &*found : nullptr;
}

const LineTable::Row* LineTable::row(const Function& function, std::uint64_t offset) const {
  const auto stretch = std::upper_bound(
      function.stretches.begin(), function.stretches.end(), offset,
      [&](std::uint64_t wanted, const Stretch& next) { return wanted < rows[next.first].offset; });
  if (stretch == function.stretches.begin()) return nullptr;
  const auto first = rows.begin() + std::prev(stretch)->first;
  const auto last = first + std::prev(stretch)->count;
  const auto next = std::upper_bound(
      first, last, offset,
      [](std::uint64_t wanted, const Row& candidate) { return wanted < candidate.offset; });
  if (next == first || next == last) return nullptr;
  const Row& found = *std::prev(next);
  return found.line != 0 && found.file != kNone ? &found : nullptr;
}

}  // namespace proofline

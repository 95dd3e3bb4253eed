// SPDX-License-Identifier: Apache-2.0
//
// Bounded Damerau-Levenshtein distance (optimal string alignment): rows of the usual table, of
// which only the band within the limit is filled.
#include "base/nearest.h"

#include <algorithm>
#include <array>

#include "base/characters.h"

namespace proofline {
namespace {

// Edit distance is quadratic in the length, and names of this length are pasted, not typed.
constexpr std::size_t kMaxLength = 300;
// A part of fewer letters is in too many names to say anything.
constexpr std::size_t kMinPart = 4;

// How far a name of that length may be away: more than a quarter of it is another name.
std::size_t reach(std::size_t length) {
  return length > 3 ? std::max<std::size_t>(2, length / 4) : 1;
}

struct Ranked {
  std::size_t distance;
  std::string_view name;
  bool operator<(const Ranked& other) const {
    return distance != other.distance ? distance < other.distance : name < other.name;
  }
};

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > limit) return limit + 1;
  const std::size_t beyond = limit + 1;
  // rows[0] is the row of b[0, i), [1] and [2] those above it.
  std::array<std::vector<std::size_t>, 3> rows;
  for (auto& row : rows) row.assign(a.size() + 1, beyond);
  for (std::size_t j = 0; j <= std::min(a.size(), limit); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= b.size(); ++i) {
    std::rotate(rows.begin(), rows.end() - 1, rows.end());
    const std::size_t first = i > limit ? i - limit : 0;
    const std::size_t last = std::min(a.size(), i + limit);
    std::fill(rows[0].begin(), rows[0].end(), beyond);
    std::size_t best = beyond;
    for (std::size_t j = first; j <= last; ++j) {
      std::size_t cost = i;  // with nothing of a
      if (j > 0) {
        cost = std::min(
            {rows[1][j] + 1, rows[0][j - 1] + 1, rows[1][j - 1] + (b[i - 1] == a[j - 1] ? 0 : 1)});
        const bool swapped = i > 1 && j > 1 && b[i - 1] == a[j - 2] && b[i - 2] == a[j - 1];
        if (swapped) cost = std::min(cost, rows[2][j - 2] + 1);
      }
      rows[0][j] = std::min(cost, beyond);
      best = std::min(best, rows[0][j]);
    }
    if (best == beyond) return beyond;
  }
  return rows[0][a.size()];
}

std::vector<std::string_view> nearest(std::string_view name,
                                      std::span<const std::string_view> candidates,
                                      std::size_t most) {
  const std::string wanted = lower_case(name);
  std::vector<Ranked> ranked;
  if (wanted.empty() || wanted.size() > kMaxLength) return {};
  const std::size_t limit = reach(wanted.size());
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kMaxLength) continue;
    const std::string known = lower_case(candidate);
    std::size_t distance = edit_distance(wanted, known, limit);
    const bool is_part = wanted.size() >= kMinPart && known.find(wanted) != known.npos;
    // After slips of one letter, before all else.
    if (is_part && distance > 1) distance = 2;
    if (distance <= limit) ranked.push_back({distance, candidate});
  }
  const std::size_t kept = std::min(most, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(kept),
                    ranked.end());
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < kept; ++i) names.push_back(ranked[i].name);
  return names;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates) {
  const auto near = nearest(name, candidates, 1);
  return near.empty() ? "" : "; did you mean " + std::string(near.front()) + "?";
}

}  // namespace proofline

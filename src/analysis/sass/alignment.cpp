// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/alignment.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/hash.h"

namespace proofline {
namespace {

// Edits in one stretch beyond this number take time with its square: it is split, or given up.
constexpr std::size_t kMostEdits = 2000;
// How often a stretch is split by what occurs once in it.
constexpr int kMostSplits = 8;
// A block of fewer instructions says little about where it belongs.
constexpr std::size_t kTellingBlock = 4;

struct Piece {
  std::size_t first = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - first; }
  bool empty() const { return first == end; }
};

using Anchor = std::pair<std::size_t, std::size_t>;  // positions in A and B

// Of pairs sorted by the first, the longest part in which the second grows too.
std::vector<Anchor> longest_growing(const std::vector<Anchor>& pairs) {
  std::vector<std::size_t> tails;  // of runs by length: the position of the least last pair
  std::vector<std::size_t> before(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto longer = std::lower_bound(
        tails.begin(), tails.end(), pairs[i].second,
        [&](std::size_t tail, std::size_t value) { return pairs[tail].second < value; });
    before[i] = longer == tails.begin() ? pairs.size() : *(longer - 1);
    if (longer == tails.end()) {
      tails.push_back(i);
    } else {
      *longer = i;
    }
  }
  std::vector<Anchor> run;
  for (std::size_t i = tails.empty() ? pairs.size() : tails.back(); i < pairs.size();
       i = before[i]) {
    run.push_back(pairs[i]);
  }
  std::reverse(run.begin(), run.end());
  return run;
}

// What occurs once on each side, where both have it in the same order.
std::vector<Anchor> anchors(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  struct Seen {
    std::size_t count_a = 0;
    std::size_t count_b = 0;
    std::size_t at_b = 0;
  };
  std::unordered_map<std::uint64_t, Seen> seen;
  for (const std::uint64_t value : a) ++seen[value].count_a;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const auto found = seen.find(b[i]);
    if (found == seen.end()) continue;
    ++found->second.count_b;
    found->second.at_b = i;
  }
  std::vector<Anchor> pairs;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Seen& one = seen[a[i]];
    if (one.count_a == 1 && one.count_b == 1) pairs.emplace_back(i, one.at_b);
  }
  return longest_growing(pairs);
}

class Aligner {
 public:
  Aligner(const AlignedSide& a, const AlignedSide& b) : a_(a), b_(b) {
    result_.of_a.assign(a.elements.size(), kNoMate);
    result_.of_b.assign(b.elements.size(), kNoMate);
  }

  // Blocks that are in both as they are stand fast; what is between them is aligned.
  Alignment align() {
    const Blocks blocks_a = telling_blocks(a_);
    const Blocks blocks_b = telling_blocks(b_);
    Piece gap_a;
    Piece gap_b;
    for (const auto& [i, j] : anchors(blocks_a.hashes, blocks_b.hashes)) {
      gap_a.end = blocks_a.ranges[i].first;
      gap_b.end = blocks_b.ranges[j].first;
      align(gap_a, gap_b, 0);
      for (std::size_t k = 0; k < blocks_a.ranges[i].size(); ++k) {
        result_.pair(gap_a.end + k, gap_b.end + k);
      }
      gap_a.first = blocks_a.ranges[i].end;
      gap_b.first = blocks_b.ranges[j].end;
    }
    gap_a.end = a_.elements.size();
    gap_b.end = b_.elements.size();
    align(gap_a, gap_b, 0);
    return std::move(result_);
  }

 private:
  struct Blocks {
    std::vector<Piece> ranges;
    std::vector<std::uint64_t> hashes;
  };

  static Blocks telling_blocks(const AlignedSide& side) {
    Blocks blocks;
    for (std::size_t i = 0; i < side.blocks.size(); ++i) {
      const std::size_t size = side.elements.size();
      const std::size_t next = i + 1 < side.blocks.size() ? side.blocks[i + 1] : size;
      const Piece range{std::min<std::size_t>(side.blocks[i], size), std::min(next, size)};
      if (range.size() < kTellingBlock) continue;
      Hash hash;
      for (std::size_t k = range.first; k < range.end; ++k) hash.add(side.elements[k]);
      // So that a hash that two contents share never pairs more than there is.
      hash.add(range.size());
      blocks.ranges.push_back(range);
      blocks.hashes.push_back(hash.value());
    }
    return blocks;
  }

  void align(Piece a, Piece b, int splits) {
    while (!a.empty() && !b.empty() && a_.elements[a.first] == b_.elements[b.first]) {
      result_.pair(a.first++, b.first++);
    }
    while (!a.empty() && !b.empty() && a_.elements[a.end - 1] == b_.elements[b.end - 1]) {
      result_.pair(--a.end, --b.end);
    }
    if (a.empty() || b.empty() || align_by_edits(a, b)) return;
    const auto fixed = splits < kMostSplits ? anchors(a_.elements.subspan(a.first, a.size()),
                                                      b_.elements.subspan(b.first, b.size()))
                                            : std::vector<Anchor>();
    if (fixed.empty()) {
      result_.capped = true;
      return;
    }
    Piece gap_a{a.first, a.first};
    Piece gap_b{b.first, b.first};
    for (const auto& [i, j] : fixed) {
      gap_a.end = a.first + i;
      gap_b.end = b.first + j;
      align(gap_a, gap_b, splits + 1);
      result_.pair(gap_a.end, gap_b.end);
      gap_a.first = gap_a.end + 1;
      gap_b.first = gap_b.end + 1;
    }
    align({gap_a.first, a.end}, {gap_b.first, b.end}, splits + 1);
  }

  // The longest common subsequence by Myers' greedy method; false past kMostEdits.
  bool align_by_edits(Piece a, Piece b) {
    const auto n = static_cast<std::ptrdiff_t>(a.size());
    const auto m = static_cast<std::ptrdiff_t>(b.size());
    const auto most = static_cast<std::ptrdiff_t>(std::min(kMostEdits, a.size() + b.size()));
    // How far each diagonal k reaches in A, by the number of edits; only every second one is used.
    std::vector<std::vector<std::int32_t>> reach;
    const auto at = [&](std::ptrdiff_t edits, std::ptrdiff_t k) -> std::int32_t& {
      return reach[static_cast<std::size_t>(edits)][static_cast<std::size_t>((k + edits) / 2)];
    };
    // Whether the way to diagonal k comes from the one above: by an element of B alone.
    const auto from_above = [&](std::ptrdiff_t edits, std::ptrdiff_t k) {
      return k == -edits || (k != edits && at(edits - 1, k - 1) < at(edits - 1, k + 1));
    };
    for (std::ptrdiff_t edits = 0; edits <= most; ++edits) {
      reach.emplace_back(static_cast<std::size_t>(edits) + 1);
      for (std::ptrdiff_t k = -edits; k <= edits; k += 2) {
        std::ptrdiff_t x = 0;
        if (edits > 0) {
          x = from_above(edits, k) ? at(edits - 1, k + 1) : at(edits - 1, k - 1) + 1;
        }
        while (x < n && x - k >= 0 && x - k < m && same(a, x, b, x - k)) ++x;
        at(edits, k) = static_cast<std::int32_t>(x);
        if (x < n || x - k < m) continue;
        trace_back(a, b, edits, from_above, at);
        return true;
      }
    }
    return false;
  }

  bool same(const Piece& a, std::ptrdiff_t x, const Piece& b, std::ptrdiff_t y) const {
    return a_.elements[a.first + static_cast<std::size_t>(x)] ==
           b_.elements[b.first + static_cast<std::size_t>(y)];
  }

  template <class FromAbove, class At>
  void trace_back(const Piece& a, const Piece& b, std::ptrdiff_t edits, const FromAbove& from_above,
                  const At& at) {
    auto x = static_cast<std::ptrdiff_t>(a.size());
    auto y = static_cast<std::ptrdiff_t>(b.size());
    for (; x > 0 || y > 0; --edits) {
      const std::ptrdiff_t k = x - y;
      const bool above = edits > 0 && from_above(edits, k);
      // Where the edit before these equal elements starts; without one, at the beginning.
      std::ptrdiff_t from_x = 0;
      std::ptrdiff_t from_y = 0;
      if (edits > 0) {
        from_x = above ? at(edits - 1, k + 1) : at(edits - 1, k - 1);
        from_y = from_x - (above ? k + 1 : k - 1);
      }
      const std::ptrdiff_t equal_from = from_x + (edits > 0 && !above ? 1 : 0);
      while (x > equal_from) {
        --x;
        --y;
        result_.pair(a.first + static_cast<std::size_t>(x), b.first + static_cast<std::size_t>(y));
      }
      x = from_x;
      y = from_y;
    }
  }

  const AlignedSide& a_;
  const AlignedSide& b_;
  Alignment result_;
};

}  // namespace

Alignment align(const AlignedSide& a, const AlignedSide& b) { return Aligner(a, b).align(); }

}  // namespace proofline

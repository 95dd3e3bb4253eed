// SPDX-License-Identifier: Apache-2.0
//
// Dominators by the Semi-NCA method, loops by collapsing inner ones into their headers; both stay
// near linear on graphs made to hurt. Several roots hang below one virtual node.
#include "analysis/sass/flow_loops.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace proofline {
namespace {

constexpr std::uint32_t kUnseen = ~std::uint32_t{0};

// Blocks in the order in which a depth-first walk meets them, 1 upwards; 0 is the virtual root.
struct Walk {
  std::vector<std::uint32_t> number;  // of each block; kUnseen: not reachable
  std::vector<std::uint32_t> block;   // by number
  std::vector<std::uint32_t> parent;  // numbers
  std::vector<std::uint32_t> last;    // the highest number below each
};

Walk walk_depth_first(const Flow& flow) {
  Walk walk;
  walk.number.assign(flow.blocks.size(), kUnseen);
  walk.block.push_back(kNoBlock);
  walk.parent.push_back(0);
  struct Open {
    std::uint32_t block;
    std::size_t next;
  };
  std::vector<Open> open;
  const auto enter = [&](std::uint32_t block, std::uint32_t parent) {
    walk.number[block] = static_cast<std::uint32_t>(walk.block.size());
    walk.block.push_back(block);
    walk.parent.push_back(parent);
    open.push_back({block, flow.first_edge[block]});
  };
  for (const std::uint32_t root : flow.roots) {
    if (walk.number[root] != kUnseen) continue;
    enter(root, 0);
    while (!open.empty()) {
      Open& top = open.back();
      if (top.next == flow.first_edge[top.block + 1]) {
        open.pop_back();
        continue;
      }
      const std::uint32_t to = flow.edges[top.next++].to;
      if (walk.number[to] == kUnseen) enter(to, walk.number[top.block]);
    }
  }
  walk.last.resize(walk.block.size());
  std::iota(walk.last.begin(), walk.last.end(), 0U);
  for (std::size_t i = walk.last.size(); i-- > 1;) {
    walk.last[walk.parent[i]] = std::max(walk.last[walk.parent[i]], walk.last[i]);
  }
  return walk;
}

// For each block met by the walk, the number of its immediate dominator.
class Dominators {
 public:
  Dominators(const Flow& flow, const Walk& walk)
      : ancestor_(walk.parent), label_(walk.block.size()), semi_(walk.block.size()) {
    std::iota(label_.begin(), label_.end(), 0U);
    std::iota(semi_.begin(), semi_.end(), 0U);
    std::vector<bool> root(walk.block.size());
    for (const std::uint32_t block : flow.roots) root[walk.number[block]] = true;
    for (auto w = static_cast<std::uint32_t>(walk.block.size()); w-- > 1;) {
      semi_[w] = root[w] ? 0 : walk.parent[w];
      for (const FlowEdge& edge : flow.predecessors(walk.block[w])) {
        const std::uint32_t v = walk.number[edge.from];
        if (v != kUnseen) semi_[w] = std::min(semi_[w], semi_[best_above(v, w)]);
      }
      label_[w] = w;
    }
    immediate = walk.parent;
    for (std::uint32_t w = 1; w < immediate.size(); ++w) {
      while (immediate[w] > semi_[w]) immediate[w] = immediate[immediate[w]];
    }
  }

  std::vector<std::uint32_t> immediate;  // numbers

 private:
  // Among v and its ancestors that come after `limit`, the one with the smallest semidominator;
  // the path is shortened on the way.
  std::uint32_t best_above(std::uint32_t v, std::uint32_t limit) {
    if (v <= limit) return v;
    path_.clear();
    for (std::uint32_t u = v; ancestor_[u] > limit; u = ancestor_[u]) path_.push_back(u);
    for (; !path_.empty(); path_.pop_back()) {
      const std::uint32_t u = path_.back();
      const std::uint32_t above = ancestor_[u];
      if (semi_[label_[above]] < semi_[label_[u]]) label_[u] = label_[above];
      ancestor_[u] = ancestor_[above];
    }
    return label_[v];
  }

  std::vector<std::uint32_t> ancestor_;
  std::vector<std::uint32_t> label_;
  std::vector<std::uint32_t> semi_;
  std::vector<std::uint32_t> path_;
};

// The numbers of blocks in the dominator tree, so that dominance is a comparison.
struct Intervals {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> last;

  explicit Intervals(const std::vector<std::uint32_t>& immediate)
      : first(immediate.size()), last(immediate.size()) {
    std::vector<std::uint32_t> size(immediate.size(), 1);
    for (std::size_t w = immediate.size(); w-- > 1;) size[immediate[w]] += size[w];
    std::vector<std::uint32_t> next(immediate.size());
    for (std::size_t w = 0; w < immediate.size(); ++w) {
      if (w > 0) {
        first[w] = next[immediate[w]];
        next[immediate[w]] += size[w];
      }
      next[w] = first[w] + 1;
      last[w] = first[w] + size[w] - 1;
    }
  }
  bool dominates(std::uint32_t a, std::uint32_t b) const {
    return first[a] <= first[b] && first[b] <= last[a];
  }
};

class Loops {
 public:
  Loops(Flow& flow, const Walk& walk, const Dominators& dominators)
      : flow_(flow), walk_(walk), intervals_(dominators.immediate), outermost_(walk.block.size()) {
    std::iota(outermost_.begin(), outermost_.end(), 0U);
    loop_of_header_.assign(walk.block.size(), kNoLoop);
    innermost_.assign(walk.block.size(), kNoLoop);
  }

  void find() {
    // Inner headers come later in the walk, so going backwards meets inner loops first.
    for (auto header = static_cast<std::uint32_t>(walk_.block.size()); header-- > 1;) {
      collect(header);
    }
    store();
  }

 private:
  // The header of the outermost loop found so far that a block is in, or the block itself.
  std::uint32_t outermost(std::uint32_t v) {
    while (outermost_[v] != v) {
      outermost_[v] = outermost_[outermost_[v]];
      v = outermost_[v];
    }
    return v;
  }

  void collect(std::uint32_t header) {
    FlowLoop loop;
    loop.header = walk_.block[header];
    std::vector<std::uint32_t> todo;
    for (const FlowEdge& edge : flow_.predecessors(loop.header)) {
      const std::uint32_t latch = walk_.number[edge.from];
      if (latch == kUnseen) continue;
      if (intervals_.dominates(header, latch)) {
        if (loop.latches.empty() || loop.latches.back() != edge.from) {
          loop.latches.push_back(edge.from);
        }
        if (outermost(latch) != header) todo.push_back(outermost(latch));
      } else if (header <= latch && latch <= walk_.last[header]) {
        ++flow_.irreducible;
      }
    }
    if (loop.latches.empty()) return;
    const auto index = static_cast<std::uint32_t>(found_.size());
    loop_of_header_[header] = index;
    innermost_[header] = index;
    while (!todo.empty()) {
      const std::uint32_t v = todo.back();
      todo.pop_back();
      if (outermost_[v] != v || v == header) continue;  // met before
      outermost_[v] = header;
      if (loop_of_header_[v] != kNoLoop) {
        found_[loop_of_header_[v]].parent = index;
      } else {
        innermost_[v] = index;
      }
      for (const FlowEdge& edge : flow_.predecessors(walk_.block[v])) {
        const std::uint32_t from = walk_.number[edge.from];
        // An edge into the middle of a loop that has several entries leads out of it.
        if (from == kUnseen || !intervals_.dominates(header, from)) continue;
        const std::uint32_t next = outermost(from);
        if (next != header) todo.push_back(next);
      }
    }
    found_.push_back(std::move(loop));
  }

  // Outer loops before inner ones, those of one parent by their headers' addresses.
  void store() {
    std::vector<std::uint32_t> order(found_.size());
    std::iota(order.begin(), order.end(), 0U);
    // Of one parent the later one goes first onto the stack.
    std::sort(order.begin(), order.end(),
              [&](auto a, auto b) { return found_[a].header > found_[b].header; });
    std::vector<std::vector<std::uint32_t>> children(found_.size());
    std::vector<std::uint32_t> todo;
    for (const std::uint32_t loop : order) {
      if (found_[loop].parent == kNoLoop) {
        todo.push_back(loop);
      } else {
        children[found_[loop].parent].push_back(loop);
      }
    }
    std::vector<std::uint32_t> position(found_.size());
    while (!todo.empty()) {
      const std::uint32_t old = todo.back();
      todo.pop_back();
      const auto at = static_cast<std::uint32_t>(flow_.loops.size());
      position[old] = at;
      FlowLoop& loop = flow_.loops.emplace_back(std::move(found_[old]));
      loop.end = at + 1;
      if (loop.parent != kNoLoop) {
        loop.parent = position[loop.parent];
        loop.depth = flow_.loops[loop.parent].depth + 1;
      }
      todo.insert(todo.end(), children[old].begin(), children[old].end());
    }
    for (std::uint32_t number = 1; number < walk_.block.size(); ++number) {
      FlowBlock& block = flow_.blocks[walk_.block[number]];
      if (innermost_[number] == kNoLoop) continue;
      block.loop = position[innermost_[number]];
      flow_.loops[block.loop].instructions += block.count;
    }
    for (std::size_t i = flow_.loops.size(); i-- > 0;) {
      const FlowLoop& loop = flow_.loops[i];
      if (loop.parent == kNoLoop) continue;
      flow_.loops[loop.parent].instructions += loop.instructions;
      flow_.loops[loop.parent].end = std::max(flow_.loops[loop.parent].end, loop.end);
    }
  }

  Flow& flow_;
  const Walk& walk_;
  Intervals intervals_;
  std::vector<std::uint32_t> outermost_;       // by number, towards the outermost header
  std::vector<std::uint32_t> loop_of_header_;  // by number, into found_
  std::vector<std::uint32_t> innermost_;       // by number, into found_
  std::vector<FlowLoop> found_;
};

}  // namespace

void find_loops(Flow& flow) {
  const Walk walk = walk_depth_first(flow);
  const Dominators dominators(flow, walk);
  for (std::uint32_t number = 1; number < walk.block.size(); ++number) {
    FlowBlock& block = flow.blocks[walk.block[number]];
    block.reachable = true;
    block.dominator = walk.block[dominators.immediate[number]];
  }
  Loops(flow, walk, dominators).find();
}

}  // namespace proofline

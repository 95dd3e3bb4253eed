// SPDX-License-Identifier: Apache-2.0
//
// One region of code after another, as a pattern looks at it: which instructions belong to it, what
// is after which, and what is hidden.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/sass/pattern.h"
#include "analysis/sass/pattern_regions.h"
#include "analysis/sass/selector_match.h"

namespace proofline {

// Where paths meet, whatever holds on one of them may have happened.
inline void join(Truth& state, Truth other) { state = std::max(state, other); }

class RegionWalk {
 public:
  // Both must outlive it.
  RegionWalk(const Pattern& pattern, PatternCode& code);

  // Adds the region's blocks, and finds what it has of them: all that is reachable, or what comes
  // after an instruction. False where that instruction is not there.
  bool enter(PatternRegion& region);

  PatternCode& code() const { return code_; }
  bool sees_all() const { return code_.function.complete && !flow_.open(); }
  // Whether hidden instructions (undecoded or cut off) may belong to the region.
  bool open(const PatternRegion& region) const;
  // "in loop 0x0320", "after LDTM in role epilogue"
  std::string place(const PatternRegion& region) const;
  // Why it cannot be told, as the end of a sentence, where so many instructions may be meant.
  std::string doubts(const PatternRegion& region, std::uint64_t possible) const;

  // Of an instruction of the region that was entered.
  Truth inside(std::uint32_t instruction) const { return inside_[instruction]; }
  template <class Visit>
  void for_each(std::uint32_t block, Visit visit) const {
    const FlowBlock& at = flow_.blocks[block];
    for (std::uint32_t i = at.first; i < at.first + at.count; ++i) visit(i);
  }

  Truth meant(std::uint32_t instruction, SelectorMatcher& matcher) const {
    if (inside_[instruction] == Truth::kNo) return Truth::kNo;
    return std::min(inside_[instruction], matcher(instruction));
  }

  // Visits what the selector means and may mean.
  template <class Visit>
  void for_each(const PatternRegion& region, SelectorMatcher& matcher, Visit visit) const {
    for (const std::uint32_t block : region.blocks) {
      for_each(block, [&](std::uint32_t i) {
        const Truth truth = meant(i, matcher);
        if (truth != Truth::kNo) visit(i, truth == Truth::kYes);
      });
    }
  }

  // Carries a state along the edges that lead forward; the highest counts where paths meet.
  template <class State, class Step>
  void walk(const PatternRegion& region, std::vector<State>& at_end, Step step) const {
    at_end.resize(flow_.blocks.size());
    for (const std::uint32_t block : region.blocks) {
      State state{};
      for (const FlowEdge& edge : flow_.predecessors(block)) {
        const bool forward = rank_[edge.from] < rank_[block];
        if (forward && contains(code_, region, edge.from)) join(state, at_end[edge.from]);
      }
      for_each(block, [&](std::uint32_t i) { state = step(i, state); });
      at_end[block] = state;
    }
  }

 private:
  void fill(PatternRegion& region) const;

  const Pattern& pattern_;
  PatternCode& code_;
  const Flow& flow_;
  std::optional<SelectorMatcher> after_;
  std::vector<std::uint32_t> rank_;     // of each block in the forward order
  std::vector<std::uint32_t> by_loop_;  // blocks, those of a loop and the loops in it together
  std::vector<Truth> inside_;           // of each instruction: whether the region has it
  std::vector<Truth> after_at_end_;     // of each block
};

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/region_walk.h"

#include <fmt/format.h>

#include <iterator>
#include <variant>

#include "base/text.h"

namespace proofline {

RegionWalk::RegionWalk(const Pattern& pattern, PatternCode& code)
    : pattern_(pattern),
      code_(code),
      flow_(code.flow),
      rank_(flow_.blocks.size()),
      by_loop_(forward_order(flow_)),
      inside_(code.function.instructions.size()) {
  if (pattern.after) after_.emplace(*pattern.after, code);
  for (std::uint32_t i = 0; i < by_loop_.size(); ++i) rank_[by_loop_[i]] = i;
  // The loops in a loop follow it, so that its blocks are together.
  std::stable_sort(by_loop_.begin(), by_loop_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return flow_.blocks[a].loop < flow_.blocks[b].loop;
  });
}

void RegionWalk::fill(PatternRegion& region) const {
  const auto before = [&](std::uint32_t block, std::uint32_t other) {
    return flow_.blocks[block].loop < other;
  };
  auto begin = by_loop_.begin();
  auto end = by_loop_.end();
  if (region.loop != kNoLoop) {
    begin = std::lower_bound(begin, end, region.loop, before);
    end = std::lower_bound(begin, end, flow_.loops[region.loop].end, before);
  }
  std::copy_if(begin, end, std::back_inserter(region.blocks),
               [&](std::uint32_t block) { return contains(code_, region, block); });
  std::sort(region.blocks.begin(), region.blocks.end(),
            [&](std::uint32_t a, std::uint32_t b) { return rank_[a] < rank_[b]; });
}

bool RegionWalk::enter(PatternRegion& region) {
  fill(region);
  // What a role runs is certain only where every branch is.
  const Truth reached = region.role == kNoRole || sees_all() ? Truth::kYes : Truth::kMaybe;
  const auto in_block = [&](std::uint32_t i) {
    if (flow_.blocks[flow_.block_of[i]].reachable) return reached;
    return flow_.open() ? Truth::kMaybe : Truth::kNo;
  };
  if (!after_) {
    for (const std::uint32_t block : region.blocks) {
      for_each(block, [&](std::uint32_t i) { inside_[i] = in_block(i); });
    }
    return true;
  }
  Truth found = Truth::kNo;
  walk(region, after_at_end_, [&](std::uint32_t i, Truth state) {
    inside_[i] = std::min(in_block(i), state);
    const Truth here = std::min(in_block(i), (*after_)(i));
    found = std::max(found, here);
    return std::max(state, here);
  });
  return found != Truth::kNo;
}

bool RegionWalk::open(const PatternRegion& region) const {
  const bool by_flow = region.loop != kNoLoop || region.role != kNoRole || after_.has_value() ||
                       std::holds_alternative<OrderClaim>(pattern_.claim);
  return !code_.function.complete || (by_flow && flow_.open());
}

std::string RegionWalk::place(const PatternRegion& region) const {
  const std::string text = pattern_.after ? fmt::format("after {} ", pattern_.after->text) : "";
  if (region.loop != kNoLoop) {
    return text + fmt::format("in loop {}", code_.address(code_.header(region.loop)));
  }
  if (region.role == kNoRole) return text + "in the function";
  const std::vector<PatternRole>& roles = *code_.scope.roles;
  const PatternRole& role = roles[region.role];
  const auto alike = std::count_if(roles.begin(), roles.end(), [&](const PatternRole& other) {
    return other.kind == role.kind;
  });
  return text + fmt::format("in role {}{}", to_string(role.kind),
                            alike > 1 ? fmt::format(" ({})", role.condition) : "");
}

std::string RegionWalk::doubts(const PatternRegion& region, std::uint64_t possible) const {
  std::string text;
  if (possible > 0) {
    text += fmt::format("; for {} it cannot be told", plural(possible, "instruction"));
  }
  if (!code_.function.complete) text += "; the listing of the function is cut";
  const std::uint32_t branches = flow_.dangling + flow_.indirect_unknown;
  if (open(region) && branches > 0) {
    text += fmt::format("; where {} to is not known",
                        plural(branches, "branch leads", "branches lead"));
  }
  if (open(region) && flow_.in_doubt) text += "; not all branches are known";
  return text;
}

}  // namespace proofline

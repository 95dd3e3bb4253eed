// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/pattern_regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analysis/sass/hot_loop.h"

namespace proofline {
namespace {

class RegionFinder {
 public:
  RegionFinder(const PatternPlace& place, PatternCode& code)
      : place_(place), code_(code), scope_(code.scope), flow_(code.flow) {}

  FoundRegions find() {
    using Kind = PatternPlace::Kind;
    switch (place_.kind) {
      case Kind::kFunction: found_.regions.emplace_back(); break;
      case Kind::kRole:
      case Kind::kAnyRole:
      case Kind::kEveryRole: find_roles(); break;
      case Kind::kHotLoop:
      case Kind::kLoopAt:
      case Kind::kAnyLoop:
      case Kind::kEveryLoop: find_loops(); break;
    }
    return std::move(found_);
  }

 private:
  void find_roles() {
    if (!scope_.roles) {
      found_.missing = "roles were not looked for";
      return;
    }
    std::string kinds;
    for (std::uint32_t role = 0; role < scope_.roles->size(); ++role) {
      const RoleKind kind = (*scope_.roles)[role].kind;
      if (!place_.role || *place_.role == kind) found_.regions.push_back({kNoLoop, role, {}});
      kinds += fmt::format("{}{}", kinds.empty() ? "" : ", ", to_string(kind));
    }
    if (scope_.roles->empty()) {
      found_.missing = "the function has no warp roles: all warps run the same code";
    } else if (found_.regions.empty()) {
      found_.missing =
          fmt::format("the function has no role {}, but {}", to_string(*place_.role), kinds);
    }
  }

  void find_loops() {
    for (const std::uint32_t loop : loops_meant()) found_.regions.push_back({loop, kNoRole, {}});
    if (found_.regions.empty()) found_.missing = why_no_loop();
  }

  std::vector<std::uint32_t> loops_meant() {
    using Kind = PatternPlace::Kind;
    const bool chosen = place_.kind == Kind::kHotLoop;
    if (chosen && !place_.with && !place_.role) {
      if (scope_.hot_loop < flow_.loops.size()) return {scope_.hot_loop};
      return {};
    }
    const std::vector<bool> with = loops_with();
    std::vector<std::uint32_t> loops;
    for (std::uint32_t loop = 0; loop < flow_.loops.size(); ++loop) {
      const bool at = place_.kind != Kind::kLoopAt ||
                      code_.function.instructions[code_.header(loop)].address == place_.address;
      if (at && with[loop] && of_role(loop)) loops.push_back(loop);
    }
    if (chosen && loops.size() > 1) return {hottest_of(loops)};
    return loops;
  }

  // By loop: whether it has what is asked for, and not only in a loop inside it.
  std::vector<bool> loops_with() {
    std::vector<bool> with(flow_.loops.size(), !place_.with);
    if (!place_.with) return with;
    SelectorMatcher matcher(*place_.with, code_);
    for (const FlowBlock& block : flow_.blocks) {
      if (block.loop == kNoLoop) continue;
      for (std::uint32_t i = block.first; i < block.first + block.count && !with[block.loop]; ++i) {
        const Truth found = matcher(i);
        with[block.loop] = found == Truth::kYes;
        found_.in_doubt = found_.in_doubt || found == Truth::kMaybe;
      }
    }
    return with;
  }

  bool of_role(std::uint32_t loop) const {
    if (!place_.role) return true;
    if (!scope_.roles) return false;
    const std::uint32_t role = scope_.role_of[flow_.loops[loop].header];
    return role != kNoRole && (*scope_.roles)[role].kind == *place_.role;
  }

  // As the hot loop of the function is chosen, with all others left out.
  std::uint32_t hottest_of(const std::vector<std::uint32_t>& loops) const {
    const auto polls = [&](std::uint32_t loop) {
      return loop < scope_.polling.size() && scope_.polling[loop];
    };
    const bool all_poll = std::all_of(loops.begin(), loops.end(), polls);
    std::vector<bool> left_out(flow_.loops.size(), true);
    for (const std::uint32_t loop : loops) left_out[loop] = !all_poll && polls(loop);
    std::optional<std::uint32_t> hot;
    if (!scope_.weights.empty()) hot = hot_loop_by_weight(flow_, scope_.weights, left_out);
    if (!hot) hot = hot_loop_by_structure(code_.function, flow_, code_.opcodes, left_out);
    return hot.value_or(loops.front());
  }

  std::string why_no_loop() const {
    using Kind = PatternPlace::Kind;
    if (flow_.loops.empty()) return "the function has no loop";
    if (place_.kind == Kind::kLoopAt) {
      std::vector<std::uint32_t> headers;
      for (std::uint32_t loop = 0; loop < flow_.loops.size(); ++loop) {
        headers.push_back(code_.header(loop));
      }
      return fmt::format("no loop begins at 0x{:04x}, but at{}", place_.address,
                         code_.addresses(headers, headers.size()).substr(1));
    }
    if (!place_.with && !place_.role) return "no loop of the function was chosen as the hot one";
    std::string text = "the function has no loop";
    if (place_.with) text += " with " + place_.with->text;
    if (place_.role) text += fmt::format(" of role {}", to_string(*place_.role));
    return text;
  }

  const PatternPlace& place_;
  PatternCode& code_;
  const PatternScope& scope_;
  const Flow& flow_;
  FoundRegions found_;
};

}  // namespace

bool contains(const PatternCode& code, const PatternRegion& region, std::uint32_t block) {
  if (region.role != kNoRole) return code.scope.role_of[block] == region.role;
  return region.loop == kNoLoop || code.flow.in_loop(block, region.loop);
}

FoundRegions find_regions(const PatternPlace& place, PatternCode& code) {
  return RegionFinder(place, code).find();
}

}  // namespace proofline

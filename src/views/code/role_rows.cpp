// SPDX-License-Identifier: Apache-2.0
#include "views/code/role_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arch/mnemonics.h"
#include "base/option.h"
#include "base/text.h"
#include "views/quantity.h"

namespace proofline {
namespace {

constexpr std::size_t kMostMbarriers = 8;

class RoleRows {
 public:
  RoleRows(const FunctionReport& function, Properties& properties)
      : function_(function), rows_(properties.rows) {}

  void add_roles() {
    const Roles& roles = function_.roles;
    if (roles.roles.empty()) return;
    row("warp roles", fmt::format("{}, {}", roles.roles.size(), to_string(roles.verdict)));
    for (const Role& role : roles.roles) {
      std::string text = fmt::format("{}: {}, {}", role.condition, to_string(role.kind),
                                     plural(role.instructions, "instruction"));
      if (role.registers) text += fmt::format(", {} registers", *role.registers);
      for (const auto kind :
           {InstructionClass::kTensor, InstructionClass::kBulkCopy, InstructionClass::kAsyncCopy,
            InstructionClass::kTensorMemory, InstructionClass::kGlobalStore}) {
        if (role.count(kind) > 0)
          text += fmt::format(", {} x {}", to_string(kind), role.count(kind));
      }
      row("  role", text + role_time_text(role));
    }
    add_role_waits();
    for (const RoleBarrier& barrier : roles.barriers) {
      std::string text = barrier.cluster ? "cluster barrier" : "barrier";
      if (barrier.number) text += fmt::format(" {}", *barrier.number);
      text += barrier.threads ? fmt::format(" of {} threads", *barrier.threads)
                              : std::string(" of all threads");
      text += fmt::format(" joins {} roles{}", barrier.roles.size(),
                          barrier.in_loop ? ", inside a loop" : "");
      row("  meet at", text);
    }
  }

  void add_mbarriers(bool all) {
    const Mbarriers& mbarriers = function_.mbarriers;
    if (mbarriers.accesses() == 0) return;
    std::size_t paired = 0;
    bool rings = false;
    for (const Mbarrier& one : mbarriers.barriers) {
      paired += one.paired ? 1 : 0;
      rings = rings || one.ring;
    }
    // An unrolled loop names the stages of a ring one by one, beside a place that varies.
    const bool stages = rings && paired < mbarriers.barriers.size();
    row("mbarriers",
        fmt::format(
            "{} instructions on {}, {} with both arrival and wait{}; mbarriers order warps but "
            "are no edges",
            mbarriers.accesses(), plural(mbarriers.barriers.size(), "barrier"), paired,
            stages ? " (others may be stages of a ring)" : ""));
    std::size_t shown = 0;
    for (const Mbarrier& one : mbarriers.barriers) {
      // A ring is what a pipeline is made of: every one is shown, and so is where warps wait.
      const bool awaited = one.waiting_samples.value_or(0) > 0;
      if (!one.ring && !awaited && !all && shown >= kMostMbarriers) continue;
      add_mbarrier(one);
      ++shown;
    }
    if (shown < mbarriers.barriers.size()) {
      row("  mbarrier", fmt::format("and {} more that are no rings; {} shows them",
                                    mbarriers.barriers.size() - shown, option("all")));
    }
  }

 private:
  // "; 41 % of the samples, waits for other roles 17 % of its time, 31.8 of 32 lanes"
  std::string role_time_text(const Role& role) const {
    if (!role.sampled || !function_.hot || function_.hot->samples == 0) return "";
    const RoleTime& time = *role.sampled;
    std::string text =
        fmt::format("; {} of the samples", share_text(static_cast<double>(time.samples) /
                                                      static_cast<double>(function_.hot->samples)));
    if (time.samples > 0) {
      text +=
          fmt::format(", waits for other roles {} of its time", share_text(time.waiting_share()));
    }
    if (time.executed) text += fmt::format(", {} executed", group_digits(*time.executed));
    if (const auto lanes = time.lanes()) text += fmt::format(", {:.1f} of 32 lanes", *lanes);
    return text;
  }

  // "epilogue", or with its condition where there are several.
  std::string role_name(std::uint32_t role) const {
    const auto& roles = function_.roles.roles;
    const Role& one = roles[role];
    const bool alone = std::count_if(roles.begin(), roles.end(), [&](const Role& other) {
                         return other.kind == one.kind;
                       }) == 1;
    const std::string kind(to_string(one.kind));
    return alone ? kind : fmt::format("{} ({})", kind, one.condition);
  }

  void add_role_waits() {
    const Roles& roles = function_.roles;
    for (const RoleWait& wait : roles.waits) {
      const std::uint64_t samples = roles.roles[wait.role].sampled->samples;
      if (samples == 0) continue;
      const std::string who = role_name(wait.role);
      const std::string whom = role_name(wait.for_role);
      row("  waits", wait.samples == 0 ? fmt::format("{} never waits for {}", who, whom)
                                       : fmt::format("{} waits for {} {} of its time", who, whom,
                                                     share_text(static_cast<double>(wait.samples) /
                                                                static_cast<double>(samples))));
    }
    add_bubble();
    if (roles.balance) {
      row("  balance", fmt::format("the least busy role works {} as much of its time as the "
                                   "busiest",
                                   share_text(*roles.balance)));
    }
  }

  // What the roles that multiply lose to the others, all of them together.
  void add_bubble() {
    const RoleTime mma = function_.roles.time_of(RoleKind::kMma);
    if (mma.samples == 0) return;
    row("  bubble", fmt::format("{} of mma's time goes to waiting for other roles",
                                share_text(mma.waiting_share())));
  }

  // "load -> mma"; "" where neither is in a role.
  std::string meeting_text(const Mbarrier& barrier) const {
    std::set<std::string> from;
    std::set<std::string> to;
    for (const MbarrierAccess& access : barrier.accesses) {
      const std::string name = access.role ? role_name(*access.role) : "all warps";
      if (arrives(access.use)) from.insert(name);
      if (access.use == MbarrierUse::kWait) to.insert(name);
    }
    if (function_.roles.roles.empty() || from.empty() || to.empty()) return "";
    return fmt::format("{} -> {}", fmt::join(from, ", "), fmt::join(to, ", "));
  }

  // "0x5408: load -> mma; init 0x0150; arrive 0x0740; wait 0x05f0, 0x0d30"
  void add_mbarrier(const Mbarrier& barrier) {
    std::map<MbarrierUse, std::vector<std::string>> by_use;
    for (const MbarrierAccess& access : barrier.accesses) {
      by_use[access.use].push_back(fmt::format("{:#06x}", access.address));
    }
    std::string text = barrier.place;
    if (barrier.slots) {
      text += fmt::format(" (ring of {})", *barrier.slots);
    } else if (barrier.ring) {
      text += " (ring)";
    }
    text += ":";
    std::string_view separator = " ";
    if (const std::string meeting = meeting_text(barrier); !meeting.empty()) {
      text += " " + meeting;
      separator = "; ";
    }
    for (const auto& [use, addresses] : by_use) {
      text += fmt::format("{}{} {}", separator, to_string(use), fmt::join(addresses, ", "));
      separator = "; ";
    }
    if (barrier.waiting_samples && function_.hot && function_.hot->samples > 0) {
      text += fmt::format("; {} of the samples wait there",
                          share_text(static_cast<double>(*barrier.waiting_samples) /
                                     static_cast<double>(function_.hot->samples)));
    }
    row("  mbarrier", text);
  }

  void row(std::string name, std::string text) {
    rows_.emplace_back(std::move(name), std::move(text));
  }

  const FunctionReport& function_;
  std::vector<std::pair<std::string, std::string>>& rows_;
};

}  // namespace

void add_roles(const FunctionReport& function, Properties& properties) {
  RoleRows(function, properties).add_roles();
}

void add_mbarriers(const FunctionReport& function, bool all, Properties& properties) {
  RoleRows(function, properties).add_mbarriers(all);
}

}  // namespace proofline

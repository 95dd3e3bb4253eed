// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/role_samples.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace proofline {
namespace {

void add_row(const CodeSamples::Row& row, RoleTime& time) {
  time.samples += row.samples;
  time.stalled += row.stalled;
  if (row.executed) time.executed = time.executed.value_or(0) + *row.executed;
  if (row.threads_executed) {
    time.threads_executed = time.threads_executed.value_or(0) + *row.threads_executed;
  }
}

// What a warp waits for in others: an mbarrier, or a barrier that roles share.
struct Meeting {
  Mbarrier* mbarrier = nullptr;  // null too where the code does not show which one
  const RoleBarrier* barrier = nullptr;
};

class RoleSampler {
 public:
  RoleSampler(const SampledFunction& function, const std::vector<bool>& polling, Roles& roles,
              Mbarriers& mbarriers)
      : function_(function),
        flow_(function.flow),
        samples_(function.samples),
        polling_(polling),
        roles_(roles) {
    for (Mbarrier& barrier : mbarriers.barriers) {
      barrier.waiting_samples = 0;
      add_waits(barrier.accesses, &barrier);
    }
    add_waits(mbarriers.unplaced, nullptr);
    for (const RoleBarrier& barrier : roles.barriers) {
      for (const std::uint32_t i : barrier.instructions) meetings_[i] = {nullptr, &barrier};
    }
  }

  void add() {
    for (Role& role : roles_.roles) role.sampled.emplace();
    find_pairs();
    find_polls();
    for (std::uint32_t i = 0; i < samples_.rows.size(); ++i) count(i);
    for (const auto& [pair, samples] : waits_) {
      roles_.waits.push_back({pair.first, pair.second, samples});
    }
    judge_balance();
  }

 private:
  void add_waits(const std::vector<MbarrierAccess>& accesses, Mbarrier* barrier) {
    for (const MbarrierAccess& access : accesses) {
      if (access.use == MbarrierUse::kWait) meetings_[access.instruction] = {barrier, nullptr};
    }
  }

  std::uint32_t role_of(std::uint32_t instruction) const {
    return roles_.role_of[flow_.block_of[instruction]];
  }

  // The roles that end a phase of the mbarrier, or that come to the barrier.
  static std::set<std::uint32_t> arriving(const Meeting& meeting) {
    std::set<std::uint32_t> roles;
    if (meeting.barrier != nullptr) {
      roles.insert(meeting.barrier->roles.begin(), meeting.barrier->roles.end());
    } else if (meeting.mbarrier != nullptr) {
      for (const MbarrierAccess& access : meeting.mbarrier->accesses) {
        if (arrives(access.use) && access.role) roles.insert(*access.role);
      }
    }
    return roles;
  }

  // Pairs that could wait, so that those that never do are known too.
  void find_pairs() {
    for (const auto& [instruction, meeting] : meetings_) {
      const std::uint32_t role = role_of(instruction);
      if (role == kNoRole) continue;
      for (const std::uint32_t other : arriving(meeting)) {
        if (other != role) waits_.try_emplace({role, other}, 0);
      }
    }
  }

  // The loops that do nothing but ask: all time in them is waiting.
  void find_polls() {
    for (const auto& [instruction, meeting] : meetings_) {
      const std::uint32_t loop = flow_.blocks[flow_.block_of[instruction]].loop;
      if (meeting.barrier == nullptr && loop != kNoLoop && polling_[loop]) polled_[loop] = meeting;
    }
  }

  const Meeting* meeting_of(std::uint32_t i) const {
    const auto polled = polled_.find(flow_.blocks[flow_.block_of[i]].loop);
    if (polled != polled_.end()) return &polled->second;
    const CodeSamples::Row& row = samples_.rows[i];
    if (row.stalled == 0) return nullptr;
    const std::string reason = main_reason(samples_, i);
    const TracedWaits traced =
        waits_of(function_.code, flow_, function_.opcodes, i, reason, function_.executed);
    for (const Wait& wait : traced.waits) {
      const auto found = meetings_.find(wait.producer);
      if (found != meetings_.end()) return &found->second;
    }
    return nullptr;
  }

  void count(std::uint32_t i) {
    const CodeSamples::Row& row = samples_.rows[i];
    const std::uint32_t role = role_of(i);
    if (role != kNoRole) add_row(row, *roles_.roles[role].sampled);
    if (row.samples == 0) return;
    const Meeting* meeting = meeting_of(i);
    if (meeting == nullptr) return;
    // In a loop that only polls, issuing is waiting too.
    const bool polls = polled_.contains(flow_.blocks[flow_.block_of[i]].loop);
    const std::uint64_t waiting = polls ? row.samples : row.stalled;
    if (meeting->mbarrier != nullptr) *meeting->mbarrier->waiting_samples += waiting;
    if (role == kNoRole) return;
    roles_.roles[role].sampled->waiting += waiting;
    for (const std::uint32_t other : arriving(*meeting)) {
      if (other != role) waits_[{role, other}] += waiting;
    }
  }

  void judge_balance() {
    double least = 1;
    double most = 0;
    for (const Role& role : roles_.roles) {
      if (role.sampled->samples == 0) return;
      const double busy = 1 - role.sampled->waiting_share();
      least = std::min(least, busy);
      most = std::max(most, busy);
    }
    if (most > 0) roles_.balance = least / most;
  }

  const SampledFunction& function_;
  const Flow& flow_;
  const CodeSamples& samples_;
  const std::vector<bool>& polling_;
  Roles& roles_;
  std::unordered_map<std::uint32_t, Meeting> meetings_;  // by the instruction that waits
  std::unordered_map<std::uint32_t, Meeting> polled_;    // by loop
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> waits_;
};

}  // namespace

void add_role_samples(const SampledFunction& function, const std::vector<bool>& polling,
                      Roles& roles, Mbarriers& mbarriers) {
  if (roles.roles.empty() || !function.samples.missing.empty()) return;
  RoleSampler(function, polling, roles, mbarriers).add();
}

}  // namespace proofline

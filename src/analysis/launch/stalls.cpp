// SPDX-License-Identifier: Apache-2.0
//
// Where warp cycles go: each stall reason as a share of all warp cycles, the groups, and how many
// warps a scheduler has to choose from.
#include <map>
#include <string>

#include "analysis/analysis.h"
#include "analysis/launch/stall_shares.h"
#include "analysis/launch/stalls_facts.h"
#include "vocabulary/stall_reasons.h"

namespace proofline {
namespace {

constexpr std::string_view kOldIssueActive[] = {"smsp__issue_active.avg.per_cycle_active",
                                                "smsp__issue_active_avg_per_active_cycle"};

void publish_stalls(const Subject& subject, Facts& facts) {
  const StallShares stalls = stall_shares(subject);
  std::map<std::string_view, double> groups;  // by name, which is the order of publication
  for (const StallGroup group : {StallGroup::kMemory, StallGroup::kSynchronisation,
                                 StallGroup::kCompute, StallGroup::kOther}) {
    groups[to_string(group)] = 0;
  }
  double exposed = 0;
  Sources sources;
  for (const StallShare& stall : stalls.shares) {
    facts.add(facts::kStallShare.named(stall.reason), stall.share, {stall.metric});
    sources.add(stall.metric);
    const StallReason* reason = find_stall_reason(stall.reason);
    groups[to_string(reason != nullptr ? reason->group : StallGroup::kOther)] += stall.share;
    if (is_issuing(stall.reason)) continue;
    exposed += stall.share;
    facts.add(facts::kStallTop, stall.reason, {stall.metric});
  }
  // With captured stalls every reason has a share, which is 0 for a reason that was not seen.
  const bool known = stalls.source != StallSource::kNone;
  const auto put_absent = [&](const FactRef& fact) {
    // This counter means the section that brings all of them.
    facts.mark_absent(fact, "the capture has neither stall counters nor PC samples",
                      {std::string(facts::kWarpsLatency.needs)});
  };
  const auto put = [&](const FactRef& fact, double share) {
    if (known) {
      facts.add(fact, share, sources);
    } else {
      put_absent(fact);
    }
  };
  for (const auto& [group, share] : groups) put(facts::kStallGroupShare.named(group), share);
  put(facts::kStallExposedShare, exposed);
  for (const StallReason& reason : stall_reasons()) {
    const FactRef share = facts::kStallShare[reason.stall];
    if (!facts.number(share)) put(share, 0);
  }
  put(facts::kWarpsDependencyShare,
      facts.number(facts::kStallShare[Stall::kWait]).value_or(0) +
          facts.number(facts::kStallShare[Stall::kShortScoreboard]).value_or(0));
  if (known) {
    facts.add(facts::kStallSource, std::string(to_string(stalls.source)));
    // Ignored where a reason has been published above: the first word on a name stands.
    facts.mark_absent(facts::kStallTop, "no warp was seen stalled");
  } else {
    put_absent(facts::kStallSource);
    put_absent(facts::kStallTop);
  }
  publish_metric(subject, facts, facts::kWarpsActive);
  publish_metric(subject, facts, facts::kWarpsEligible);
  publish_metric(subject, facts, facts::kWarpsLatency);
  // A scheduler issues one instruction per cycle, so that the old counts per cycle are shares.
  if (subject.first(kOldIssueActive) && !subject.number(facts::kIssueActiveShare.needs)) {
    Formula old(subject);
    old.publish(facts, facts::kIssueActiveShare, old.read_any(kOldIssueActive));
  } else {
    publish_percent(subject, facts, facts::kIssueActiveShare);
  }
}

}  // namespace

std::string_view stall_reason_of(std::string_view fact) {
  constexpr std::string_view kPattern = facts::kStallShare.info.name;
  if (!matches_fact(kPattern, fact) || fact == facts::kStallExposedShare.name) return {};
  const std::size_t before = kPattern.find('<');
  return fact.substr(before, fact.find('.', before) - before);
}

Analysis stalls() { return {"stalls", kStallsFacts, publish_stalls}; }

}  // namespace proofline

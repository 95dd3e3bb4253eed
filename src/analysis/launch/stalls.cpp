// SPDX-License-Identifier: Apache-2.0
//
// Where warp cycles go: each stall reason as a share of all warp cycles, the groups, and how many
// warps a scheduler has to choose from.
#include <map>
#include <string>

#include "analysis/analysis.h"
#include "analysis/launch/stall_shares.h"
#include "vocabulary/stall_reasons.h"

namespace proofline {
namespace {

constexpr FactInfo kStallsFacts[] = {
    {"stall.<reason>.share", kShare,
     "Cycles that warps spend in this state, over all warp cycles."},
    {"stall.group.<group>.share", kShare,
     "The reasons of one group together: memory, synchronisation, compute, other."},
    {"stall.exposed.share", kShare,
     "All warp cycles but those in which a warp issued or was ready to issue."},
    {"stall.source", "", "Whether the shares come from counters or from PC samples."},
    {"stall.top", "", "The reason with the largest share, issuing aside."},
    {"warps.active", "warp", "Resident warps of a scheduler, on average over its active cycles."},
    {"warps.eligible", "warp", "Warps of a scheduler that could issue, on average."},
    {"issue.active.share", kShare,
     "Issue slots used, of those of active cycles: idle SMs do not count."},
    {"warps.dependency.share", kShare,
     "Warp cycles spent waiting for results of the warp's own previous instructions (wait and "
     "short_scoreboard)."},
    {"warps.latency", "cycle", "Cycles between two instructions of one warp."},
};

constexpr std::string_view kIssueActive = "smsp__issue_active.avg.pct_of_peak_sustained_active";
constexpr std::string_view kOldIssueActive[] = {"smsp__issue_active.avg.per_cycle_active",
                                                "smsp__issue_active_avg_per_active_cycle"};

bool is_issuing(std::string_view reason) {
  return reason == "selected" || reason == "not_selected";
}

void publish_stalls(const Subject& subject, Facts& facts) {
  const StallShares stalls = stall_shares(subject);
  std::map<std::string, double> groups = {
      {"memory", 0}, {"synchronisation", 0}, {"compute", 0}, {"other", 0}};
  double exposed = 0;
  Sources sources;
  for (const StallShare& stall : stalls.shares) {
    facts.add(
        {"stall." + stall.reason + ".share", std::string(kShare), stall.share, {stall.metric}});
    sources.add(stall.metric);
    const StallReason* reason = find_stall_reason(stall.reason);
    groups[reason != nullptr ? std::string(to_string(reason->group)) : "other"] += stall.share;
    if (is_issuing(stall.reason)) continue;
    exposed += stall.share;
    facts.add({"stall.top", "", stall.reason, {stall.metric}});
  }
  // A share is there where the capture has stalls at all; zero for a reason no warp was seen in.
  const bool known = stalls.source != StallSource::kNone;
  const auto put_absent = [&](const std::string& name) {
    // One of the counters stands for the whole section.
    facts.add_absent({name,
                      "the capture has neither stall counters nor PC samples",
                      {"smsp__average_warp_latency_per_inst_issued.ratio"}});
  };
  const auto put = [&](const std::string& name, double share) {
    if (known) {
      facts.add({name, std::string(kShare), share, sources});
    } else {
      put_absent(name);
    }
  };
  for (const auto& [group, share] : groups) put("stall.group." + group + ".share", share);
  put("stall.exposed.share", exposed);
  for (const StallReason& reason : stall_reasons()) {
    const std::string name = "stall." + std::string(reason.name) + ".share";
    if (!facts.number(name)) put(name, 0);
  }
  put("warps.dependency.share", facts.number("stall.wait.share").value_or(0) +
                                    facts.number("stall.short_scoreboard.share").value_or(0));
  if (known) {
    facts.add({"stall.source", "", std::string(to_string(stalls.source)), {}});
    // Where a reason leads, its name has been published.
    facts.add_absent({"stall.top", "no warp was seen stalled", {}});
  } else {
    put_absent("stall.source");
    put_absent("stall.top");
  }
  publish_metric(subject, facts, "warps.active", "warp",
                 {"smsp__warps_active.avg.per_cycle_active"});
  publish_metric(subject, facts, "warps.eligible", "warp",
                 {"smsp__warps_eligible.avg.per_cycle_active"});
  publish_metric(
      subject, facts, "warps.latency", "cycle",
      {"smsp__average_warp_latency_per_inst_issued.ratio", "smsp__warp_cycles_per_inst_issued"});
  // A scheduler issues one instruction a cycle, so that the old counts a cycle are shares.
  if (subject.first(kOldIssueActive) && !subject.number(kIssueActive)) {
    Formula old(subject);
    old.publish(facts, "issue.active.share", kShare, old.read_any(kOldIssueActive));
  } else {
    publish_percent(subject, facts, "issue.active.share", kIssueActive);
  }
}

}  // namespace

Analysis stalls() { return {"stalls", kStallsFacts, publish_stalls}; }

}  // namespace proofline

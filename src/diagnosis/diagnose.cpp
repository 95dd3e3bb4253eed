// SPDX-License-Identifier: Apache-2.0
//
// Runs the rules over the facts of each kernel, lets causes subsume the symptoms they explain, and
// ranks what remains by gain.
#include "diagnosis/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "analysis/analysis.h"
#include "analysis/launch/opcode_counts.h"
#include "base/characters.h"
#include "base/text.h"
#include "diagnosis/group.h"
#include "model/profile/display_name.h"
#include "rules/rule.h"
#include "rules/shared/gains.h"
#include "vocabulary/ncu_sections.h"
#include "vocabulary/stall_reasons.h"

namespace proofline {
namespace {

// A cause takes over a symptom only when it accounts for a good part of it.
constexpr double kExplains = 0.4;
// Passes this far apart are worth a word; further, and capture-invalid is found.
constexpr double kUneasySpread = 0.15;

struct Found {
  const Rule* rule;
  Finding finding;
  bool subsumed = false;

  double middle() const { return (finding.gain.low + finding.gain.high) / 2; }
  bool is_roof() const { return rule->group == CauseGroup::kRoof; }
};

Severity severity_of(const Gain& gain) {
  if (gain.high >= 0.20) return Severity::kHigh;
  return gain.high >= kLeastGain ? Severity::kMedium : Severity::kLow;
}

std::vector<Found> look(KernelDiagnosis& kernel) {
  std::vector<Found> found;
  for (const Rule& rule : rules()) {
    Trial trial(kernel.facts);
    Outcome outcome = rule.evaluate(trial);
    if (auto* finding = std::get_if<Finding>(&outcome)) {
      finding->id = rule.id;
      finding->severity = severity_of(finding->gain);
      found.push_back({&rule, std::move(*finding)});
    } else if (auto* unknown = std::get_if<NotEvaluated>(&outcome)) {
      unknown->id = rule.id;
      unknown->capture = capture_flags(kernel.facts.metrics_for(unknown->missing));
      kernel.not_evaluated.push_back(std::move(*unknown));
    } else {
      kernel.clean.emplace_back(rule.id);
    }
  }
  return found;
}

// Largest gain first, and what makes the capture worthless before all.
bool before(const Found& a, const Found& b) {
  const bool a_capture = a.rule->group == CauseGroup::kCapture;
  const bool b_capture = b.rule->group == CauseGroup::kCapture;
  if (a_capture != b_capture) return a_capture;
  return a.middle() > b.middle();
}

// At a roof nothing is gained by hiding latency or by spreading the same work differently.
bool is_idle_at_roof(const Found& one) {
  return one.rule->group == CauseGroup::kLatency || one.rule->group == CauseGroup::kParallelism;
}

void yield_to_roof(std::vector<Found>& found) {
  const auto roof =
      std::find_if(found.begin(), found.end(), [](const Found& one) { return one.is_roof(); });
  if (roof == found.end()) return;
  for (Found& one : found) {
    if (!is_idle_at_roof(one)) continue;
    one.subsumed = true;
    roof->finding.explains.emplace_back(one.rule->id);
  }
}

void subsume(std::vector<Found>& found) {
  for (Found& cause : found) {
    if (cause.subsumed) continue;
    for (Found& symptom : found) {
      const auto& explained = cause.rule->explains;
      if (&symptom == &cause || symptom.subsumed ||
          std::find(explained.begin(), explained.end(), symptom.rule->id) == explained.end()) {
        continue;
      }
      if (!symptom.is_roof() && cause.middle() < kExplains * symptom.middle()) continue;
      symptom.subsumed = true;
      cause.finding.explains.emplace_back(symptom.rule->id);
    }
  }
}

Verdict verdict_of(const std::vector<Found>& found, const Facts& facts, bool known) {
  if (found.empty()) {
    const auto level = facts.text("roof.level");
    const auto stall = facts.text("stall.top");
    std::string headline = "No single cause found";
    if (level) {
      headline += fmt::format(": the nearest roof is {} at {}", *level,
                              percent(facts.number("roof.share").value_or(0)));
    }
    if (stall) {
      headline += fmt::format(", the largest stall {} at {}", *stall,
                              percent(facts.number("stall." + *stall + ".share").value_or(0)));
      if (const StallReason* reason = find_stall_reason(*stall)) {
        headline += fmt::format(". {}", reason->helps);
      }
    }
    return {Bound::kNone, "", headline};
  }
  const Found& first = found.front();
  Verdict verdict{first.rule->bound, std::string(first.rule->at), first.finding.statement};
  if (first.finding.severity == Severity::kInfo) {
    verdict.headline += "; " + first.finding.next;
  } else if (first.is_roof() && first.rule->bound == Bound::kMemory && !known) {
    verdict.headline += "; whether its accesses are clean could not be evaluated";
  }
  verdict.headline.front() = to_upper(verdict.headline.front());
  return verdict;
}

// Whether the rules that could lay a memory roof at the door of its accesses were evaluated.
bool accesses_known(const KernelDiagnosis& kernel) {
  return std::none_of(
      kernel.not_evaluated.begin(), kernel.not_evaluated.end(), [](const NotEvaluated& unknown) {
        return unknown.id == "uncoalesced-global" || unknown.id == "shared-bank-conflicts";
      });
}

void judge(KernelDiagnosis& kernel) {
  std::vector<Found> found = look(kernel);
  std::stable_sort(found.begin(), found.end(), before);
  const bool at_roof = kernel.facts.number("roof.share").value_or(0) >= kAtRoof;
  if (at_roof) yield_to_roof(found);
  subsume(found);
  found.erase(std::remove_if(found.begin(), found.end(), [](const Found& f) { return f.subsumed; }),
              found.end());
  // A roof reached with nothing else to blame is no fault; whether there is nothing else must be
  // known, though.
  const bool known = accesses_known(kernel);
  if (found.size() == 1 && found.front().is_roof() && at_roof && known) {
    found.front().finding.severity = Severity::kInfo;
  }
  kernel.verdict = verdict_of(found, kernel.facts, known);
  for (Found& one : found) kernel.findings.push_back(std::move(one.finding));
}

void note_capture(KernelDiagnosis& kernel) {
  if (kernel.spread.count == 1) {
    kernel.notes.push_back({NoteKind::kInfo, "",
                            "a single launch was profiled, so the spread of its time is unknown"});
  }
  if (const double spread = kernel.facts.number("capture.clock_spread.share").value_or(0);
      spread >= kUneasySpread) {
    kernel.notes.push_back(
        {NoteKind::kInfo, "",
         fmt::format(
             "passes of this capture differ by {} in time or clock, so compare its counters "
             "with care",
             percent(spread))});
  }
  if (kernel.facts.text("capture.clocks_locked").value_or("") == "no") {
    kernel.notes.push_back({NoteKind::kInfo, "", "clocks were not locked during the capture"});
  }
}

KernelDiagnosis diagnose_group(const Profile& profile, std::size_t source, LaunchGroup group,
                               std::string display_name, const DiagnoseOptions& options) {
  const Launch& launch = profile.launches[group.representative];
  Declared declared;
  if (const auto bytes = options.unique_bytes.find(launch.function);
      bytes != options.unique_bytes.end()) {
    declared.unique_bytes = bytes->second;
  }
  KernelDiagnosis kernel{.source = source,
                         .launch = group.representative,
                         .launches = std::move(group.launches),
                         .spread = group.spread,
                         .kind = launch.kind,
                         .name = launch.name,
                         .display_name = std::move(display_name),
                         .function = launch.function,
                         .grid = launch.grid,
                         .block = launch.block,
                         .device_name = std::string(device_name(profile, launch)),
                         .compute_capability = launch.compute_capability,
                         .duration_ns = group.spread.median_ns,
                         .verdict = {},
                         .findings = {},
                         .not_evaluated = {},
                         .clean = {},
                         .notes = {},
                         .nvidia_rules = launch.nvidia_rules,
                         .facts = gather_facts(profile, launch, declared)};
  judge(kernel);
  note_capture(kernel);
  return kernel;
}

}  // namespace

ReadOptions diagnosis_read_options() {
  ReadOptions options;
  // Most bytes of a full-set report are instances; these are all that an analysis reads.
  options.pc_samples = true;
  options.instances_of.assign(std::begin(kOpcodeMetrics), std::end(kOpcodeMetrics));
  options.instances_of.push_back(kInstructionsExecuted);
  options.lines = true;
  return options;
}

Diagnosis diagnose(std::span<const Profile> profiles, const DiagnoseOptions& options) {
  Diagnosis diagnosis;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const Profile& profile = profiles[i];
    diagnosis.sources.push_back({profile.path, profile.format, profile.producer});
    for (Note note : profile.notes) {
      // A place in one of several files needs the file's name.
      if (profiles.size() > 1) {
        note.place = note.place.empty() ? profile.path : profile.path + ", " + note.place;
      }
      diagnosis.notes.push_back(std::move(note));
    }
    const auto* chosen = options.launches.empty() ? nullptr : &options.launches[i];
    const std::vector<std::string> names = display_names(profile);
    for (LaunchGroup& group : group_launches(profile, chosen)) {
      const std::string& name = names[group.representative];
      diagnosis.kernels.push_back(diagnose_group(profile, i, std::move(group), name, options));
    }
  }
  std::stable_sort(diagnosis.kernels.begin(), diagnosis.kernels.end(),
                   [](const KernelDiagnosis& a, const KernelDiagnosis& b) {
                     return a.spread.total_ns.value_or(0) > b.spread.total_ns.value_or(0);
                   });
  return diagnosis;
}

}  // namespace proofline

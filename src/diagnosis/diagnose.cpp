// SPDX-License-Identifier: Apache-2.0
//
// Runs the rules over the facts of each kernel, lets causes subsume the symptoms they explain, and
// ranks what remains by gain.
#include "diagnosis/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>

#include "analysis/analysis.h"
#include "analysis/launch/launch_facts.h"
#include "analysis/launch/opcode_counts.h"
#include "base/characters.h"
#include "base/option.h"
#include "base/parallel.h"
#include "base/text.h"
#include "diagnosis/group.h"
#include "model/profile/display_name.h"
#include "rules/rule.h"
#include "rules/shared/gains.h"
#include "vocabulary/levels.h"
#include "vocabulary/ncu_sections.h"
#include "vocabulary/stall_reasons.h"

namespace proofline {
namespace {

// A cause takes over a symptom of about its own size, never a much larger one; and a roof when it
// accounts for a good part of what is there.
constexpr double kPartOfSymptom = 0.75;
constexpr double kPartOfRoof = 0.4;
// A verdict from fewer of the rules than this is provisional.
constexpr double kEnoughRules = 2.0 / 3;
// Passes this far apart are worth a word; further, and capture-invalid is found.
constexpr double kUneasySpread = 0.15;

// A kernel's facts and findings take some 90 kB. More kernels than these are not read by people,
// and a file of a megabyte may have tens of thousands.
constexpr std::size_t kMostDiagnosedKernels = 1000;

// What could not be evaluated, once for all kernels that lack the same. For several threads.
class LackingLists {
 public:
  SharedList<NotEvaluated> share(std::vector<NotEvaluated> lacking) {
    const std::lock_guard lock(mutex_);
    const auto [list, is_new] = lists_.try_emplace(std::move(lacking));
    if (is_new) list->second = list->first;
    return list->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::vector<NotEvaluated>, SharedList<NotEvaluated>> lists_;
};

struct Found {
  const Rule* rule;
  Finding finding;
  double weight;  // what the ranking is by
  bool subsumed = false;

  bool is_roof() const { return rule->group == CauseGroup::kRoof; }
};

// What a cause is expected to gain. A roof counts for the way that is left to it, and for half of
// what a better algorithm would gain beyond.
double weight_of(const Rule& rule, const Gain& gain, const Facts& facts) {
  double high = gain.high;
  if (rule.group == CauseGroup::kRoof) {
    high = (high + std::min(high, facts.number(facts::kRoofHeadroom).value_or(0))) / 2;
  }
  return (gain.low + std::max(gain.low, high)) / 2;
}

// What is not launch, ramp and drain: no change of the kernel gains more.
double work_share(const Facts& facts) {
  const double duration = facts.number(facts::kDuration).value_or(0);
  if (duration <= 0) return 1;
  return std::max(0.0, 1 - kOverheadNanoseconds / duration);
}

std::vector<Found> look(KernelDiagnosis& kernel, const DiagnoseOptions& options,
                        LackingLists& lists) {
  std::vector<Found> found;
  std::vector<NotEvaluated> lacking;
  const double work = work_share(kernel.facts);
  for (const Rule& rule : rules()) {
    if (options.looks && !options.looks(rule.id)) continue;
    Trial trial(kernel.facts);
    Outcome outcome = rule.evaluate(trial);
    if (auto* finding = std::get_if<Finding>(&outcome)) {
      finding->id = rule.id;
      if (rule.at != "launch") {
        finding->gain.low *= work;
        finding->gain.high *= work;
      }
      if (rule.group != CauseGroup::kRoof) finding->severity = severity_of(finding->gain);
      const double weight = weight_of(rule, finding->gain, kernel.facts);
      found.push_back({&rule, std::move(*finding), weight});
    } else if (auto* unknown = std::get_if<NotEvaluated>(&outcome)) {
      unknown->id = rule.id;
      unknown->capture = capture_flags(kernel.facts.metrics_for(unknown->missing));
      lacking.push_back(std::move(*unknown));
    } else {
      kernel.clean.emplace_back(rule.id);
    }
  }
  kernel.not_evaluated = lists.share(std::move(lacking));
  return found;
}

// Largest gain first, and what makes the capture worthless before all.
bool before(const Found& a, const Found& b) {
  const bool a_capture = a.rule->group == CauseGroup::kCapture;
  const bool b_capture = b.rule->group == CauseGroup::kCapture;
  if (a_capture != b_capture) return a_capture;
  return a.weight > b.weight;
}

// The symptom's own symptoms come along, as those of the cause.
void take_over(Found& cause, Found& symptom) {
  symptom.subsumed = true;
  std::vector<Finding> more = std::exchange(symptom.finding.symptoms, {});
  std::vector<Finding>& symptoms = cause.finding.symptoms;
  symptoms.push_back(std::move(symptom.finding));
  std::move(more.begin(), more.end(), std::back_inserter(symptoms));
}

// At a roof nothing is gained by hiding latency or by spreading the same work differently.
bool is_idle_at_roof(const Found& one) {
  return one.rule->group == CauseGroup::kLatency || one.rule->group == CauseGroup::kParallelism;
}

std::vector<Found>::iterator find_roof(std::vector<Found>& found) {
  return std::find_if(found.begin(), found.end(), [](const Found& one) { return one.is_roof(); });
}

void yield_to_roof(std::vector<Found>& found) {
  const auto roof = find_roof(found);
  if (roof == found.end()) return;
  for (Found& one : found) {
    if (is_idle_at_roof(one)) take_over(*roof, one);
  }
}

// A cause accounts for what its rule says it explains, and for what that explains in turn.
void subsume(std::vector<Found>& found) {
  for (Found& cause : found) {
    if (cause.subsumed) continue;
    std::vector<std::string_view> explained = cause.rule->explains;
    for (std::size_t i = 0; i < explained.size(); ++i) {
      const auto symptom = std::find_if(found.begin(), found.end(), [&](const Found& one) {
        return one.rule->id == explained[i] && !one.subsumed && &one != &cause;
      });
      if (symptom == found.end()) continue;
      const double part = symptom->is_roof() ? kPartOfRoof : kPartOfSymptom;
      if (cause.weight < part * symptom->weight) continue;
      take_over(cause, *symptom);
      const auto& more = symptom->rule->explains;
      explained.insert(explained.end(), more.begin(), more.end());
    }
  }
}

// Nothing outranks a roof that its fix would not relieve: what would has taken the roof over.
void lift_roof(std::vector<Found>& found) {
  const auto roof = find_roof(found);
  const auto first = std::find_if(found.begin(), found.end(), [](const Found& one) {
    return one.rule->group != CauseGroup::kCapture;
  });
  if (roof != found.end()) std::rotate(first, roof, roof + 1);
}

// The busiest level that was captured: "L1 is at 41 % of its peak".
std::string utilisation_text(const Facts& facts) {
  const LevelInfo* level = find_level(facts.text(facts::kRoofLevel).value_or(""));
  if (level == nullptr) return "";
  return fmt::format("{} is at {} of its peak", level->label,
                     percent(facts.number(facts::kRoofShare).value_or(0)));
}

// Nothing was found, and what would have to be known for that was not captured.
Verdict lacking_verdict(const Facts& facts) {
  Verdict verdict;
  const LevelInfo* level = find_level(facts.text(facts::kRoofLevel).value_or(""));
  std::string known = utilisation_text(facts);
  if (level != nullptr && level->is_whole() && facts.number(facts::kRoofShare) >= kNearRoof) {
    verdict.bound = level->level == Level::kSm ? Bound::kCompute : Bound::kMemory;
    verdict.at = level->name;
    verdict.headline = known + "; which part of it was not captured";
  } else {
    verdict.headline = "Not enough was captured to name a cause";
    if (!known.empty()) verdict.headline += ": the busiest level known: " + known;
  }
  return verdict;
}

Verdict clean_verdict(const Facts& facts, const std::string& stall) {
  std::string headline = fmt::format(
      "No single cause found: {}, the largest stall is {} at {}", utilisation_text(facts), stall,
      percent(facts.number(facts::kStallShare.named(stall)).value_or(0)));
  if (const StallReason* reason = find_stall_reason(stall)) {
    headline += fmt::format(". {}", reason->helps);
  }
  return {Bound::kNone, "", headline};
}

Verdict verdict_of(const std::vector<Found>& found, const Facts& facts, bool known) {
  if (found.empty()) {
    const auto stall = facts.text(facts::kStallTop);
    const bool enough = stall && facts.text(facts::kRoofLevel);
    return enough ? clean_verdict(facts, *stall) : lacking_verdict(facts);
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

// How much of the looking was possible.
void note_confidence(KernelDiagnosis& kernel, std::size_t found) {
  const std::size_t all = found + kernel.clean.size() + kernel.not_evaluated.size();
  const std::size_t lacking = kernel.not_evaluated.size();
  kernel.verdict.provisional =
      static_cast<double>(all - lacking) < kEnoughRules * static_cast<double>(all);
  if (!kernel.verdict.provisional) return;
  kernel.verdict.headline += fmt::format(
      " (provisional: {} of {} checks lacked data; ncu --set full has it)", lacking, all);
}

// Whether the rules that could lay a memory roof at the door of its accesses were evaluated.
bool accesses_known(const KernelDiagnosis& kernel) {
  return std::none_of(
      kernel.not_evaluated.begin(), kernel.not_evaluated.end(), [](const NotEvaluated& unknown) {
        return unknown.id == "uncoalesced-global" || unknown.id == "shared-bank-conflicts";
      });
}

void judge(KernelDiagnosis& kernel, const DiagnoseOptions& options, LackingLists& lists) {
  std::vector<Found> found = look(kernel, options, lists);
  const std::size_t all_found = found.size();
  std::stable_sort(found.begin(), found.end(), before);
  const bool at_roof = kernel.facts.number(facts::kRoofShare).value_or(0) >= kAtRoof;
  if (at_roof) yield_to_roof(found);
  subsume(found);
  std::erase_if(found, [](const Found& one) { return one.subsumed; });
  if (at_roof) lift_roof(found);
  // A roof reached with nothing else to blame is no fault; whether there is nothing else must be
  // known, though.
  const bool known = accesses_known(kernel);
  for (Found& one : found) {
    if (one.is_roof() && (found.size() > 1 || !known)) {
      one.finding.severity = severity_of(one.finding.gain);
    }
  }
  kernel.verdict = verdict_of(found, kernel.facts, known);
  note_confidence(kernel, all_found);
  for (Found& one : found) kernel.findings.push_back(std::move(one.finding));
}

void note_capture(KernelDiagnosis& kernel) {
  if (kernel.spread.count == 1) {
    kernel.notes.push_back({NoteKind::kInfo, "",
                            "a single launch was profiled, so the spread of its time is unknown"});
  }
  if (const double spread = kernel.facts.number(facts::kCaptureClockSpreadShare).value_or(0);
      spread >= kUneasySpread) {
    kernel.notes.push_back(
        {NoteKind::kInfo, "",
         fmt::format(
             "passes of this capture differ by {} in time or clock, so compare its counters "
             "with care",
             percent(spread))});
  }
  if (kernel.facts.text(facts::kCaptureClocksLocked).value_or("") == "no") {
    kernel.notes.push_back({NoteKind::kInfo, "", "clocks were not locked during the capture"});
  }
}

KernelDiagnosis diagnose_group(const Profile& profile, std::size_t source, LaunchGroup group,
                               std::string display_name, const DiagnoseOptions& options,
                               LackingLists& lists) {
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
  judge(kernel, options, lists);
  note_capture(kernel);
  return kernel;
}

// Of one profile.
struct SourceGroup {
  std::size_t source;
  LaunchGroup group;

  double total_ns() const { return group.spread.total_ns.value_or(0); }
};

// The costliest first, and no more of them than are diagnosed.
void choose_groups(std::vector<SourceGroup>& groups, std::vector<Note>& notes) {
  std::stable_sort(groups.begin(), groups.end(), [](const SourceGroup& a, const SourceGroup& b) {
    return a.total_ns() > b.total_ns();
  });
  if (groups.size() <= kMostDiagnosedKernels) return;
  const auto first_left_out = groups.begin() + static_cast<std::ptrdiff_t>(kMostDiagnosedKernels);
  const auto add = [](double sum, const SourceGroup& one) { return sum + one.total_ns(); };
  const double kept = std::accumulate(groups.begin(), first_left_out, 0.0, add);
  const double left_out = std::accumulate(first_left_out, groups.end(), 0.0, add);
  const double all = kept + left_out;
  notes.push_back(
      {NoteKind::kLoss, "",
       fmt::format(
           "kernels beyond the {} costliest are not diagnosed{}; {} chooses others",
           group_digits(kMostDiagnosedKernels),
           all > 0 ? fmt::format(": they take {} of the time", share_text(left_out / all)) : "",
           option("kernel")),
       groups.size() - kMostDiagnosedKernels});
  groups.erase(first_left_out, groups.end());
}

}  // namespace

ReadOptions diagnosis_read_options(bool code) {
  ReadOptions options;
  // Most bytes of a full-set report are instances; these are all that an analysis reads.
  options.pc_samples = true;
  options.instances_of.assign(std::begin(kOpcodeMetrics), std::end(kOpcodeMetrics));
  options.instances_of.push_back(kInstructionsExecuted);
  options.lines = true;
  options.code = code;
  if (code) {
    options.instances_of.push_back(kThreadsExecuted);
    options.instances_of.push_back(kThreadsPredicatedOn);
  }
  return options;
}

Diagnosis diagnose(std::span<const Profile> profiles, const DiagnoseOptions& options) {
  Diagnosis diagnosis;
  std::vector<SourceGroup> groups;
  std::vector<std::vector<std::string>> names;
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
    names.push_back(display_names(profile));
    for (LaunchGroup& group : group_launches(profile, chosen)) {
      groups.push_back({i, std::move(group)});
    }
  }
  choose_groups(groups, diagnosis.notes);
  LackingLists lists;
  diagnosis.kernels.resize(groups.size());
  for_each_index(groups.size(), [&](std::size_t i) {
    SourceGroup& one = groups[i];
    const std::string& name = names[one.source][one.group.representative];
    diagnosis.kernels[i] = diagnose_group(profiles[one.source], one.source, std::move(one.group),
                                          name, options, lists);
  });
  return diagnosis;
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// Pairs kernels, sets their facts and findings side by side, and ranks what changed.
#include "diagnosis/comparison/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/text.h"
#include "diagnosis/comparison/capture_differences.h"
#include "diagnosis/comparison/compare_facts.h"
#include "diagnosis/comparison/explain_duration.h"
#include "diagnosis/comparison/match.h"
#include "diagnosis/group.h"
#include "model/profile/display_name.h"

namespace proofline {
namespace {

// Makes one side of a pair; its share of all time takes the whole profile.
class KernelMaker {
 public:
  explicit KernelMaker(const Profile& profile) {
    for (const std::optional<double>& duration : launch_durations(profile)) {
      total_ += duration.value_or(0);
    }
  }

  ComparedKernel operator()(const KernelDiagnosis& kernel) const {
    ComparedKernel result;
    result.launch = kernel.launch;
    result.display_name = without_signature(kernel.display_name);
    result.name = kernel.name;
    result.function = kernel.function;
    result.grid = kernel.grid;
    result.block = kernel.block;
    result.device_name = kernel.device_name;
    result.compute_capability = kernel.compute_capability;
    result.spread = kernel.spread;
    if (kernel.spread.total_ns && total_ > 0) result.time_share = *kernel.spread.total_ns / total_;
    result.verdict = kernel.verdict;
    return result;
  }

 private:
  double total_ = 0;
};

std::vector<MatchSubject> subjects(const ComparedSide& side) {
  std::vector<MatchSubject> result;
  for (const KernelDiagnosis* kernel : side.kernels) {
    const Launch& launch = side.profile->launches[kernel->launch];
    result.push_back({launch.kind, kernel->name, kernel->function, kernel->grid, kernel->block,
                      launch.device, kernel->spread.total_ns});
  }
  return result;
}

SpreadVerdict judge_spread(const LaunchSpread& a, const LaunchSpread& b) {
  if (a.count < 2 && b.count < 2) return SpreadVerdict::kUnknown;
  if (!a.median_ns || !b.median_ns) return SpreadVerdict::kUnknown;
  const bool b_among_a = *a.min_ns <= *b.median_ns && *b.median_ns <= *a.max_ns;
  const bool a_among_b = *b.min_ns <= *a.median_ns && *a.median_ns <= *b.max_ns;
  return b_among_a || a_among_b ? SpreadVerdict::kWithin : SpreadVerdict::kOutside;
}

// How one side stands to one rule.
struct Standing {
  const Finding* found = nullptr;
  std::string explained_by;  // another finding
  const NotEvaluated* not_evaluated = nullptr;

  bool present() const { return found != nullptr || !explained_by.empty(); }
};

Standing standing(const KernelDiagnosis& kernel, const std::string& id) {
  Standing result;
  for (const Finding& finding : kernel.findings) {
    if (finding.id == id) result.found = &finding;
    for (const Finding& symptom : finding.symptoms) {
      if (symptom.id == id) result.explained_by = finding.id;
    }
  }
  for (const NotEvaluated& rule : kernel.not_evaluated) {
    if (rule.id == id) result.not_evaluated = &rule;
  }
  return result;
}

FindingChange compare_finding(const std::string& id, const KernelDiagnosis& a,
                              const KernelDiagnosis& b) {
  const Standing in_a = standing(a, id);
  const Standing in_b = standing(b, id);
  FindingChange change;
  change.id = id;
  if (in_a.found != nullptr) change.a = in_a.found->gain;
  if (in_b.found != nullptr) change.b = in_b.found->gain;
  const auto remark = [&](const Standing& side, std::string_view name) {
    if (side.found != nullptr) return;
    if (!side.explained_by.empty()) {
      change.remark = fmt::format("explained by {} in {}", side.explained_by, name);
    } else if (side.not_evaluated != nullptr) {
      change.remark = fmt::format("not evaluated in {}: {}", name, side.not_evaluated->reason);
    }
  };
  remark(in_a, "A");
  remark(in_b, "B");
  if (in_a.present() && in_b.present()) {
    change.status = FindingStatus::kStayed;
  } else if ((in_a.present() ? in_b : in_a).not_evaluated != nullptr) {
    change.status = FindingStatus::kUnknown;
  } else {
    change.status = in_a.present() ? FindingStatus::kGone : FindingStatus::kNew;
  }
  return change;
}

// Gone first, then new, then the rest, each in the order of its side's ranking.
std::vector<FindingChange> compare_findings(const KernelDiagnosis& a, const KernelDiagnosis& b) {
  std::vector<FindingChange> changes;
  const auto add_all = [&](const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
      const bool known = std::any_of(changes.begin(), changes.end(),
                                     [&](const auto& change) { return change.id == finding.id; });
      if (!known) changes.push_back(compare_finding(finding.id, a, b));
    }
  };
  add_all(a.findings);
  add_all(b.findings);
  std::stable_sort(changes.begin(), changes.end(), [](const auto& x, const auto& y) {
    return static_cast<int>(x.status) < static_cast<int>(y.status);
  });
  return changes;
}

// A property of one launch, and not of the machine.
bool is_of_launch(const Difference& difference) {
  return difference.what == "grid" || difference.what == "block" || difference.what == "sm-clock";
}

void compare_pair(const ComparedSide& side_a, const KernelDiagnosis& a, const ComparedSide& side_b,
                  const KernelDiagnosis& b, const CompareOptions& options,
                  KernelComparison& result) {
  const bool same_work =
      options.same_work || result.match == MatchKind::kChosen || result.match == MatchKind::kWork;
  result.differences = launch_differences(*side_a.profile, a, *side_b.profile, b);
  for (Difference& one : result.differences) {
    // Where the work is the same, the launch is part of what was changed.
    if (same_work && is_of_launch(one)) one.refuses = false;
  }
  result.refused =
      !options.force && std::any_of(result.differences.begin(), result.differences.end(),
                                    [](const Difference& one) { return one.refuses; });
  if (result.refused) return;
  const auto& median_a = a.spread.median_ns;
  const auto& median_b = b.spread.median_ns;
  if (median_a && median_b) {
    result.change_ns = *median_b - *median_a;
    if (*median_a > 0) result.ratio = *median_b / *median_a;
  }
  result.spread = judge_spread(a.spread, b.spread);
  result.explanation = explain_duration(result, a.facts, b.facts);
  compare_facts(side_a, a, side_b, b, options, result);
  result.findings = compare_findings(a, b);
}

// The time by which the pair changes its program, as far as both sides launched it.
double weight(const KernelComparison& pair) {
  if (pair.refused) return -1;
  const auto launches = std::min(pair.a.spread.count, pair.b.spread.count);
  return std::abs(pair.change_ns.value_or(0)) * static_cast<double>(launches);
}

std::vector<UnmatchedKernel> unmatched(const std::vector<Unpaired>& left, const ComparedSide& side,
                                       const KernelMaker& make, const ComparedSide& other,
                                       const KernelMaker& make_other) {
  std::vector<UnmatchedKernel> result;
  for (const Unpaired& one : left) {
    UnmatchedKernel& kernel = result.emplace_back();
    kernel.kernel = make(*side.kernels[one.position]);
    kernel.reason = one.reason;
    if (one.candidate) kernel.candidate = make_other(*other.kernels[*one.candidate]);
  }
  return result;
}

DiagnosisSource source_of(const Profile& profile) {
  return {profile.path, profile.format, profile.producer};
}

void add_notes(const std::vector<Note>& notes, NoteSide side, ProfileComparison& result) {
  for (Note note : notes) {
    note.side = side;
    result.notes.push_back(std::move(note));
  }
}

void add_notes(const ComparedSide& compared, NoteSide side, ProfileComparison& result) {
  add_notes(compared.profile->notes, side, result);
  add_notes(compared.remarks, side, result);
}

}  // namespace

ComparedSide side_of(std::span<const Profile> profiles, const Diagnosis& diagnosis,
                     std::size_t source) {
  ComparedSide side{&profiles[source], {}};
  for (const KernelDiagnosis& kernel : diagnosis.kernels) {
    if (kernel.source == source) side.kernels.push_back(&kernel);
  }
  // They are after those of the files.
  std::size_t of_files = 0;
  for (const Profile& profile : profiles) of_files += profile.notes.size();
  of_files = std::min(of_files, diagnosis.notes.size());
  side.remarks.assign(diagnosis.notes.begin() + static_cast<std::ptrdiff_t>(of_files),
                      diagnosis.notes.end());
  return side;
}

ProfileComparison compare_profiles(const ComparedSide& a, const ComparedSide& b,
                                   const CompareOptions& options) {
  ProfileComparison result;
  result.a = source_of(*a.profile);
  result.b = source_of(*b.profile);
  add_notes(a, NoteSide::kA, result);
  add_notes(b, NoteSide::kB, result);
  result.differences = capture_differences(*a.profile, *b.profile);
  const KernelMaker make_a(*a.profile);
  const KernelMaker make_b(*b.profile);
  const Matching matching =
      match_kernels(subjects(a), subjects(b), options.force || options.same_work, options.pairs);
  for (const KernelPair& pair : matching.pairs) {
    KernelComparison& kernel = result.kernels.emplace_back();
    kernel.match = pair.kind;
    kernel.a = make_a(*a.kernels[pair.a]);
    kernel.b = make_b(*b.kernels[pair.b]);
    compare_pair(a, *a.kernels[pair.a], b, *b.kernels[pair.b], options, kernel);
  }
  std::stable_sort(
      result.kernels.begin(), result.kernels.end(),
      [](const KernelComparison& x, const KernelComparison& y) { return weight(x) > weight(y); });
  result.only_in_a = unmatched(matching.only_in_a, a, make_a, b, make_b);
  result.only_in_b = unmatched(matching.only_in_b, b, make_b, a, make_a);
  return result;
}

std::string refusal(const ProfileComparison& comparison) {
  const bool some = std::any_of(comparison.kernels.begin(), comparison.kernels.end(),
                                [](const KernelComparison& pair) { return !pair.refused; });
  if (some) return "";
  std::string text;
  if (comparison.kernels.empty()) {
    return "they have no kernel in common";
  }
  // One line for each way in which captures differ, however many kernels show it.
  std::map<std::string, std::pair<std::size_t, std::string>> reasons;
  for (const KernelComparison& pair : comparison.kernels) {
    for (const Difference& one : pair.differences) {
      if (!one.refuses) continue;
      auto& [count, example] = reasons[one.what];
      if (++count > 1) continue;
      example =
          fmt::format("{} {} against {}", one.what, escape_terminal(one.a), escape_terminal(one.b));
      if (is_of_launch(one)) example += " in " + quote(pair.a.function);
    }
  }
  for (const auto& [what, reason] : reasons) {
    text += (text.empty() ? "" : ", ") + reason.second;
    if (reason.first > 1) text += fmt::format(" and in {} more kernels", reason.first - 1);
  }
  return text;
}

}  // namespace proofline

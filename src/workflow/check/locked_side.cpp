// SPDX-License-Identifier: Apache-2.0
#include "workflow/check/locked_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/launch/code_facts.h"
#include "analysis/launch/machine_code_facts.h"
#include "analysis/timeline/timeline_report.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "model/profile/display_name.h"
#include "playbook/evidence_facts.h"
#include "views/quantity.h"
#include "workflow/check/side_facts.h"

namespace proofline {
namespace {

using Kernels = std::vector<const KernelDiagnosis*>;

const Launch& launch_of(const EvidenceOfSide& evidence, const KernelDiagnosis& kernel) {
  return evidence.profiles[kernel.source].launches[kernel.launch];
}

std::string shown_kernel(const KernelDiagnosis& kernel) {
  return std::string(without_signature(kernel.display_name));
}

double cost_of(const KernelDiagnosis* kernel) {
  return kernel->spread.total_ns.value_or(kernel->duration_ns.value_or(0));
}

Kernels fitting_kernels(const Lock& lock, const EvidenceOfSide& evidence, const std::string& same) {
  Kernels fitting;
  Kernels named;
  for (const KernelDiagnosis& kernel : evidence.diagnosis.kernels) {
    const Launch& launch = launch_of(evidence, kernel);
    if (!lock.matches(launch)) continue;
    fitting.push_back(&kernel);
    if (!same.empty() && launch.mangled == same) named.push_back(&kernel);
  }
  return named.empty() ? fitting : named;
}

// Leaves one capture of each kernel, by its name and grid.
Result<Kernels> one_capture_each(const Kernels& kernels, const EvidenceOfSide& evidence,
                                 bool take_fullest) {
  std::map<std::string, Kernels> captures;
  for (const KernelDiagnosis* kernel : kernels) {
    const Launch& launch = launch_of(evidence, *kernel);
    Kernels& alike =
        captures[fmt::format("{} {} {}", launch.mangled, kernel->name, dim_text(kernel->grid))];
    if (alike.empty() || alike.front()->source == kernel->source) {
      alike.push_back(kernel);
      continue;
    }
    const KernelDiagnosis& other = *alike.front();
    if (!take_fullest) {
      return fail(
          ErrorKind::kUsage,
          fmt::format(
              "{} is in {} and in {}: a side has one capture of a kernel ({} takes the other)",
              quote(shown_kernel(*kernel)), quote(evidence.profiles[other.source].path),
              quote(evidence.profiles[kernel->source].path), option("before")));
    }
    if (launch.metrics.size() > launch_of(evidence, other).metrics.size()) alike = {kernel};
  }
  Kernels kept;
  for (const auto& [name, alike] : captures) kept.insert(kept.end(), alike.begin(), alike.end());
  return kept;
}

const KernelDiagnosis* costliest(const Kernels& kernels) {
  const auto found = std::max_element(
      kernels.begin(), kernels.end(),
      [](const KernelDiagnosis* a, const KernelDiagnosis* b) { return cost_of(a) < cost_of(b); });
  return found == kernels.end() ? nullptr : *found;
}

// The function of the profiled kernel; without a profile, one that fits the lock.
std::optional<ListedCode> find_listed_code(const Lock& lock, const EvidenceOfSide& evidence,
                                           const Launch* profiled) {
  for (const auto& code : evidence.code) {
    for (std::size_t i = 0; i < code->functions.size(); ++i) {
      const FunctionReport& report = code->report.functions[i];
      const bool fits = profiled != nullptr ? report.name == profiled->mangled
                                            : lock.matches_function(report.name);
      if (fits) return ListedCode{&report, &code->functions[i], &code->report.opcodes};
    }
  }
  return std::nullopt;
}

// What the timeline says of the lock's kernel; of several that fit, of all together.
void publish_timeline_kernel(const Lock& lock, const TimelineReport& timeline, Facts& facts) {
  std::int64_t all_ns = 0;
  std::int64_t sum_ns = 0;
  std::uint64_t launches = 0;
  const NameRow* longest = nullptr;
  for (const NameRow& row : timeline.kernels) {
    all_ns += row.sum_ns;
    if (!lock.matches_function(row.name)) continue;
    sum_ns += row.sum_ns;
    launches += row.count;
    if (longest == nullptr || row.sum_ns > longest->sum_ns) longest = &row;
  }
  if (longest == nullptr || all_ns == 0) {
    for (const FactInfo& fact : {facts::kTimelineKernelShare, facts::kTimelineKernelMedian,
                                 facts::kTimelineKernelLaunches}) {
      facts.mark_absent(fact, longest == nullptr ? "no kernel of the timeline fits the lock"
                                                 : "the timeline's kernels have no length");
    }
    return;
  }
  facts.add(facts::kTimelineKernelShare, static_cast<double>(sum_ns) / static_cast<double>(all_ns));
  facts.add(facts::kTimelineKernelMedian, static_cast<double>(longest->median_ns));
  facts.add(facts::kTimelineKernelLaunches, static_cast<double>(launches));
}

Facts facts_of_lock(const Lock& lock, const EvidenceOfSide& evidence, const KernelDiagnosis* kernel,
                    const std::optional<ListedCode>& listed) {
  Facts facts;
  // A report tells more of the code that it holds: which of its warps wait.
  if (listed && (kernel == nullptr || !kernel->facts.find(facts::kSassInstructions))) {
    publish_code_facts({listed->report, listed->function, listed->opcodes}, facts);
  }
  const KernelLock& told = lock.lock();
  if (told.unique_bytes) facts.add(facts::kKernelUniqueBytes, *told.unique_bytes);
  if (told.flops) facts.add(facts::kKernelFlops, *told.flops);
  if (evidence.timeline) publish_timeline_kernel(lock, evidence.timeline->report, facts);
  if (kernel != nullptr) publish_diagnosis(*kernel, facts);
  return facts;
}

}  // namespace

const Launch* LockedSide::launch() const {
  return kernel != nullptr ? &launch_of(*evidence, *kernel) : nullptr;
}

Result<LockedSide> close_lock(const Lock& lock, const EvidenceOfSide& evidence,
                              const std::string& same, bool take_fullest) {
  ASSIGN_OR_RETURN(const auto kernels,
                   one_capture_each(fitting_kernels(lock, evidence, same), evidence, take_fullest));
  LockedSide closed{&evidence, costliest(kernels), kernels.size(), {}, {}};
  closed.listed = find_listed_code(lock, evidence, closed.launch());
  closed.facts = facts_of_lock(lock, evidence, closed.kernel, closed.listed);
  return closed;
}

LockedKernel describe_locked(const Lock& lock, const Sides<LockedSide>& sides) {
  LockedKernel locked;
  locked.lock = lock.lock().id;
  const auto first =
      std::find_if(sides.begin(), sides.end(), [](const auto& side) { return side.value.found(); });
  if (first == sides.end()) return locked;
  const LockedSide& side = first->value;
  if (side.kernel == nullptr) {
    locked.name = without_signature(side.listed->report->shown);
    return locked;
  }
  locked.name = shown_kernel(*side.kernel);
  locked.device = side.kernel->device_name;
  locked.cc = side.kernel->compute_capability;
  if (side.matching > 1) {
    locked.remark = fmt::format("the costliest of {} that match", side.matching);
  }
  return locked;
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "workflow/run/play_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "workflow/run/phase.h"
#include "workflow/run/play_command.h"

namespace proofline {
namespace {

// The loop, where the playbook does not say its own.
constexpr PhaseKind kUsualPhases[] = {PhaseKind::kPreflight,   PhaseKind::kBuild,
                                      PhaseKind::kCorrectness, PhaseKind::kBench,
                                      PhaseKind::kTimeline,    PhaseKind::kProfile};

bool means(const PlayStep& step, const std::string& name) {
  return step.phase->id == name || to_string(step.does) == name || step.id == name;
}

}  // namespace

std::vector<std::string> PlayStep::setting(std::string_view key) const {
  const auto found = phase->settings.find(key);
  return found == phase->settings.end() ? std::vector<std::string>() : found->second;
}

std::string PlayStep::text_setting(std::string_view key, std::string_view otherwise) const {
  const std::vector<std::string> values = setting(key);
  return values.empty() ? std::string(otherwise) : values.front();
}

double PlayStep::number_setting(std::string_view key, double otherwise) const {
  const std::vector<std::string> values = setting(key);
  return values.empty() ? otherwise : std::strtod(values.front().c_str(), nullptr);
}

Result<void> PlayPlan::add(const Playbook& playbook, const PlaybookPhase& phase,
                           const std::vector<std::string>& command) {
  if (!info_of(phase.does).measures) return {};
  std::vector<std::string> cases = phase.cases;
  if (cases.empty()) cases.emplace_back();
  std::vector<const KernelLock*> kernels;
  if (phase_of(phase.does).per_kernel) {
    for (const KernelLock& lock : playbook.kernels) {
      const auto& named = phase.kernels;
      const bool wanted =
          named.empty() || std::find(named.begin(), named.end(), lock.id) != named.end();
      if (wanted) kernels.push_back(&lock);
    }
  }
  if (kernels.empty()) kernels.push_back(nullptr);
  for (const std::string& in_case : cases) {
    ASSIGN_OR_RETURN(const auto arguments, phase_arguments(playbook, phase, in_case));
    ASSIGN_OR_RETURN(auto words, command_in_workload(playbook, command, in_case));
    words.insert(words.end(), arguments.begin(), arguments.end());
    for (const KernelLock* kernel : kernels) {
      PlayStep step;
      step.id = phase.id;
      if (kernel != nullptr) step.id += "-" + kernel->id;
      if (!in_case.empty()) step.id += "-" + in_case;
      step.does = phase.does;
      step.phase = &phase;
      step.kernel = kernel;
      step.in_case = in_case;
      step.command = words;
      step.arguments = arguments;
      steps_.push_back(std::move(step));
    }
  }
  return {};
}

Result<PlayPlan> PlayPlan::make(const Playbook& playbook, const PlayOptions& options) {
  PlayPlan plan;
  if (playbook.phases.empty()) {
    for (const PhaseKind does : kUsualPhases) {
      PlaybookPhase& phase = plan.usual_.emplace_back();
      phase.id = to_string(does);
      phase.does = does;
    }
  }
  for (const PlaybookPhase& phase : playbook.phases.empty() ? plan.usual_ : playbook.phases) {
    RETURN_IF_ERROR(plan.add(playbook, phase, options.request.command));
  }
  const auto place = [&](const std::string& name, std::string_view flag) -> Result<std::size_t> {
    const auto found = std::find_if(plan.steps_.begin(), plan.steps_.end(),
                                    [&](const PlayStep& step) { return means(step, name); });
    if (found != plan.steps_.end()) {
      return static_cast<std::size_t>(found - plan.steps_.begin());
    }
    const PhaseKindInfo* kind = find_phase_kind(name);
    if (kind != nullptr && !kind->measures) return plan.steps_.size();
    std::vector<std::string> ids;
    for (const PlayStep& step : plan.steps_) {
      if (ids.empty() || ids.back() != step.phase->id) ids.push_back(step.phase->id);
    }
    return fail(ErrorKind::kUsage,
                fmt::format("{} {}: there is no such phase; there are {}, check and choose", flag,
                            quote(name), fmt::join(ids, ", ")));
  };
  plan.end_ = plan.steps_.size();
  if (!options.from.empty()) {
    ASSIGN_OR_RETURN(plan.first_, place(options.from, option("from")));
  }
  if (!options.until.empty()) {
    ASSIGN_OR_RETURN(const std::size_t last, place(options.until, option("until")));
    if (last < plan.steps_.size()) {
      plan.end_ = last + 1;
      while (plan.end_ < plan.steps_.size() && means(plan.steps_[plan.end_], options.until)) {
        ++plan.end_;
      }
      plan.judges_ = false;
    }
    plan.chooses_ = plan.judges_ && options.until != to_string(PhaseKind::kCheck);
  }
  for (const std::string& id : options.again) {
    RETURN_IF_ERROR(place(id, option("again")));
  }
  return plan;
}

}  // namespace proofline

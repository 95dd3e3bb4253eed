// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <set>
#include <utility>

#include "base/interrupt.h"
#include "base/propagate.h"
#include "playbook/captures.h"
#include "tools/ncu/ncu.h"
#include "tools/ncu/ncu_names.h"
#include "workflow/profile/profile_run.h"
#include "workflow/profile/profiled_config.h"
#include "workflow/run/phases/step_parts.h"

namespace proofline {
namespace {

void add_profile_inputs(const StepTask& task, Hash& hash) {
  for (const std::string& metric : metrics_for(task.playbook)) hash.add(metric);
  if (const auto ncu = Ncu::find()) hash.add(ncu->version().text);
}

// A playbook lists no metrics: ncu is asked for what its expressions read. Our own section file
// leaves out what a GPU does not have; ncu's flags must not name such a metric.
Result<void> add_needed_metrics(const StepTask& task, const Ncu& ncu, const ProfileChoice& choice,
                                ProfilePlan& plan) {
  const std::vector<std::string> needed = metrics_for(task.playbook);
  if (!plan.our_metrics.empty()) {
    std::set<std::string> all(plan.our_metrics.begin(), plan.our_metrics.end());
    all.insert(needed.begin(), needed.end());
    plan.our_metrics.assign(all.begin(), all.end());
    return {};
  }
  if (choice.preset == "full" || needed.empty()) return {};
  ASSIGN_OR_RETURN(const auto known, ncu.metrics());
  for (const std::string& metric : needed) {
    const auto checked = check_ncu_metrics({metric}, known);
    if (!checked) continue;  // this GPU has none
    auto& metrics = plan.request.metrics;
    metrics.insert(metrics.end(), checked->names.begin(), checked->names.end());
  }
  return {};
}

Result<ProfilePlan> profile_plan(const StepTask& task, const Ncu& ncu,
                                 std::vector<std::string> command, Announcer& announcer) {
  const PlayStep& step = task.step;
  ProfilePlan plan;
  plan.program = std::move(command);
  plan.run = step_run_options(task);
  const std::string& narrower = task.options.request.kernel;
  plan.kernel = step.kernel != nullptr && narrower.empty() ? step.kernel->name : narrower;
  plan.most_kernels = step.kernel != nullptr ? 1 : kMostChosenKernels;
  if (!step.setting("skip").empty()) {
    plan.launch_skip = static_cast<std::uint64_t>(step.number_setting("skip", 0));
  }
  if (!step.setting("count").empty()) {
    plan.launch_count = static_cast<std::uint64_t>(step.number_setting("count", 1));
  }
  NcuRequest& request = plan.request;
  request.clock_control = step.text_setting("clock", request.clock_control);
  request.cache_control = step.text_setting("cache", request.cache_control);
  request.replay_mode = step.text_setting("replay", request.replay_mode);
  ProfileChoice choice;
  choice.sections = step.setting("sections");
  choice.metrics = step.setting("metrics");
  choice.preset = step.text_setting("preset", "quick");
  ASSIGN_OR_RETURN(const auto notes, plan_collection(choice, ncu, plan));
  for (const Note& note : notes) announcer.say(note.what);
  RETURN_IF_ERROR(add_needed_metrics(task, ncu, choice, plan));
  return plan;
}

std::string describe_profile(const StepTask& task, std::vector<std::string> command,
                             Announcer& announcer) {
  const auto ncu = Ncu::find();
  if (!ncu) return described_error(ncu.error());
  const auto plan = profile_plan(task, *ncu, std::move(command), announcer);
  return plan ? describe_plan(*ncu, *plan) : described_error(plan.error());
}

Result<StepOutcome> run_profile(const StepTask& task, Announcer& announcer) {
  ASSIGN_OR_RETURN(auto command, step_command(task));
  ASSIGN_OR_RETURN(const auto ncu, Ncu::find());
  ASSIGN_OR_RETURN(const auto plan, profile_plan(task, ncu, std::move(command), announcer));
  const InterruptWatch watch;
  const auto run = profile_program(ncu, plan, announcer);
  // One of several kernels may not be launched; the others are.
  const bool may_be_absent = task.step.kernel != nullptr && task.playbook.kernels.size() > 1;
  if (!run && run.error().kind == ErrorKind::kInput && may_be_absent) {
    return skipped_step(run.error().message);
  }
  RETURN_IF_ERROR(run);
  if (!run->summary.permission.empty()) {
    return fail(ErrorKind::kPermission, run->summary.permission);
  }
  return done_step({run->profile.path});
}

}  // namespace

Phase profile_phase() {
  return {.kind = PhaseKind::kProfile,
          .per_kernel = true,
          .is_evidence = true,
          .is_dispensable = false,
          .inputs = add_profile_inputs,
          .describe = describe_profile,
          .run = run_profile};
}

}  // namespace proofline

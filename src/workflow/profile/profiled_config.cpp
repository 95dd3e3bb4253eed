// SPDX-License-Identifier: Apache-2.0
#include "workflow/profile/profiled_config.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <string_view>
#include <utility>

#include "base/nearest.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "rules/rule.h"
#include "tools/ncu/ncu_presets.h"
#include "workflow/code/analysed_code.h"

namespace proofline {
namespace {

Result<void> check_rules(const std::vector<std::string>& typed) {
  std::vector<std::string_view> known;
  for (const Rule& rule : rules()) known.push_back(rule.id);
  for (const std::string& id : typed) {
    if (find_rule(id) != nullptr) continue;
    const auto near = nearest(id, known, 3);
    return fail(ErrorKind::kUsage,
                fmt::format("{} {}: there is no such rule{}; `proofline list rules` has all",
                            option("rule"), quote(id),
                            near.empty() ? "" : fmt::format(", nearest {}", near.front())));
  }
  return {};
}

void take(const CheckedNames& checked, std::vector<std::string>& names, NcuRequest& request,
          std::vector<Note>& notes) {
  names.insert(names.end(), checked.names.begin(), checked.names.end());
  request.sections.insert(request.sections.end(), checked.sections.begin(), checked.sections.end());
  notes.insert(notes.end(), checked.notes.begin(), checked.notes.end());
}

// What the user named, checked against the installed ncu before anything is launched.
Result<std::vector<Note>> add_named(const ProfileChoice& choice, const Ncu& ncu,
                                    NcuRequest& request) {
  std::vector<Note> notes;
  if (!choice.sections.empty()) {
    ASSIGN_OR_RETURN(const auto known, ncu.sections());
    ASSIGN_OR_RETURN(const auto checked, check_ncu_sections(choice.sections, known));
    take(checked, request.sections, request, notes);
  }
  if (!choice.metrics.empty()) {
    ASSIGN_OR_RETURN(const auto known, ncu.metrics());
    ASSIGN_OR_RETURN(const auto checked, check_ncu_metrics(choice.metrics, known));
    take(checked, request.metrics, request, notes);
  }
  return notes;
}

// Without counters the machine code still tells something, where the program's file has it.
std::optional<CodeReport> code_of(const std::string& program, const ProfileSummary& summary) {
  CodeOptions options;
  options.disassembler = "native";
  for (const ListedKernel& kernel : summary.listing) {
    if (!kernel.profiled) continue;
    options.function.append(options.function.empty() ? "^(" : "|");
    options.function += re2::RE2::QuoteMeta(kernel.total.mangled);
  }
  options.function += ")$";
  auto side = analyse_code(program, options, {}, {});
  if (!side) return std::nullopt;
  return std::move(side->report);
}

}  // namespace

Result<std::vector<Note>> plan_collection(const ProfileChoice& choice, const Ncu& ncu,
                                          ProfilePlan& plan) {
  RETURN_IF_ERROR(check_rules(choice.rules));
  auto notes = add_named(choice, ncu, plan.request);
  if (!notes) return notes;
  const NcuPreset* quick = find_ncu_preset("quick");
  const NcuPreset* preset = find_ncu_preset(choice.preset);
  // A section file of ours leaves out what a GPU does not have, but hides NVIDIA's sections.
  const bool alone = plan.request.sections.empty() && preset == quick;
  if (alone) {
    plan.our_metrics.assign(quick->metrics.begin(), quick->metrics.end());
  } else {
    add_preset(*preset, plan.request);
    if (!choice.rules.empty() && !preset->every_rule) add_preset(*quick, plan.request);
  }
  return notes;
}

Result<ProfiledConfig> profile_config(const Ncu& ncu, ProfilePlan plan, ProfileConfig config,
                                      Announcer& announcer) {
  plan.program.insert(plan.program.end(), config.words.begin(), config.words.end());
  if (!config.name.empty()) plan.run.name += "-" + config.name;
  auto run = profile_program(ncu, plan, announcer);
  if (!run) {
    if (config.name.empty()) return tl::make_unexpected(run.error());
    return fail(run.error().kind,
                fmt::format("configuration {}: {}", quote(config.name), run.error().message));
  }
  ProfiledConfig done{std::move(config), std::move(*run), {}, {}, {}};
  if (!done.run.summary.permission.empty()) {
    done.code = code_of(plan.program.front(), done.run.summary);
  }
  done.diagnosis = diagnose({&done.run.profile, 1});
  if (done.run.summary.time && done.run.summary.permission.empty()) {
    done.savings = program_savings(*done.run.summary.time, done.run.profile, done.diagnosis);
  }
  std::vector<Note>& notes = done.diagnosis.notes;
  notes.insert(notes.begin(), done.run.notes.begin(), done.run.notes.end());
  return done;
}

}  // namespace proofline

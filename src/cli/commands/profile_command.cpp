// SPDX-License-Identifier: Apache-2.0
//
// `proofline profile -- CMD`: ncu over the kernels that matter, and the diagnosis of what it finds.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/interrupt.h"
#include "base/propagate.h"
#include "base/record_json.h"
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/notes.h"
#include "cli/output_flags.h"
#include "cli/shared_flags.h"
#include "tools/ncu/ncu_presets.h"
#include "tools/process/find_tool.h"
#include "views/code/code_document.h"
#include "views/diagnosis/diagnosis_document.h"
#include "views/diagnosis/side_by_side.h"
#include "views/profile/profile_document.h"
#include "views/timeline/program_savings_table.h"
#include "workflow/profile/profile_configs.h"
#include "workflow/profile/profile_run.h"
#include "workflow/profile/profiled_config.h"

namespace proofline {
namespace {

struct ProfileFlags {
  ProfileChoice choice;
  std::vector<std::string> configs;
  std::string config_file;
  bool no_listing = false;
  bool verbose = false;
  ProfilePlan plan;
};

void add_diagnosis(const ProfiledConfig& one, bool verbose, Document& document) {
  add_program_time(one.run.summary, document);
  append(compose_diagnosis(one.diagnosis, {verbose, false, false, true}), document);
  if (one.code) append(compose_code(*one.code, {true}), document);
  add_program_savings(one.savings, document);
  add_profile_summary(one.run.summary, document);
}

std::vector<ConfigResult> side_by_side(const std::vector<ProfiledConfig>& all) {
  std::vector<ConfigResult> configs;
  configs.reserve(all.size());
  for (const ProfiledConfig& one : all) {
    configs.push_back({one.config.name, one.config.arguments, &one.diagnosis});
  }
  return configs;
}

Document compose(const std::vector<ProfiledConfig>& all, bool verbose) {
  Document document;
  if (all.size() > 1) add_side_by_side(side_by_side(all), document);
  for (const ProfiledConfig& one : all) {
    if (all.size() > 1) document.blocks.emplace_back(Heading{one.config.name});
    add_diagnosis(one, verbose, document);
  }
  return document;
}

// One configuration is a diagnosis; several are an object with one in each.
void write_json(const ProfiledConfigs& all, JsonWriter& json) {
  const bool alone = all.configs.size() == 1 && all.configs.front().config.name.empty();
  alone ? write_record(all.configs.front(), json) : write_record(all, json);
}

ExitCode exit_code_of(const std::vector<ProfiledConfig>& all) {
  ExitCode exit = ExitCode::kDone;
  for (const ProfiledConfig& one : all) {
    if (!one.run.summary.permission.empty()) return ExitCode::kPermission;
    if (exit == ExitCode::kDone) exit = exit_code_after(one.diagnosis.notes);
  }
  return exit;
}

Result<ExitCode> run(const ProfileFlags& flags, const OutputFlags& output, Context& context) {
  ProfilePlan plan = flags.plan;
  ASSIGN_OR_RETURN(auto program, find_program(plan.program.front()));
  if (plan.run.name.empty()) {
    plan.run.name = std::filesystem::path(plan.program.front()).filename();
  }
  plan.program.front() = std::move(program);
  plan.listing = !flags.no_listing;
  ASSIGN_OR_RETURN(auto configs, read_configs(flags.configs, flags.config_file));
  if (configs.empty()) configs.emplace_back();
  ASSIGN_OR_RETURN(const auto ncu, Ncu::find());
  const InterruptWatch watch;
  ASSIGN_OR_RETURN(const auto notes, plan_collection(flags.choice, ncu, plan));
  print_notes(notes);
  if (plan.run.dry_run) {
    context.out.write(describe_plan(ncu, plan));
    return ExitCode::kDone;
  }
  ProfiledConfigs profiled;
  std::vector<ProfiledConfig>& all = profiled.configs;
  all.reserve(configs.size());
  for (ProfileConfig& config : configs) {
    ASSIGN_OR_RETURN(auto one, profile_config(ncu, plan, std::move(config), context.announcer));
    all.push_back(std::move(one));
  }
  Presentation presentation{[&] { return compose(all, flags.verbose); },
                            [&](JsonWriter& json) { write_json(profiled, json); }};
  if (all.size() == 1) {
    presentation.rows = [&] { return compose_diagnosis_rows(all.front().diagnosis); };
    presentation.notes = all.front().diagnosis.notes;
  }
  present(presentation, output, context);
  return exit_code_of(all);
}

std::string preset_help() {
  std::string text = "What to collect:";
  for (const NcuPreset& preset : ncu_presets()) {
    text += fmt::format(" {} ({})", preset.name, preset.what);
  }
  return text;
}

void add_collection_flags(Flags line, ProfileFlags& flags) {
  std::vector<std::string> presets;
  for (const NcuPreset& preset : ncu_presets()) presets.emplace_back(preset.name);
  line.add("--preset", flags.choice.preset, preset_help())
      .one_of(presets)
      .shown_as("NAME")
      .with_default();
  line.add("--section", flags.choice.sections, "Also collect this section of ncu; may be repeated")
      .shown_as("NAME")
      .one_at_a_time();
  line.add("--metric", flags.choice.metrics, "Also collect this metric; may be repeated")
      .shown_as("NAME")
      .one_at_a_time();
  line.add("--rule", flags.choice.rules,
           "Also collect what this rule of ours needs; may be repeated")
      .shown_as("ID")
      .one_at_a_time();
  line.add("--replay-mode", flags.plan.request.replay_mode,
           "How ncu repeats a kernel: kernel, application, range, app-range")
      .one_of({"kernel", "application", "range", "app-range"})
      .shown_as("MODE")
      .with_default();
  line.add("--cache-control", flags.plan.request.cache_control,
           "all empties the GPU's caches before each pass, so that passes are alike; none leaves "
           "them as the program does")
      .one_of({"all", "none"})
      .shown_as("all|none")
      .with_default();
  line.add("--clock-control", flags.plan.request.clock_control,
           "none leaves the clocks alone, base locks them while ncu runs")
      .one_of({"none", "base"})
      .shown_as("none|base")
      .with_default();
}

void add_kernel_flags(Flags line, ProfilePlan& plan) {
  line.add("-k,--kernel", plan.kernel,
           "Profile kernels with a match of this in their name; default: those that take four "
           "fifths of the kernel time")
      .shown_as("REGEX");
  line.add("--kernels", plan.most_kernels, "Profile this many kernels at most")
      .in_range(1, 100)
      .shown_as("N")
      .with_default();
  line.add("--launch-skip", plan.launch_skip,
           "Launches of these kernels to pass over; default: the warm-up")
      .shown_as("N");
  line.add("--launch-count", plan.launch_count,
           "Launches of these kernels to profile; default: a typical one of each")
      .shown_as("N");
  line.add("--nvtx-include", plan.nvtx_include,
           "Only launches within this NVTX range (ncu's syntax); may be repeated")
      .shown_as("EXPR")
      .one_at_a_time();
}

Run configure_profile(Flags line) {
  auto flags = std::make_shared<ProfileFlags>();
  ProfilePlan& plan = flags->plan;
  plan.run.time_limit = 1800;
  line.add("CMD", plan.program, "The program and its arguments, after --").required();
  add_collection_flags(line, *flags);
  add_kernel_flags(line, plan);
  line.add("--config", flags->configs,
           "Run the program with these arguments added, and compare; may be repeated")
      .shown_as("NAME=ARGS")
      .one_at_a_time();
  line.add("--configs", flags->config_file, "The same from a file, one per line").shown_as("FILE");
  line.add_switch(
      "--no-listing", flags->no_listing,
      "Do not run the program once before, to list its kernels; --kernel then counts as "
      "ncu takes it, and one launch is profiled");
  add_time_limit_flag(line, plan.run, "Seconds for each run of the program");
  add_run_flags(line, plan.run);
  line.add_switch("-v,--verbose", flags->verbose,
                  "Every rule's answer with its evidence, the hottest lines, every fact");
  auto output = add_output_flags(line);
  return [flags, output](Context& context) -> Result<ExitCode> {
    return run(*flags, *output, context);
  };
}

}  // namespace

Command profile_command() {
  return {
      "profile", CommandGroup::kGpu, "Run ncu on the kernels that matter, then diagnose them",
      "  proofline profile -- ./a.out --size 1024\n"
      "      says whether kernels are the problem, profiles those that take most time, and what\n"
      "      the program would save by fixing each\n"
      "  proofline profile --preset full --kernel 'gemm|softmax' -- python train.py\n"
      "      everything that ncu has of some kernels, whichever process launches them\n"
      "  proofline profile --config n128='--n 128' --config n256='--n 256' -- ./gemm\n"
      "      two configurations, side by side\n"
      "  proofline profile --dry-run -- ./a.out\n"
      "      the commands, to be run by hand\n",
      configure_profile};
}

}  // namespace proofline

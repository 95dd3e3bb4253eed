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
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/notes.h"
#include "cli/shared_flags.h"
#include "tools/ncu/ncu_presets.h"
#include "tools/process/find_tool.h"
#include "views/code/code_document.h"
#include "views/code/code_json.h"
#include "views/diagnosis/diagnosis_document.h"
#include "views/diagnosis/diagnosis_json.h"
#include "views/diagnosis/side_by_side.h"
#include "views/json_parts.h"
#include "views/profile/profile_document.h"
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
  append(compose_diagnosis(one.diagnosis, {verbose, false, false, true}), document);
  if (one.code) append(compose_code(*one.code, {true}), document);
  add_profile_summary(one.run.summary, document);
}

void write_json(const ProfiledConfig& one, JsonWriter& json) {
  DiagnosisJsonParts parts;
  parts.more = [&](JsonWriter& members) {
    write_profile_summary(one.run.summary, members);
    if (!one.code) return;
    members.key("code");
    write_code_json(*one.code, members);
  };
  write_diagnosis_json(one.diagnosis, parts, json);
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
void write_all_json(const std::vector<ProfiledConfig>& all, JsonWriter& json) {
  if (all.size() == 1 && all.front().config.name.empty()) return write_json(all.front(), json);
  json.begin_object();
  write_tool(json);
  json.key("configs");
  json.begin_array();
  for (const ProfiledConfig& one : all) {
    json.begin_object();
    json.member("name", one.config.name);
    json.member("arguments", one.config.arguments);
    json.key("diagnosis");
    write_json(one, json);
    json.end_object();
  }
  json.end_array();
  json.end_object();
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
  std::vector<ProfiledConfig> all;
  all.reserve(configs.size());
  for (ProfileConfig& config : configs) {
    ASSIGN_OR_RETURN(auto one, profile_config(ncu, plan, std::move(config), context.announcer));
    all.push_back(std::move(one));
  }
  const bool rows = output.format == "csv" && all.size() == 1;
  if (rows) print_notes(all.front().diagnosis.notes);
  present({[&] {
             return rows ? compose_diagnosis_rows(all.front().diagnosis)
                         : compose(all, flags.verbose);
           },
           [&](JsonWriter& json) { write_all_json(all, json); }},
          output, context);
  return exit_code_of(all);
}

std::string preset_help() {
  std::string text = "What to collect:";
  for (const NcuPreset& preset : ncu_presets()) {
    text += fmt::format(" {} ({})", preset.name, preset.what);
  }
  return text;
}

void add_collection_flags(CLI::App& app, ProfileFlags& flags) {
  std::vector<std::string> presets;
  for (const NcuPreset& preset : ncu_presets()) presets.emplace_back(preset.name);
  app.add_option("--preset", flags.choice.preset, preset_help())
      ->check(CLI::IsMember(presets))
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--section", flags.choice.sections, "A section of ncu besides; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("--metric", flags.choice.metrics, "A metric besides; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("--rule", flags.choice.rules,
                 "Collect what this rule of ours needs, whatever the preset; may be repeated")
      ->type_name("ID")
      ->allow_extra_args(false);
  app.add_option("--replay-mode", flags.plan.request.replay_mode,
                 "How ncu repeats a kernel: kernel, application, range, app-range")
      ->check(CLI::IsMember({"kernel", "application", "range", "app-range"}))
      ->type_name("MODE")
      ->capture_default_str();
  app.add_option("--clock-control", flags.plan.request.clock_control,
                 "none leaves the clocks alone, base locks them while ncu runs")
      ->check(CLI::IsMember({"none", "base"}))
      ->type_name("none|base")
      ->capture_default_str();
}

void add_kernel_flags(CLI::App& app, ProfilePlan& plan) {
  app.add_option("--kernel", plan.kernel,
                 "Profile kernels with a match of this in their name; default: the one or two that "
                 "take most time")
      ->type_name("REGEX");
  app.add_option("--launch-skip", plan.launch_skip,
                 "Launches of these kernels to pass over; default: the warm-up")
      ->type_name("N");
  app.add_option("--launch-count", plan.launch_count,
                 "Launches of these kernels to profile; default: a typical one of each")
      ->type_name("N");
  app.add_option("--nvtx-include", plan.nvtx_include,
                 "Only launches within this NVTX range (ncu's syntax); may be repeated")
      ->type_name("EXPR")
      ->allow_extra_args(false);
}

Run configure_profile(CLI::App& app) {
  auto flags = std::make_shared<ProfileFlags>();
  ProfilePlan& plan = flags->plan;
  plan.run.time_limit = 1800;
  app.add_option("CMD", plan.program, "The program and its arguments, after --")->required();
  add_collection_flags(app, *flags);
  add_kernel_flags(app, plan);
  app.add_option("--config", flags->configs,
                 "Run the program with these arguments added, and compare; may be repeated")
      ->type_name("NAME=ARGS")
      ->allow_extra_args(false);
  app.add_option("--configs", flags->config_file, "The same from a file, one a line")
      ->type_name("FILE");
  app.add_flag("--no-listing", flags->no_listing,
               "Do not run the program once before, to list its kernels; --kernel then counts as "
               "ncu takes it, and one launch is profiled");
  add_time_limit_flag(app, plan.run, "Seconds for each run of the program");
  add_run_flags(app, plan.run);
  app.add_flag("--verbose", flags->verbose,
               "Every rule's answer with its evidence, the hottest lines, every fact");
  auto output = add_output_flags(app);
  return [flags, output](Context& context) -> Result<ExitCode> {
    return run(*flags, *output, context);
  };
}

}  // namespace

Command profile_command() {
  return {"profile", "Run ncu over the kernels that matter, then diagnose what it finds",
          "  proofline profile -- ./a.out --size 1024\n"
          "      lists the kernels, profiles the costliest after its warm-up, says what bounds it\n"
          "  proofline profile --preset full --kernel 'gemm|softmax' -- python train.py\n"
          "      everything that ncu has of some kernels, whichever process launches them\n"
          "  proofline profile --config n128='--n 128' --config n256='--n 256' -- ./gemm\n"
          "      two configurations, side by side\n"
          "  proofline profile --dry-run -- ./a.out\n"
          "      the commands, to be run by hand\n",
          configure_profile};
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// One configuration of the user's program, profiled and diagnosed: what `profile` does for each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/sass/code_report.h"
#include "base/result.h"
#include "diagnosis/diagnose.h"
#include "diagnosis/timeline/program_savings.h"
#include "model/note.h"
#include "tools/ncu/ncu.h"
#include "workflow/announcer.h"
#include "workflow/profile/profile_configs.h"
#include "workflow/profile/profile_run.h"

namespace proofline {

// What to collect.
struct ProfileChoice {
  std::string preset = "quick";
  std::vector<std::string> sections;  // of ncu, besides
  std::vector<std::string> metrics;   // besides
  std::vector<std::string> rules;     // of ours: what they need, whatever the preset
};

// Adds that to the plan; the names are checked against the installed ncu before anything is
// launched. What is to be known of them is returned.
Result<std::vector<Note>> plan_collection(const ProfileChoice& choice, const Ncu& ncu,
                                          ProfilePlan& plan);

struct ProfiledConfig {
  ProfileConfig config;
  ProfileRun run;
  Diagnosis diagnosis;
  std::optional<CodeReport> code;  // of the kernels, where there are no counters
  ProgramSavings savings;          // no kernels where the program's time is not known
};
Record describe(const ProfiledConfig*);

struct ProfiledConfigs {
  std::vector<ProfiledConfig> configs;
};
Record describe(const ProfiledConfigs*);

// The plan's program with the configuration's arguments added.
Result<ProfiledConfig> profile_config(const Ncu& ncu, ProfilePlan plan, ProfileConfig config,
                                      Announcer& announcer);

}  // namespace proofline

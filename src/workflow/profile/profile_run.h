// SPDX-License-Identifier: Apache-2.0
//
// One profile of the user's program, from the command to a Profile: a light pass that lists the
// kernels, the choice among them, ncu over those, and the run's folder with all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/program/kernel_totals.h"
#include "base/result.h"
#include "model/note.h"
#include "model/profile/profile.h"
#include "tools/ncu/ncu.h"
#include "tools/ncu/ncu_command.h"
#include "views/profile/profile_document.h"
#include "workflow/announcer.h"
#include "workflow/run_options.h"

namespace proofline {

struct ProfilePlan {
  std::vector<std::string> program;      // the first as an absolute path
  NcuRequest request;                    // what to collect; launches, paths and program come later
  std::vector<std::string> our_metrics;  // by a section file of ours
  std::string kernel;                    // a pattern; "" the costliest
  std::size_t most_kernels = kMostChosenKernels;
  std::optional<std::uint64_t> launch_skip;
  std::optional<std::uint64_t> launch_count;
  std::vector<std::string> nvtx_include;
  bool listing = true;
  RunOptions run;
};

struct ProfileRun {
  ProfileSummary summary;
  KernelTotals totals;  // of the light pass
  Profile profile;      // without counters, made of the recording, where summary.permission says so
  std::vector<Note> notes;
};

// Runs it. Whatever happens, the folder is finished and, in an error, named.
Result<ProfileRun> profile_program(const Ncu& ncu, const ProfilePlan& plan, Announcer& announcer);

// The commands that it would run, one a line; of the kernels only the listing can tell.
std::string describe_plan(const Ncu& ncu, const ProfilePlan& plan);

}  // namespace proofline

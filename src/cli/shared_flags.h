// SPDX-License-Identifier: Apache-2.0
//
// Groups of flags, so that commands that share them spell and explain them alike. Those of the
// output are in cli/output_flags.h.
#pragma once

#include <string>

#include "cli/flags.h"
#include "workflow/bench/bench_session.h"
#include "workflow/code/analysed_code.h"
#include "workflow/profile/rule_choice.h"
#include "workflow/profile/select_launches.h"
#include "workflow/run_options.h"

namespace proofline {

// --kernel and --launch
void add_launch_flags(Flags line, LaunchFilter& filter);

// --select, --ignore and --fail-on
void add_rule_flags(Flags line, RuleChoice& rules);

void add_code_flags(Flags line, CodeOptions& code);

void add_journal_flag(Flags line, std::string& journal);

// Of the commands that run the user's program.
void add_folder_flag(Flags line, RunOptions& flags);
// What the limit is for, and what holds without one.
void add_time_limit_flag(Flags line, RunOptions& flags, const std::string& help);
// All of them but the time limit.
void add_run_flags(Flags line, RunOptions& flags);

// How many starts there are.
void add_starts_flags(Flags line, BenchPlan& flags);
// What counts as a difference, and what becomes of none.
void add_decision_flags(Flags line, DecideOptions& flags);
// All others of a measurement.
void add_bench_flags(Flags line, BenchPlan& flags);

}  // namespace proofline

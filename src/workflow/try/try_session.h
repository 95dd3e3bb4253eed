// SPDX-License-Identifier: Apache-2.0
//
// One attempt from hypothesis to verdict, in the order of the protocol: correctness, benchmark,
// profile, decision. Each step is in the journal before the next one begins, the intent before all
// of them, so that an attempt that was cut short shows as such.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/journal/attempt.h"
#include "model/measurement/benchmark.h"
#include "model/measurement/decision.h"
#include "playbook/playbook.h"
#include "workflow/announcer.h"
#include "workflow/bench/bench_session.h"

namespace proofline {

struct TryPlan {
  Intent intent;        // what is expected
  std::string journal;  // --journal
  // The program before the change; or a baseline's name, or a measurement that was kept.
  std::vector<std::string> before;
  std::string before_folder = {};  // where it runs; "" here
  std::string baseline;
  std::optional<BenchmarkSide> measured_before = {};
  std::vector<std::string> after;  // the program after it
  std::string after_folder = {};   // where that runs, and the check
  std::string check;               // a program that returns 0 where results are right; "" none
  // What it gets after its own words, before those of each case; nothing: neither.
  std::optional<std::vector<std::string>> check_arguments = {};
  // What makes the changed program, done in order once the intent is stored, up to the first gate
  // that fails. The program need not be there before.
  std::vector<std::function<Result<Gate>()>> makes = {};
  bool sanitize = false;
  std::vector<std::string> sanitizers = {};  // only these of its tools; none: all
  std::string sanitized = {};  // the program that they look at; "": the changed one as it is timed
  std::string sanitized_kernel = {};  // only kernels with a match of this, mangled; "": all
  bool profile = false;
  std::string profiled = {};  // only kernels with a match of this; "": those that take most time
  // The task whose acceptance explains the decision, where both sides are profiled.
  const Playbook* playbook = nullptr;
  const PlaybookTask* task = nullptr;
  BenchPlan bench;
};

struct TryResult {
  std::string journal;               // where it is kept
  Attempt attempt;                   // as it was written
  std::optional<Decision> decision;  // nothing: it did not come to that
};

// The commands that would be run, in their order, one a line; kUsage, kInput where that cannot be.
Result<std::string> describe_try(const TryPlan& plan, Announcer& announcer);

// An error, once the attempt is open, also closes it in the journal, with the reason, and says so.
Result<TryResult> try_change(const TryPlan& plan, Announcer& announcer);

}  // namespace proofline

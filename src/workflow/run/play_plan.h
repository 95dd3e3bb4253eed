// SPDX-License-Identifier: Apache-2.0
//
// What `run` is asked for, and the steps that a playbook makes of it: its phases in their order,
// each for every kernel and case that it names, then the judgement.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "playbook/play.h"
#include "playbook/playbook.h"
#include "workflow/bench/bench_session.h"

namespace proofline {

// Where plays are kept unless the user says where.
inline constexpr const char* kUsualPlays = ".proofline/plays";

struct PlayOptions {
  PlayRequest request;
  std::string plays = kUsualPlays;
  std::string a;                   // the program before the change, in one string; "" its copy
  std::string from;                // a phase: what is before it is taken from kept evidence
  std::string until;               // the last phase to be done
  std::string task;                // instead of the one that would be chosen
  std::vector<std::string> again;  // phases that are done anew, whatever is kept
  std::size_t attempts = 10;       // with a change command: the most that are made
  double max_time = 0;             // seconds for all of it; 0: no limit
  BenchPlan bench;                 // how a change is timed; its limit is that of one run
};

struct PlayStep {
  std::string id;  // "profile-w1-small"
  PhaseKind does = PhaseKind::kPreflight;
  const PlaybookPhase* phase = nullptr;
  const KernelLock* kernel = nullptr;  // null: none in particular
  std::string in_case;
  std::vector<std::string> command;    // the user's, with what the workload says, and arguments
  std::vector<std::string> arguments;  // what the playbook put after it

  // The values of one of its kind's keys.
  std::vector<std::string> setting(std::string_view key) const;
  std::string text_setting(std::string_view key, std::string_view otherwise) const;
  double number_setting(std::string_view key, double otherwise) const;
};

class PlayPlan {
 public:
  // kUsage where an argument names what the workload does not have, or --from and --until no
  // phase.
  static Result<PlayPlan> make(const Playbook& playbook, const PlayOptions& options);

  // What is measured, in its order; check, choose and report follow by themselves.
  const std::vector<PlayStep>& steps() const { return steps_; }
  // Where the steps begin that are not taken from kept evidence as they are.
  std::size_t first() const { return first_; }
  // Behind the last step that is wanted.
  std::size_t end() const { return end_; }
  // The judgement is wanted too, up to this.
  bool judges() const { return judges_; }
  bool chooses() const { return chooses_; }

 private:
  Result<void> add(const Playbook& playbook, const PlaybookPhase& phase,
                   const std::vector<std::string>& command);

  std::vector<PlaybookPhase> usual_;  // where the playbook has no phases
  std::vector<PlayStep> steps_;
  std::size_t first_ = 0;
  std::size_t end_ = 0;
  bool judges_ = true;
  bool chooses_ = true;
};

}  // namespace proofline

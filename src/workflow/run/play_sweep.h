// SPDX-License-Identifier: Apache-2.0
//
// A task's sweep: values of the workload that are tried one after the other, without anybody's
// change, where the command takes them as arguments.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "playbook/playbook.h"

namespace proofline {

// One combination of values.
struct SweepSetting {
  std::vector<std::pair<std::string, ToldValue>> values;

  std::vector<std::string> words() const;  // "KEY=VALUE", as --workload takes them
  std::string text() const;                // the same in one
  void apply(Workload& workload) const;
  bool is_in(const Workload& workload) const;
};

// Whether every key of the sweep is filled in somewhere: in the command, or in [workload]'s args.
// Where one is not, or a case takes it, the task is one for people.
bool is_swept_by_arguments(const Playbook& playbook, const PlaybookTask& task,
                           const std::vector<std::string>& command);

// All combinations, in the order of the file. kUsage: too many.
Result<std::vector<SweepSetting>> sweep_settings(const PlaybookTask& task);

}  // namespace proofline

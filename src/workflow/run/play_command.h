// SPDX-License-Identifier: Apache-2.0
//
// The user's command as a play runs it: with what the workload and a case say filled in for {KEY},
// and the playbook's arguments after it. No shell sees any of it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "playbook/playbook.h"
#include "workflow/bench/bench_cases.h"

namespace proofline {

// As it is in a command: "128", "true", "bf16".
std::string value_word(const AnswerValue& value);

// What a phase adds after the command in a case, "" the workload itself: [workload]'s, then the
// case's, then the phase's. kUsage where the workload does not have what they name.
Result<std::vector<std::string>> phase_arguments(const Playbook& playbook,
                                                 const PlaybookPhase& phase,
                                                 const std::string& in_case);

// The words themselves in that case. Braces round what is no key of the workload stay.
Result<std::vector<std::string>> command_in_workload(const Playbook& playbook,
                                                     std::vector<std::string> words,
                                                     const std::string& in_case);

// How a change is timed: in every case that a phase of kind bench measures.
struct TimedChange {
  std::vector<std::string> arguments;  // after the command; what cases change is still {KEY}
  std::vector<BenchCase> cases;        // none: only as the workload says
};
Result<TimedChange> timed_change(const Playbook& playbook);

// A side of that: the words filled in, and the arguments after them.
Result<std::vector<std::string>> timed_command(const Playbook& playbook,
                                               std::vector<std::string> words);

}  // namespace proofline

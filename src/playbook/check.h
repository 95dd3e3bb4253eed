// SPDX-License-Identifier: Apache-2.0
//
// A playbook held against evidence: every check on every kernel and case, tasks that are accepted
// or come next, and the way through the tree. Nothing is run and nothing is read here; the evidence
// comes in as a FactSource for each kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/note.h"
#include "playbook/evaluate.h"
#include "playbook/playbook.h"

namespace proofline {

enum class CheckVerdict : std::uint8_t { kPass, kFail, kUnknown, kSkipped, kConfirmed, kRefuted };
std::string_view to_string(CheckVerdict verdict);  // "PASS"

struct CheckResult {
  std::string id;
  std::string playbook;
  std::string title;
  CheckKind kind = CheckKind::kMust;
  std::string kernel;   // the lock's id; "" not of a kernel
  std::string in_case;  // "" none
  CheckVerdict verdict = CheckVerdict::kUnknown;
  std::string expression;
  std::vector<Reading> readings;
  std::vector<MissingFact> missing;
  std::string skipped;  // why, of kSkipped
  std::string why;
  std::string fix;
  bool ours = false;
};

enum class TaskState : std::uint8_t {
  kAccepted,     // both sides are there and every `accept` holds
  kNotAccepted,  // one does not
  kUndecided,    // one is UNKNOWN
  kEligible,
  kNotEligible,  // `when` or `legal` is false
  kUnknown,      // `when` or `legal` is UNKNOWN
  kWaiting,      // for a task that it comes after
  kKept,         // by the journal, or as it was told
  kReverted,
};
std::string_view to_string(TaskState state);

struct TaskResult {
  std::string id;
  std::string playbook;
  std::string title;
  bool option = false;
  TaskState state = TaskState::kUnknown;
  std::vector<std::string> change;
  std::vector<std::string> sanitizers;  // to be run before any timing
  std::string reason;                   // "after t1", "told, not measured: ..."
  std::vector<Reading> readings;        // of `accept`, or of what makes it eligible or not
  std::vector<MissingFact> missing;
  std::vector<std::string> steps;
  std::string expect;
};

struct TreeStep {
  std::string id;
  std::string playbook;
  std::uint32_t depth = 0;
  Answer answer = Answer::kUnknown;
  std::string say;
  std::vector<Reading> readings;
  std::vector<MissingFact> missing;
  std::vector<std::string> leads_to;  // tasks, options and checks that it names
};

// What a lock was closed on.
struct LockedKernel {
  std::string lock;
  std::string name;
  std::string device;
  std::string cc;
  std::string remark;  // "the costliest of 3 that match"
};

struct FieldResult {
  std::string label;
  std::optional<AnswerValue> value;
  std::string unit;
  std::vector<MissingFact> missing;
};

struct DeliverableResult {
  std::string id;
  std::string title;
  std::string kernel;  // "" not of one
  struct Part {
    std::string text;
    std::vector<FieldResult> fields;
    std::string table;
  };
  std::vector<Part> parts;
};

struct CheckRun {
  std::string playbook;
  std::string title;
  std::vector<LockedKernel> kernels;
  std::vector<CheckResult> checks;
  std::vector<TaskResult> tasks;
  std::string next;  // the task or option to take now; "" none
  std::vector<TreeStep> tree;
  std::vector<DeliverableResult> deliverables;
  std::vector<std::string> sources;  // files
  std::vector<Note> notes;

  // Of the checks that must hold: PASS, FAIL or UNKNOWN.
  CheckVerdict verdict() const;
  std::size_t count(CheckVerdict verdict) const;
  std::size_t count_must(CheckVerdict verdict) const;
};

// Evidence of one kernel; `check[...]` and `journal` are answered here, the rest by `facts`.
struct KernelEvidence {
  LockedKernel locked;
  const FactSource* facts = nullptr;
};

struct CheckOptions {
  std::vector<std::string> only;  // ids of checks; none = all
  bool paired = false;            // there is evidence of before
  // What became of an item by the journal: kept or reverted, and the words for it; nothing: it was
  // not tried.
  struct Tried {
    bool kept = false;
    std::string text;
    bool measured = true;  // false: it failed before that
    std::optional<double> gain = {};
  };
  std::function<std::optional<Tried>(const std::string& id)> tried;
  // Attempts at this kernel that the journal has, and the minutes that they took; nothing: no
  // journal was looked at.
  std::optional<double> attempts;
  std::optional<double> minutes;
};

CheckRun run_checks(const Playbook& playbook, const std::vector<KernelEvidence>& kernels,
                    const CheckOptions& options);

// Whether a task brought what it promises, whatever became of it before: `kernel` has both sides.
TaskResult judge_acceptance(const Playbook& playbook, const PlaybookTask& task,
                            const KernelEvidence& kernel);

// Any other condition of the playbook, as that of a phase.
Evaluation judge_condition(const Playbook& playbook, const PlaybookExpression& condition,
                           const KernelEvidence& kernel, const CheckOptions& options);

// The sanitizers that a change of these kinds asks for, in the order in which they are run.
std::vector<std::string> sanitizers_for(const std::vector<std::string>& change);

}  // namespace proofline

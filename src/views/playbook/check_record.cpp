// SPDX-License-Identifier: Apache-2.0
#include "views/playbook/check_record.h"

#include "base/record_schema.h"
#include "views/playbook/check_document.h"

namespace proofline {

Record describe(const FactReading* /*type*/) {
  return {
      about("fact"),
      member<&FactReading::name>("name"),
      member<&FactReading::value>("value"),
      member<&FactReading::unit>("unit"),
  };
}

Record describe(const Reading* /*type*/) {
  return {
      about("reading", "What the answer rests on."),
      member<&Reading::what>("what", "a fact, or what was computed"),
      member<&Reading::value>("value", "null: text says what was seen"),
      member<&Reading::unit>("unit"),
      member<&Reading::op>("op"),
      member<&Reading::wanted>("wanted"),
      member<&Reading::before>("before", "the same fact before the change"),
      member<&Reading::text>("text"),
      derived("holds", [](const Reading& reading) { return reading.answer == Answer::kTrue; }),
      member<&Reading::facts>("facts"),
  };
}

Record describe(const MissingFact* /*type*/) {
  return {
      about("missing", "Why an answer is UNKNOWN."),
      member<&MissingFact::name>("fact"),
      member<&MissingFact::reason>("reason"),
      member<&MissingFact::command>("command", "that would bring it; empty: none"),
  };
}

Record describe(const LockedKernel* /*type*/) {
  return {
      about("kernel", "What a lock was closed on."),
      member<&LockedKernel::lock>("lock"),
      member<&LockedKernel::name>("name"),
      group("device", {member<&LockedKernel::device>("name"), member<&LockedKernel::cc>("cc")}),
      member<&LockedKernel::remark>("remark"),
  };
}

Record describe(const CheckResult* /*type*/) {
  return {
      about("check"),
      member<&CheckResult::id>("id"),
      member<&CheckResult::playbook>("playbook", "that it comes from"),
      member<&CheckResult::title>("title"),
      member<&CheckResult::kind>("kind"),
      member<&CheckResult::kernel>("kernel", "the lock's id; empty: of no kernel"),
      member<&CheckResult::in_case>("case", "empty: none"),
      member<&CheckResult::verdict>("verdict"),
      member<&CheckResult::expression>("expression"),
      member<&CheckResult::ours>("ours", "the threshold is not the source's"),
      member<&CheckResult::why>("why"),
      member<&CheckResult::fix>("fix"),
      member<&CheckResult::skipped>("skipped", "the condition that is false"),
      member<&CheckResult::readings>("readings"),
      member<&CheckResult::missing>("missing"),
  };
}

Record describe(const TaskResult* /*type*/) {
  return {
      about("task"),
      member<&TaskResult::id>("id"),
      member<&TaskResult::playbook>("playbook"),
      member<&TaskResult::title>("title"),
      member<&TaskResult::option>("option"),
      member<&TaskResult::state>("state"),
      member<&TaskResult::reason>("reason"),
      member<&TaskResult::change>("change"),
      member<&TaskResult::sanitizers>("sanitizers", "to be run before any timing"),
      member<&TaskResult::steps>("steps"),
      member<&TaskResult::expect>("expect"),
      member<&TaskResult::readings>("readings"),
      member<&TaskResult::missing>("missing"),
  };
}

Record describe(const TreeStep* /*type*/) {
  return {
      about("node", "A node of the tree that was looked at."),
      member<&TreeStep::id>("id"),
      member<&TreeStep::playbook>("playbook"),
      member<&TreeStep::depth>("depth"),
      member<&TreeStep::answer>("answer"),
      member<&TreeStep::say>("say"),
      member<&TreeStep::leads_to>("leads_to"),
      member<&TreeStep::readings>("readings"),
      member<&TreeStep::missing>("missing"),
  };
}

Record describe(const FieldResult* /*type*/) {
  return {
      about("field"),
      member<&FieldResult::label>("label"),
      member<&FieldResult::value>("value"),
      member<&FieldResult::unit>("unit"),
  };
}

Record describe(const DeliverableResult::Part* /*type*/) {
  return {
      about("part"),
      member<&DeliverableResult::Part::text>("text"),
      member<&DeliverableResult::Part::table>("table"),
      member<&DeliverableResult::Part::fields>("fields"),
  };
}

Record describe(const DeliverableResult* /*type*/) {
  return {
      about("deliverable"),
      member<&DeliverableResult::id>("id"),
      member<&DeliverableResult::title>("title"),
      member<&DeliverableResult::kernel>("kernel"),
      member<&DeliverableResult::parts>("parts"),
  };
}

Record describe(const CheckRun* /*type*/) {
  return {
      about("checks", "Evidence judged by a playbook."),
      schema_version(),
      tool(),
      member<&CheckRun::playbook>("playbook", "its id"),
      member<&CheckRun::title>("title"),
      member<&CheckRun::sources>("sources", "files that were read"),
      member<&CheckRun::notes>("notes"),
      derived("verdict", "of the checks that must hold",
              [](const CheckRun& run) { return to_string(run.verdict()); })
          .one_of({"PASS", "FAIL", "UNKNOWN"}),
      derived("headline", [](const CheckRun& run) { return check_headline(run); }),
      member<&CheckRun::kernels>("kernels"),
      member<&CheckRun::checks>("checks"),
      member<&CheckRun::tasks>("tasks"),
      member<&CheckRun::next>("next", "the task or option to take now; empty: none"),
      member<&CheckRun::tree>("tree", "nodes that were looked at, in order"),
      member<&CheckRun::deliverables>("deliverables"),
  };
}

ResultSchema check_record() {
  return {"check", "What `proofline check --format json` prints", {record_of<CheckRun>}};
}

}  // namespace proofline

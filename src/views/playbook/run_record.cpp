// SPDX-License-Identifier: Apache-2.0
#include "base/record_schema.h"
#include "views/playbook/check_record.h"

namespace proofline {

Record describe(const PlayResult* /*type*/) {
  return {
      about("run", "A playbook that was played."),
      inlined<&PlayResult::play>(),
      derived("folder", [](const PlayResult& result) { return result.play.folder; }),
      member<&PlayResult::headline>("headline"),
      member<&PlayResult::written>("written", "deliverables"),
      member<&PlayResult::checks>("checks", "null: the play did not come to that"),
  };
}

Record describe(const PlayChoice* /*type*/) {
  return {
      about("choice", "The task to try now, for the program that makes the change."),
      schema_version(),
      tool(),
      member<&PlayChoice::play>("play"),
      member<&PlayChoice::playbook>("playbook"),
      member<&PlayChoice::command>("command"),
      member<&PlayChoice::task>("task"),
      member<&PlayChoice::why>("why"),
      member<&PlayChoice::hypothesis>("hypothesis"),
      member<&PlayChoice::kernels>("kernels"),
      member<&PlayChoice::failing>("failing", "checks that fail"),
      member<&PlayChoice::attempts>("attempts"),
  };
}

ResultSchema run_record() {
  return {"run", "What `proofline run --format json` prints", {record_of<PlayResult>}};
}

}  // namespace proofline

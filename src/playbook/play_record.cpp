// SPDX-License-Identifier: Apache-2.0
//
// The members of play.json, which `run --format json` prints too but for those on request.
#include "base/record.h"
#include "playbook/play.h"

namespace proofline {

Record describe(const PlayRequest* /*type*/) {
  return {
      about("request"),
      member<&PlayRequest::command>("command").not_empty(),
      member<&PlayRequest::workload>("workload", "KEY=VALUE"),
      member<&PlayRequest::build>("build"),
      member<&PlayRequest::check>("check"),
      member<&PlayRequest::change>("change"),
      member<&PlayRequest::kernel>("kernel"),
      member<&PlayRequest::journal>("journal"),
      member<&PlayRequest::skipped>("skipped", "ID=REASON"),
  };
}

Record describe(const PlayedStep* /*type*/) {
  return {
      about("step"),
      member<&PlayedStep::id>("id"),
      member<&PlayedStep::does>("does"),
      member<&PlayedStep::in_case>("case", "empty: none"),
      member<&PlayedStep::state>("state"),
      member<&PlayedStep::reason>("reason"),
      member<&PlayedStep::seconds>("seconds").at_least(0),
      member<&PlayedStep::inputs>("inputs", "a hash; empty: the step is done each time")
          .on_request(),
      member<&PlayedStep::evidence>("evidence", "files, relative to the play's folder"),
  };
}

Record describe(const PlayedAttempt* /*type*/) {
  return {
      about("attempt"),
      member<&PlayedAttempt::number>("number").at_least(1),
      member<&PlayedAttempt::task>("task"),
      member<&PlayedAttempt::state>("state"),
      member<&PlayedAttempt::reason>("reason"),
      member<&PlayedAttempt::commit>("commit", "empty: none was made"),
      member<&PlayedAttempt::setting>("setting", "of a sweep: KEY=VALUE"),
  };
}

Record describe(const Play* /*type*/) {
  return {
      about("play"),
      schema_version(),
      tool(),
      member<&Play::name>("name").not_empty(),
      member<&Play::playbook>("playbook"),
      member<&Play::request>("request").on_request(),
      member<&Play::outcome>("outcome"),
      member<&Play::choice>("choice", "the task that comes next; empty: none"),
      member<&Play::sweep>("sweep").on_request(),
      member<&Play::program>("program").on_request(),
      member<&Play::base>("base").on_request(),
      member<&Play::tree>("tree").on_request(),
      member<&Play::steps>("steps"),
      member<&Play::attempts>("attempts"),
  };
}

}  // namespace proofline

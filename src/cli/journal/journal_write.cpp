// SPDX-License-Identifier: Apache-2.0
//
// The actions of `journal` that add an entry: open, note, close.
#include <optional>

#include "base/propagate.h"
#include "base/record_json.h"
#include "cli/journal/journal_actions.h"
#include "cli/notes.h"
#include "workflow/expectation.h"
#include "workflow/journal/journal_filter.h"
#include "workflow/journal/journal_records.h"
#include "workflow/journal/journal_results.h"

namespace proofline {

Result<ExitCode> present_written(const Result<WrittenEntry>& written, JournalAction& action) {
  RETURN_IF_ERROR(written);
  print_notes(written->notes);
  const JournalEntry& entry = written->entry;
  present({[&] { return Document{{Paragraph{entry.id}}}; },
           [&](JsonWriter& json) { write_record(*written, json); }},
          action.output, action.context);
  return ExitCode::kDone;
}

Result<ExitCode> open_attempt(JournalAction& action) {
  const JournalFlags& flags = action.flags;
  Intent intent;
  intent.hypothesis = action.flags.texts.front();
  intent.kind = flags.choice.kind;
  intent.risk = flags.risk;
  if (!flags.expect.empty()) {
    ASSIGN_OR_RETURN(intent.expected, parse_expectation(flags.expect));
  }
  return present_written(record_attempt(flags.journal, std::move(intent)), action);
}

Result<ExitCode> add_note(JournalAction& action) {
  const JournalFlags& flags = action.flags;
  return present_written(record_note(flags.journal, action.flags.texts.front(), flags.attempt),
                         action);
}

Result<ExitCode> close_attempt(JournalAction& action) {
  const JournalFlags& flags = action.flags;
  const std::vector<std::string>& states = flags.choice.states;
  std::optional<AttemptState> state;
  if (!states.empty()) {
    ASSIGN_OR_RETURN(state, parse_attempt_state(states.front()));
  }
  if (states.size() > 1 || state == AttemptState::kOpen) {
    return fail(ErrorKind::kUsage, "an attempt is closed with one --state, which is not open");
  }
  return present_written(
      record_close(flags.journal, action.flags.texts.front(), state, flags.reason), action);
}

}  // namespace proofline

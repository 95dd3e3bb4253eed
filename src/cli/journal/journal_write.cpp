// SPDX-License-Identifier: Apache-2.0
//
// The actions of `journal` that add an entry: open, note, close.
#include <fmt/format.h>

#include <utility>

#include "base/propagate.h"
#include "base/text.h"
#include "cli/journal/journal_actions.h"
#include "cli/journal/journal_filter.h"
#include "model/journal/expectation.h"
#include "tools/machine/git_state.h"
#include "views/journal/entry_bodies.h"
#include "views/journal/journal_json.h"
#include "workflow/journal/journal_place.h"

namespace proofline {
namespace {

// The attempt whose id begins like this.
Result<Attempt> read_attempt(JournalStore& store, const std::string& prefix) {
  ASSIGN_OR_RETURN(const auto entries, all_entries(store));
  return find_attempt(attempts_of(entries), prefix);
}

Result<void> check_text(const std::string& text, std::string_view what) {
  if (!trim(text).empty()) return {};
  return fail(ErrorKind::kUsage, fmt::format("{} is empty", what));
}

}  // namespace

Result<ExitCode> write_entry(JournalStore& store, const NewEntry& entry, JournalAction& action) {
  ASSIGN_OR_RETURN(const auto written, store.append(entry));
  present({[&] { return Document{{Paragraph{written.id}}}; },
           [&](JsonWriter& json) { write_written_json(store.where(), written, json); }},
          action.output, action.context);
  return ExitCode::kDone;
}

Result<ExitCode> open_attempt(JournalAction& action) {
  Attempt attempt;
  attempt.hypothesis = action.arguments.front();
  attempt.kind = action.flags.kind;
  attempt.risk = action.flags.risk;
  RETURN_IF_ERROR(check_text(attempt.hypothesis, "the hypothesis"));
  if (!action.flags.expect.empty()) {
    ASSIGN_OR_RETURN(const auto expected, parse_expectation(action.flags.expect));
    attempt.expected = expected;
  }
  // Before the journal is opened: a program is not to be started while it is.
  GitState git = git_state(".");
  attempt.commit = std::move(git.commit);
  attempt.diff_stat = std::move(git.diff_stat);
  ASSIGN_OR_RETURN(const auto store, open_journal_to_write(action.flags.journal));
  const std::string id = new_entry_id();
  return write_entry(*store, {id, id, "open", open_body(attempt)}, action);
}

Result<ExitCode> add_note(JournalAction& action) {
  const std::string& text = action.arguments.front();
  RETURN_IF_ERROR(check_text(text, "the note"));
  ASSIGN_OR_RETURN(const auto store, open_journal_to_write(action.flags.journal));
  NewEntry entry{new_entry_id(), "", "note", note_body(text)};
  if (!action.flags.attempt.empty()) {
    ASSIGN_OR_RETURN(auto attempt, read_attempt(*store, action.flags.attempt));
    entry.attempt = std::move(attempt.id);
  }
  return write_entry(*store, entry, action);
}

Result<ExitCode> close_attempt(JournalAction& action) {
  const std::vector<std::string>& states = action.flags.states;
  const auto state = parse_attempt_state(states.empty() ? "abandoned" : states.front());
  if (!state) return tl::make_unexpected(state.error());
  if (states.size() > 1 || *state == AttemptState::kOpen) {
    return fail(ErrorKind::kUsage, "an attempt is closed with one --state, which is not open");
  }
  RETURN_IF_ERROR(check_text(action.flags.reason, "--reason"));
  ASSIGN_OR_RETURN(const auto store, open_journal_to_write(action.flags.journal));
  auto attempt = read_attempt(*store, action.arguments.front());
  if (!attempt) return tl::make_unexpected(attempt.error());
  if (states.empty() && attempt->state != AttemptState::kOpen) {
    return fail(ErrorKind::kUsage,
                fmt::format("attempt {} is {} already; --state says what it is from now on",
                            quote(attempt->id), to_string(attempt->state)));
  }
  return write_entry(
      *store,
      {new_entry_id(), std::move(attempt->id), "close", close_body(*state, action.flags.reason)},
      action);
}

}  // namespace proofline

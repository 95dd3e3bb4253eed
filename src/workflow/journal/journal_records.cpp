// SPDX-License-Identifier: Apache-2.0
#include "workflow/journal/journal_records.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/propagate.h"
#include "base/text.h"
#include "readers/benchmark/benchmark.h"
#include "store/entries/attempts.h"
#include "store/entries/entry_codec.h"
#include "store/entries/entry_identity.h"
#include "store/entries/result_entries.h"
#include "store/file_hash.h"
#include "tools/machine/git_state.h"
#include "workflow/journal/baseline_side.h"
#include "workflow/journal/journal_place.h"
#include "workflow/journal/journal_reading.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

// The attempt whose id begins like this.
Result<Attempt> read_attempt(JournalStore& store, const std::string& prefix) {
  ASSIGN_OR_RETURN(const auto entries, all_entries(store));
  return find_attempt(attempts_of(entries), prefix);
}

Result<void> check_text(const std::string& text, std::string_view what) {
  if (!trim(text).empty()) return {};
  return fail(ErrorKind::kUsage, fmt::format("{} is empty", what));
}

Result<WrittenEntry> write(JournalStore& store, const NewEntry& entry) {
  ASSIGN_OR_RETURN(auto written, store.append(entry));
  return WrittenEntry{store.where(), std::move(written), {}};
}

}  // namespace

Result<WrittenEntry> record_attempt(const std::string& journal, Intent intent) {
  RETURN_IF_ERROR(check_text(intent.hypothesis, "the hypothesis"));
  // Before the journal is opened: a program is not to be started while it is.
  GitState git = git_state(".");
  intent.commit = std::move(git.commit);
  intent.diff_stat = std::move(git.diff_stat);
  ASSIGN_OR_RETURN(const auto store, open_journal_to_write(journal));
  const std::string id = new_entry_id();
  return write(*store, new_entry(id, id, intent));
}

Result<WrittenEntry> record_note(const std::string& journal, const std::string& text,
                                 const std::string& attempt) {
  RETURN_IF_ERROR(check_text(text, "the note"));
  ASSIGN_OR_RETURN(const auto store, open_journal_to_write(journal));
  NewEntry entry = new_entry(new_entry_id(), "", NoteEntry{text});
  if (!attempt.empty()) {
    ASSIGN_OR_RETURN(auto found, read_attempt(*store, attempt));
    entry.attempt = std::move(found.id);
  }
  return write(*store, entry);
}

Result<WrittenEntry> record_close(const std::string& journal, const std::string& attempt,
                                  std::optional<AttemptState> state, const std::string& reason) {
  RETURN_IF_ERROR(check_text(reason, "--reason"));
  ASSIGN_OR_RETURN(const auto store, open_journal_to_write(journal));
  ASSIGN_OR_RETURN(auto found, read_attempt(*store, attempt));
  if (!state && found.state != AttemptState::kOpen) {
    return fail(ErrorKind::kUsage,
                fmt::format("attempt {} is {} already; --state says what it is from now on",
                            quote(found.id), to_string(found.state)));
  }
  const CloseEntry close{state.value_or(AttemptState::kAbandoned), reason};
  return write(*store, new_entry(new_entry_id(), std::move(found.id), close));
}

Result<WrittenEntry> record_baseline(const std::string& journal, const std::string& name,
                                     const std::string& file, const std::string& side) {
  if (trim(name).empty()) return fail(ErrorKind::kUsage, "a baseline needs a name");
  ASSIGN_OR_RETURN(auto series, read_benchmark(file));
  std::vector<Note> notes = notes_of(series);
  ASSIGN_OR_RETURN(auto picked, pick_baseline_side(series, side, file));
  series.sides = {std::move(picked)};
  ASSIGN_OR_RETURN(auto hash, file_sha256(file));
  ASSIGN_OR_RETURN(const auto store, open_journal_to_write(journal));
  std::error_code error;
  BaselineEntry baseline;
  baseline.name = name;
  baseline.path = fs::absolute(file, error).lexically_normal().string();
  baseline.side = side;
  baseline.sha256 = std::move(hash);
  baseline.interleaved = series.interleaved;
  baseline.sides = recorded_sides(series);
  ASSIGN_OR_RETURN(auto written, write(*store, new_entry(new_entry_id(), "", baseline)));
  written.notes = std::move(notes);
  return written;
}

}  // namespace proofline

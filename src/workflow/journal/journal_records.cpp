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
#include "workflow/journal/journal_spool.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

// The attempt whose id begins like this.
Result<Attempt> read_attempt(const std::string& journal, const std::string& prefix) {
  ASSIGN_OR_RETURN(const auto store, open_journal_to_read(journal));
  ASSIGN_OR_RETURN(const auto entries, all_entries(*store));
  return find_attempt(attempts_of(entries), prefix);
}

Result<void> check_text(const std::string& text, std::string_view what) {
  if (!trim(text).empty()) return {};
  return fail(ErrorKind::kUsage, fmt::format("{} is empty", what));
}

Result<WrittenEntry> store_entry(const std::string& journal, const NewEntry& entry) {
  ASSIGN_OR_RETURN(const auto store, open_journal_to_write(journal));
  ASSIGN_OR_RETURN(auto written, store->append(entry));
  // Told once, when the journal begins.
  auto notes = written.sequence == 1 ? notes_on_disk(*store) : std::vector<Note>{};
  return WrittenEntry{store->where(), std::move(written), std::move(notes)};
}

bool is_on_a_server(const std::string& journal) {
  const auto server = journal_to_write(journal).and_then(journal_server);
  return server && !server->empty();
}

}  // namespace

Result<WrittenEntry> write_entry(const std::string& journal, const NewEntry& entry) {
  auto written = store_entry(journal, entry);
  if (written || !is_out_of_reach(written.error()) || !is_on_a_server(journal)) return written;
  auto kept = write_entry_for_later(journal, entry);
  if (kept) return kept;
  written.error().message += "; nor can the entry be kept for later: " + kept.error().message;
  return written;
}

Result<WrittenEntry> write_entry_for_later(const std::string& journal, const NewEntry& entry) {
  ASSIGN_OR_RETURN(auto kept, keep_for_server(journal, entry));
  return WrittenEntry{
      kept.where,
      std::move(kept.entry),
      {{NoteKind::kInfo, "",
        fmt::format("{} cannot be reached: what is written waits in {} until 'proofline journal "
                    "sync' with the same --journal delivers it",
                    kept.where, quote(kept.folder))}}};
}

Result<WrittenEntry> record_attempt(const std::string& journal, Intent intent) {
  RETURN_IF_ERROR(check_text(intent.hypothesis, "the hypothesis"));
  // Before the journal is opened: a program is not to be started while it is.
  GitState git = git_state(".");
  intent.commit = std::move(git.commit);
  intent.diff_stat = std::move(git.diff_stat);
  const std::string id = new_entry_id();
  return write_entry(journal, new_entry(id, id, intent));
}

Result<WrittenEntry> record_note(const std::string& journal, const std::string& text,
                                 const std::string& attempt) {
  RETURN_IF_ERROR(check_text(text, "the note"));
  NewEntry entry = new_entry(new_entry_id(), "", NoteEntry{text});
  if (!attempt.empty()) {
    ASSIGN_OR_RETURN(auto found, read_attempt(journal, attempt));
    entry.attempt = std::move(found.id);
  }
  return write_entry(journal, entry);
}

Result<WrittenEntry> record_close(const std::string& journal, const std::string& attempt,
                                  std::optional<AttemptState> state, const std::string& reason) {
  RETURN_IF_ERROR(check_text(reason, "--reason"));
  ASSIGN_OR_RETURN(auto found, read_attempt(journal, attempt));
  if (!state && found.state != AttemptState::kOpen) {
    return fail(ErrorKind::kUsage,
                fmt::format("attempt {} is {} already; --state says what it is from now on",
                            quote(found.id), to_string(found.state)));
  }
  const CloseEntry close{state.value_or(AttemptState::kAbandoned), reason};
  return write_entry(journal, new_entry(new_entry_id(), std::move(found.id), close));
}

Result<WrittenEntry> record_baseline(const std::string& journal, const std::string& name,
                                     const std::string& file, const std::string& side) {
  if (trim(name).empty()) return fail(ErrorKind::kUsage, "a baseline needs a name");
  ASSIGN_OR_RETURN(auto series, read_benchmark(file));
  const std::vector<Note> notes = notes_of(series);
  ASSIGN_OR_RETURN(auto picked, pick_baseline_side(series, side, file));
  series.sides = {std::move(picked)};
  ASSIGN_OR_RETURN(auto hash, file_sha256(file));
  std::error_code error;
  BaselineEntry baseline;
  baseline.name = name;
  baseline.path = fs::absolute(file, error).lexically_normal().string();
  baseline.side = side;
  baseline.sha256 = std::move(hash);
  baseline.interleaved = series.interleaved;
  baseline.sides = recorded_sides(series);
  ASSIGN_OR_RETURN(auto written, write_entry(journal, new_entry(new_entry_id(), "", baseline)));
  written.notes.insert(written.notes.begin(), notes.begin(), notes.end());
  return written;
}

}  // namespace proofline

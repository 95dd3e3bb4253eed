// SPDX-License-Identifier: Apache-2.0
#include "workflow/journal/journal_records.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/option.h"
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

bool is_whole_id(const std::string& text) {
  return text.size() == kEntryIdDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

struct NamedAttempt {
  Attempt attempt;
  bool server_is_away = false;
};

// While its server cannot be reached: one of those that wait for it, or whatever a whole id names;
// whether there is such an attempt shows when the entry is delivered.
Result<NamedAttempt> name_attempt_without_server(const std::string& journal,
                                                 const std::string& prefix, Error why) {
  ASSIGN_OR_RETURN(const auto server, journal_to_write(journal).and_then(journal_server));
  ASSIGN_OR_RETURN(const auto waiting, kept_entries(server));
  auto found = find_attempt(attempts_of(waiting), prefix);
  if (found) return NamedAttempt{std::move(*found), true};
  if (is_whole_id(prefix)) {
    NamedAttempt named{{}, true};
    named.attempt.id = prefix;
    return named;
  }
  why.message +=
      "; while it cannot be reached, name the attempt by its whole id, or by the start of the id "
      "of "
      "one that waits for 'journal sync'";
  return tl::make_unexpected(std::move(why));
}

// The attempt whose id begins like this.
Result<NamedAttempt> name_attempt(const std::string& journal, const std::string& prefix) {
  const auto entries = open_journal_to_read(journal).and_then(
      [](const std::unique_ptr<JournalStore>& store) { return all_entries(*store); });
  if (!entries && is_out_of_reach(entries.error()) && is_on_a_server(journal)) {
    return name_attempt_without_server(journal, prefix, entries.error());
  }
  RETURN_IF_ERROR(entries);
  ASSIGN_OR_RETURN(auto found, find_attempt(attempts_of(*entries), prefix));
  return NamedAttempt{std::move(found)};
}

Result<WrittenEntry> write_entry_of(const NamedAttempt& named, const std::string& journal,
                                    const EntryContent& content) {
  const NewEntry entry = new_entry(new_entry_id(), named.attempt.id, content);
  return named.server_is_away ? write_entry_for_later(journal, entry) : write_entry(journal, entry);
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
  if (attempt.empty()) return write_entry(journal, new_entry(new_entry_id(), "", NoteEntry{text}));
  ASSIGN_OR_RETURN(const auto named, name_attempt(journal, attempt));
  return write_entry_of(named, journal, NoteEntry{text});
}

Result<WrittenEntry> record_close(const std::string& journal, const std::string& attempt,
                                  std::optional<AttemptState> state, const std::string& reason) {
  RETURN_IF_ERROR(check_text(reason, option("reason")));
  ASSIGN_OR_RETURN(const auto named, name_attempt(journal, attempt));
  const Attempt& found = named.attempt;
  if (!state && named.server_is_away && found.opened.empty()) {
    return fail(ErrorKind::kStorage,
                fmt::format("the journal's server cannot be reached, so whether attempt {} is "
                            "still open is not known; {} says what it is from now on",
                            quote(found.id), option("state")));
  }
  if (!state && found.state != AttemptState::kOpen) {
    return fail(ErrorKind::kUsage,
                fmt::format("attempt {} is {} already; {} says what it is from now on",
                            quote(found.id), to_string(found.state), option("state")));
  }
  return write_entry_of(named, journal,
                        CloseEntry{state.value_or(AttemptState::kAbandoned), reason});
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

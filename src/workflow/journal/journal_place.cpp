// SPDX-License-Identifier: Apache-2.0
#include "workflow/journal/journal_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/environment.h"
#include "base/find_above.h"
#include "base/network_disk.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "store/entries/attempts.h"
#include "store/entries/entry_codec.h"

namespace proofline {
namespace {

constexpr std::string_view kUsualPlace = ".proofline/journal.sqlite";

Result<std::string> place_of(const std::string& flag) {
  if (!flag.empty()) return flag;
  const std::string_view variable = environment_variable("PROOFLINE_JOURNAL");
  return variable.empty() ? find_above(kUsualPlace, option("journal")) : std::string(variable);
}

}  // namespace

Result<bool> has_journal(const std::string& flag) {
  ASSIGN_OR_RETURN(const auto place, place_of(flag));
  return !place.empty();
}

Result<std::unique_ptr<JournalStore>> open_journal_to_read(const std::string& flag) {
  ASSIGN_OR_RETURN(const auto place, place_of(flag));
  if (place.empty()) {
    return fail(ErrorKind::kInput,
                "there is no journal in this folder or above it; 'proofline journal open' starts "
                "one, --journal names another");
  }
  StoreOptions options;
  options.create = false;
  return open_journal(place, options);
}

Result<std::string> journal_to_write(const std::string& flag) {
  ASSIGN_OR_RETURN(auto place, place_of(flag));
  if (place.empty()) place = kUsualPlace;
  return place;
}

Result<std::unique_ptr<JournalStore>> open_journal_to_write(const std::string& flag) {
  ASSIGN_OR_RETURN(const auto place, journal_to_write(flag));
  auto store = open_journal(place);
  if (store && !(*store)->read_only().empty()) {
    return fail(ErrorKind::kStorage,
                fmt::format("cannot write to the journal {}: {}; {} names another",
                            quote((*store)->where()), (*store)->read_only(), option("journal")));
  }
  return store;
}

std::vector<Note> notes_on(const JournalStore& store) {
  if (store.read_only().empty()) return {};
  return {{NoteKind::kInfo, "", "this journal can only be read: " + store.read_only()}};
}

// SQLite's locks are those of the file system. A write-ahead log, which needs memory that all of
// its users share, is used nowhere (store/sqlite_session.cpp).
std::vector<Note> notes_on_disk(const JournalStore& store) {
  const std::string_view disk = network_disk_of(store.where());
  if (disk.empty()) return {};
  return {{NoteKind::kInfo, "",
           fmt::format("this journal is on a network disk ({}), whose locks may not hold between "
                       "machines: write to it from one machine at a time, or share a journal in "
                       "PostgreSQL ({} postgresql://...)",
                       disk, option("journal"))}};
}

Result<std::vector<JournalEntry>> all_entries(JournalStore& store, const EntryFilter& filter) {
  std::vector<JournalEntry> entries;
  RETURN_IF_ERROR(store.read(filter, [&](const JournalEntry& entry) {
    entries.push_back(entry);
    return true;
  }));
  return entries;
}

std::vector<Note> notes_on(const std::vector<JournalEntry>& entries) {
  const auto unreadable = static_cast<std::uint64_t>(
      std::count_if(entries.begin(), entries.end(),
                    [](const JournalEntry& entry) { return !decode_entry(entry).has_value(); }));
  if (unreadable == 0) return {};
  return {{NoteKind::kLoss, "",
           "entries cannot be read and are left out; 'proofline journal verify' tells whether they "
           "were changed",
           unreadable}};
}

Result<std::vector<Baseline>> all_baselines(JournalStore& store) {
  EntryFilter filter;
  filter.kind = BaselineEntry::kKind;
  return all_entries(store, filter).map(baselines_of);
}

Result<Baseline> find_baseline(JournalStore& store, const std::string& name) {
  ASSIGN_OR_RETURN(const auto baselines, all_baselines(store));
  for (const Baseline& one : baselines) {
    if (one.name == name) return one;
  }
  return fail(ErrorKind::kInput, fmt::format("no baseline is called {}; 'proofline journal "
                                             "baseline list' lists them",
                                             quote(name)));
}

}  // namespace proofline

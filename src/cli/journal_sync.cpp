// SPDX-License-Identifier: Apache-2.0
//
// `journal sync`: gives a journal the entries of another that it lacks. Each is stored before the
// next is sent, in the order of its chain, so that a sync which was cut off goes on where it ended.
#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/journal_actions.h"
#include "cli/journal_place.h"
#include "views/journal_json.h"

namespace proofline {
namespace {

// The hashes of the entries that the journal has of these chains; they are asked for at once, since
// a server's answer to each would take its time.
Result<std::set<std::string>> known_hashes(JournalStore& store,
                                           const std::vector<JournalEntry>& entries) {
  std::set<std::string> chains;
  for (const JournalEntry& entry : entries) chains.insert(entry.chain);
  std::set<std::string> hashes;
  for (const std::string& chain : chains) {
    EntryFilter filter;
    filter.chain = chain;
    const auto read = store.read(filter, [&](const JournalEntry& entry) {
      hashes.insert(entry.hash);
      return true;
    });
    if (!read) return tl::make_unexpected(read.error());
  }
  return hashes;
}

Result<JournalSync> copy_entries(JournalStore& from, JournalStore& to) {
  JournalSync sync{from.where(), to.where(), 0, 0};
  const auto entries = all_entries(from);
  if (!entries) return tl::make_unexpected(entries.error());
  const auto known = known_hashes(to, *entries);
  if (!known) return tl::make_unexpected(known.error());
  sync.entries = entries->size();
  for (const JournalEntry& entry : *entries) {
    if (known->count(entry.hash) > 0) continue;
    const auto adopted = to.adopt(entry);
    if (!adopted) {
      return fail(adopted.error().kind,
                  fmt::format("{}; {} entries were taken over before it, and the same command goes "
                              "on from there",
                              adopted.error().message, sync.adopted));
    }
    if (*adopted) ++sync.adopted;
  }
  return sync;
}

Document document_of(const JournalSync& sync) {
  return {{Paragraph{fmt::format("{} of {} entries were new", group_digits(sync.adopted),
                                 group_digits(sync.entries))},
           Properties{{{"From", sync.from}, {"To", sync.to}}}}};
}

}  // namespace

Result<ExitCode> sync_journals(JournalAction& action) {
  const JournalFlags& flags = action.flags;
  if (flags.to.empty() == flags.from.empty()) {
    return fail(ErrorKind::kUsage, "'journal sync' needs --to WHERE or --from WHERE");
  }
  const bool sends = flags.from.empty();
  const auto from = open_journal_to_read(sends ? flags.journal : flags.from);
  if (!from) return tl::make_unexpected(from.error());
  const auto to = open_journal_to_write(sends ? flags.to : flags.journal);
  if (!to) return tl::make_unexpected(to.error());
  if ((*from)->where() == (*to)->where()) {
    return fail(ErrorKind::kUsage, "both journals are " + quote((*to)->where()));
  }
  const auto sync = copy_entries(**from, **to);
  if (!sync) return tl::make_unexpected(sync.error());
  present(
      {[&] { return document_of(*sync); }, [&](JsonWriter& json) { write_sync_json(*sync, json); }},
      action.output, action.context);
  return ExitCode::kDone;
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// `journal sync`: gives a journal the entries of another that it lacks. Each is stored before the
// next is sent, in the order of its chain, so that a sync which was cut off goes on where it ended.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/propagate.h"
#include "base/text.h"
#include "cli/journal/journal_actions.h"
#include "views/journal/journal_json.h"
#include "workflow/journal/journal_place.h"

namespace proofline {
namespace {

// How far the journal has a chain; 0 not at all.
std::uint64_t known_until(const std::vector<ChainHead>& heads, const std::string& chain) {
  const auto found = std::find_if(heads.begin(), heads.end(),
                                  [&](const ChainHead& head) { return head.chain == chain; });
  return found == heads.end() ? 0 : found->sequence;
}

// Gives what `to` lacks of this chain. The last entry that both should have is offered too: where
// it is another one, the chains went apart.
Result<void> copy_chain(JournalStore& from, const ChainHead& head, std::uint64_t known,
                        JournalStore& to, JournalSync& sync) {
  EntryFilter filter;
  filter.chain = head.chain;
  filter.after = std::max<std::uint64_t>(std::min(known, head.sequence), 1) - 1;
  Result<void> copied;
  const auto read = from.read(filter, [&](const JournalEntry& entry) {
    const auto adopted = to.adopt(entry);
    if (!adopted) {
      copied = fail(adopted.error().kind,
                    fmt::format("{}; {} entries were taken over before it, and the same command "
                                "goes on from there",
                                adopted.error().message, sync.adopted));
    } else if (*adopted) {
      ++sync.adopted;
    }
    return adopted.has_value();
  });
  return read ? copied : read;
}

Result<JournalSync> copy_entries(JournalStore& from, JournalStore& to) {
  JournalSync sync{from.where(), to.where(), 0, 0};
  ASSIGN_OR_RETURN(const auto sent, from.heads());
  ASSIGN_OR_RETURN(const auto known, to.heads());
  for (const ChainHead& head : sent) {
    sync.entries += head.sequence;
    RETURN_IF_ERROR(copy_chain(from, head, known_until(known, head.chain), to, sync));
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
  ASSIGN_OR_RETURN(const auto from, open_journal_to_read(sends ? flags.journal : flags.from));
  ASSIGN_OR_RETURN(const auto to, open_journal_to_write(sends ? flags.to : flags.journal));
  if (from->where() == to->where()) {
    return fail(ErrorKind::kUsage, "both journals are " + quote(to->where()));
  }
  ASSIGN_OR_RETURN(const auto sync, copy_entries(*from, *to));
  present(
      {[&] { return document_of(sync); }, [&](JsonWriter& json) { write_sync_json(sync, json); }},
      action.output, action.context);
  return ExitCode::kDone;
}

}  // namespace proofline

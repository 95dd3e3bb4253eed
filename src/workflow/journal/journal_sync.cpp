// SPDX-License-Identifier: Apache-2.0
#include "workflow/journal/journal_sync.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/propagate.h"

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

}  // namespace

Result<JournalSync> sync_journal(JournalStore& from, JournalStore& to) {
  JournalSync sync{from.where(), to.where(), 0, 0};
  ASSIGN_OR_RETURN(const auto sent, from.heads());
  ASSIGN_OR_RETURN(const auto known, to.heads());
  for (const ChainHead& head : sent) {
    sync.entries += head.sequence;
    RETURN_IF_ERROR(copy_chain(from, head, known_until(known, head.chain), to, sync));
  }
  return sync;
}

}  // namespace proofline

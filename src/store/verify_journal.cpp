// SPDX-License-Identifier: Apache-2.0
//
// Reads every entry and checks that each is what was hashed, follows the one before it, and that
// none is missing, at the end of a chain too.
//
// What cannot be seen: a journal of which everything was rewritten, with all hashes made anew, or a
// chain of another journal of which nothing is left, neither entries nor its row in the table of
// chains, or entries removed at the end where that row was set back too. Another copy of the
// journal (a team's, by `journal sync`) shows these.
#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "base/propagate.h"
#include "store/entries/entry_codec.h"
#include "store/entries/entry_identity.h"
#include "store/journal_store.h"
#include "store/sql_store.h"

namespace proofline {
namespace {

using Heads = std::map<std::string, ChainHead>;

class ChainCheck {
 public:
  ChainCheck(Verification& result, Heads heads) : result_(result), heads_(std::move(heads)) {}

  void see(const JournalEntry& entry) {
    ++result_.entries;
    ChainHead& last =
        ends_.try_emplace(entry.chain, ChainHead{entry.chain, 0, std::string(kNoHash)})
            .first->second;
    if (entry.sequence <= last.sequence) {
      note(entry, "its number is out of order");
      return;
    }
    if (entry.sequence > last.sequence + 1) {
      missing(entry.chain, last.sequence + 1, entry.sequence - 1);
    } else if (entry.previous != last.hash) {
      note(entry, last.sequence == 0 ? "it is not the first that was written"
                                     : fmt::format("it does not follow entry {}", last.sequence));
    }
    if (entry.hash != entry_hash(entry)) note(entry, "its text is not what was hashed");
    if (auto missed = decode_entry_as<MissedEntry>(entry)) missed_.push_back(std::move(*missed));
    const auto head = heads_.find(entry.chain);
    if (head != heads_.end() && head->second.sequence == entry.sequence &&
        head->second.hash != entry.hash) {
      note(entry, "it is not the entry that was recorded as the last one");
    }
    last.sequence = entry.sequence;
    last.hash = entry.hash;
  }

  // Chains that end too early, are gone, or have an unknown end. `heads_now` are those
  // after the entries were read: another process may have added a chain meanwhile.
  void finish(const Heads& heads_now) {
    for (const auto& [chain, head] : heads_) {
      const auto end = ends_.find(chain);
      const std::uint64_t last = end == ends_.end() ? 0 : end->second.sequence;
      if (last < head.sequence) missing(chain, last + 1, head.sequence);
    }
    for (const auto& [chain, end] : ends_) {
      const auto head = heads_now.find(chain);
      if (head != heads_now.end()) {
        if (head->second.sequence >= end.sequence) continue;
        result_.breaks.push_back(
            {chain, head->second.sequence,
             fmt::format("it is recorded as the last one, while entries up to {} follow",
                         end.sequence)});
        continue;
      }
      result_.breaks.push_back({chain, end.sequence,
                                "which entry is the last one is not recorded any more: entries "
                                "after this one may be missing"});
    }
    result_.chains = ends_.size();
  }

  // What attempts began with elsewhere, and what may have come back since.
  Result<void> look_for_missed(JournalStore& store) {
    for (const MissedEntry& missed : missed_) {
      bool found = false;
      RETURN_IF_ERROR(store.read({missed.chain, "", "", 0}, [&](const JournalEntry& entry) {
        found = entry.sequence == missed.sequence && entry.hash == missed.hash;
        return !found && entry.sequence < missed.sequence;
      }));
      if (found) continue;
      result_.breaks.push_back({missed.chain, missed.sequence,
                                "an attempt began with this entry, and it is missing: the journal "
                                "was removed or replaced while the attempt ran"});
    }
    return {};
  }

 private:
  void missing(const std::string& chain, std::uint64_t from, std::uint64_t to) {
    result_.breaks.push_back({chain, from,
                              from == to ? fmt::format("entry {} is missing", from)
                                         : fmt::format("entries {} to {} are missing", from, to)});
  }
  void note(const JournalEntry& entry, std::string what) {
    result_.breaks.push_back({entry.chain, entry.sequence, std::move(what)});
  }

  Verification& result_;
  Heads heads_;  // what each chain was last given
  Heads ends_;   // what was read of it
  std::vector<MissedEntry> missed_;
};

Result<Heads> read_heads(JournalStore& store) {
  ASSIGN_OR_RETURN(const auto list, store.heads());
  Heads heads;
  for (const ChainHead& head : list) heads.emplace(head.chain, head);
  return heads;
}

}  // namespace

Result<Verification> verify_journal(JournalStore& store) {
  Verification result;
  ASSIGN_OR_RETURN(const auto damage, store.damage());
  for (const std::string& what : damage) result.breaks.push_back({"", 0, what});
  if (store.chain().empty()) {
    result.breaks.push_back({"", 0, "the journal's own chain was removed from it"});
  }
  // Read before the entries, so that concurrent appends come after these heads.
  Result<Heads> heads = read_heads(store);
  RETURN_IF_ERROR(heads);
  ChainCheck check(result, std::move(*heads));
  RETURN_IF_ERROR(store.read({}, [&](const JournalEntry& entry) {
    check.see(entry);
    return true;
  }));
  heads = read_heads(store);
  RETURN_IF_ERROR(heads);
  check.finish(*heads);
  RETURN_IF_ERROR(check.look_for_missed(store));
  return result;
}

}  // namespace proofline

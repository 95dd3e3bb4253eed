// SPDX-License-Identifier: Apache-2.0
#include "workflow/runs/run_references.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/characters.h"
#include "base/file_piece.h"
#include "base/propagate.h"
#include "base/text.h"
#include "workflow/journal/journal_place.h"
#include "workflow/journal/journal_spool.h"

namespace proofline {
namespace {

constexpr std::size_t kMostReferringBytes = 16U << 20U;

bool is_in_names(char c) { return is_alphanumeric(c) || c == '_' || c == '-' || c == '.'; }

class ReferenceFinder {
 public:
  explicit ReferenceFinder(const std::vector<KeptRun>& runs) {
    for (const KeptRun& run : runs) names_.insert(run.name);
  }

  // All of the names that are in the text; each keeps the first reason that it was given.
  void look(std::string_view text, const std::string& reason) {
    for (std::size_t at = 0; at < text.size();) {
      if (!is_in_names(text[at])) {
        ++at;
        continue;
      }
      std::size_t end = at;
      while (end < text.size() && is_in_names(text[end])) ++end;
      look_in_word(text.substr(at, end - at), reason);
      at = end;
    }
  }

  RunReferences found;

 private:
  // A line break before a name is \n in JSON, and the n of it reads as part of the word.
  void look_in_word(std::string_view word, const std::string& reason) {
    for (std::size_t at = 0; at < word.size(); ++at) {
      const bool begins = at == 0 || (is_digit(word[at]) && !is_digit(word[at - 1]));
      if (begins) take(word.substr(at), reason);
    }
  }

  // A full stop after a name may be that of the sentence.
  void take(std::string_view word, const std::string& reason) {
    if (names_.find(word) == names_.end()) {
      while (word.ends_with('.')) word.remove_suffix(1);
    }
    if (names_.find(word) != names_.end()) found.try_emplace(std::string(word), reason);
  }

  std::set<std::string, std::less<>> names_;
};

}  // namespace

Result<RunReferences> find_run_references(const std::vector<KeptRun>& runs,
                                          const std::string& journal) {
  ReferenceFinder finder(runs);
  ASSIGN_OR_RETURN(const bool has_one, has_journal(journal));
  if (has_one) {
    ASSIGN_OR_RETURN(const auto store, open_journal_to_read(journal));
    RETURN_IF_ERROR(store->read({}, [&](const JournalEntry& entry) {
      const std::string_view what = entry.attempt.empty() ? entry.id : entry.attempt;
      finder.look(entry.body,
                  entry.kind == BaselineEntry::kKind
                      ? std::string("a baseline refers to it")
                      : fmt::format("the journal refers to it, in {}", what.substr(0, 8)));
      return true;
    }));
  }
  ASSIGN_OR_RETURN(const auto waiting, kept_entry_texts());
  for (const std::string& text : waiting) {
    finder.look(text, "an entry that waits for the team's journal refers to it");
  }
  for (const KeptRun& play : runs) {
    if (!play.is_play) continue;
    // Of itself it speaks too, which is no reason.
    ReferenceFinder of_play(runs);
    of_play.look(read_piece(play.folder + "/play.json", 0, kMostReferringBytes),
                 fmt::format("the play {} refers to it", quote(play.name)));
    of_play.found.erase(play.name);
    finder.found.merge(of_play.found);
  }
  return std::move(finder.found);
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// A journal in memory, for tests of what is made of its entries.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "model/journal/attempt.h"
#include "model/journal/entries.h"
#include "model/measurement/decision.h"
#include "store/entries/entry_codec.h"
#include "store/entries/result_entries.h"

namespace proofline {

class JournalBuilder {
 public:
  explicit JournalBuilder(std::string chain = "c1") : chain_(std::move(chain)) {}

  // One minute after the last.
  JournalEntry& add(std::string id, std::string attempt, std::string kind, std::string body) {
    const std::size_t number = entries.size() + 1;
    return entries.emplace_back(
        JournalEntry{chain_, number, std::move(id), std::move(attempt), std::move(kind),
                     fmt::format("2026-11-15T{:02}:{:02}:00.000Z", number / 60, number % 60),
                     std::move(body), std::string(64, '0'), std::string(64, 'a')});
  }

  JournalEntry& add(std::string id, std::string attempt, const EntryContent& content) {
    NewEntry entry = new_entry(std::move(id), std::move(attempt), content);
    return add(std::move(entry.id), std::move(entry.attempt), std::move(entry.kind),
               std::move(entry.body));
  }

  JournalEntry& open(const std::string& id, std::string hypothesis, std::string kind = "",
                     std::optional<GainRange> expected = std::nullopt) {
    Intent intent;
    intent.hypothesis = std::move(hypothesis);
    intent.kind = std::move(kind);
    intent.expected = expected;
    return add(id, id, intent);
  }

  // Of B to A: 0.8 saves 20 %.
  JournalEntry& decide(const std::string& attempt, DecisionVerdict verdict, double ratio) {
    Decision decision;
    decision.verdict = verdict;
    decision.reason = "measured";
    decision.overall = RatioEstimate{ratio, ratio - 0.01, ratio + 0.01};
    decision.explanation = {"barrier share 41 % to 3 %"};
    return add(fmt::format("d{}", entries.size()), attempt, decision_entry(decision, "runs/1"));
  }

  std::vector<JournalEntry> entries;

 private:
  std::string chain_;
};

}  // namespace proofline

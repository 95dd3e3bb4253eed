// SPDX-License-Identifier: Apache-2.0
//
// Each entry of an attempt adds to what is known of it; what comes later overrules. What was
// closed stays so until somebody closes it anew.
#include "store/entries/attempts.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "store/entries/entry_codec.h"

namespace proofline {
namespace {

struct Told {
  std::string_view when;  // the latest time in its chain so far
  const JournalEntry* entry;
};

// Chains are merged by time. Within a chain the sequence holds, even where the clock was set back.
std::vector<Told> in_order(const std::vector<JournalEntry>& entries) {
  std::vector<Told> told;
  told.reserve(entries.size());
  for (const JournalEntry& entry : entries) told.push_back({{}, &entry});
  const auto place = [](const Told& one) {
    return std::tie(one.entry->chain, one.entry->sequence);
  };
  std::stable_sort(told.begin(), told.end(),
                   [&](const Told& a, const Told& b) { return place(a) < place(b); });
  const Told* before = nullptr;
  for (Told& one : told) {
    one.when = one.entry->written;
    if (before != nullptr && before->entry->chain == one.entry->chain) {
      one.when = std::max(one.when, before->when);
    }
    before = &one;
  }
  std::stable_sort(told.begin(), told.end(),
                   [](const Told& a, const Told& b) { return a.when < b.when; });
  return told;
}

// An attempt has the id of the entry that opened it, so it cannot be opened twice.
bool opens(const JournalEntry& entry) {
  return entry.kind == Intent::kKind && (entry.attempt.empty() || entry.attempt == entry.id);
}

class Teller {
 public:
  Teller(const JournalEntry& entry, Attempt& attempt) : entry_(entry), attempt_(attempt) {}

  void operator()(Intent& intent) {
    if (!opens(entry_)) return;
    static_cast<Intent&>(attempt_) = std::move(intent);
    attempt_.opened = entry_.written;
  }

  void operator()(CorrectnessEntry& entry) {
    add_run(entry.run);
    if (is_closed()) return;
    const auto failed = std::find_if(entry.gates.begin(), entry.gates.end(), [](const Gate& gate) {
      return gate.state == GateState::kFailed;
    });
    const bool none = failed == entry.gates.end();
    attempt_.state = none ? AttemptState::kOpen : AttemptState::kFailed;
    attempt_.reason = none ? "" : failed->name + ": " + failed->detail;
  }

  void operator()(ProfileEntry& entry) {
    add_run(entry.run);
    explain(entry.explanation);
  }

  void operator()(DecisionEntry& entry) {
    add_run(entry.run);
    explain(entry.explanation);
    if (is_closed() || !entry.verdict) return;
    attempt_.state = state_after(*entry.verdict);
    attempt_.reason = std::move(entry.reason);
    attempt_.realised_gain.reset();
    attempt_.realised.reset();
    if (!entry.overall || *entry.verdict == DecisionVerdict::kInvalid) return;
    const RecordedRatio& overall = *entry.overall;
    if (overall.ratio) attempt_.realised_gain = 1 - *overall.ratio;
    // The longest time is the lowest gain.
    if (overall.low && overall.high) {
      attempt_.realised = GainRange{1 - *overall.high, 1 - *overall.low};
    }
  }

  void operator()(CloseEntry& entry) {
    if (!entry.state || *entry.state == AttemptState::kOpen) return;
    attempt_.state = *entry.state;
    attempt_.closed = entry_.written;
    if (!entry.reason.empty()) attempt_.reason = std::move(entry.reason);
  }

  void operator()(BenchmarkEntry& entry) { add_run(entry.run); }
  void operator()(UnknownEntry& entry) { add_run(entry.run); }
  void operator()(const AcceptanceEntry& /*entry*/) {}
  void operator()(const BaselineEntry& /*entry*/) {}
  void operator()(const NoteEntry& /*entry*/) {}
  void operator()(const MissedEntry& /*entry*/) {}

 private:
  bool is_closed() const { return !attempt_.closed.empty(); }

  void add_run(std::string& run) {
    std::vector<std::string>& runs = attempt_.runs;
    if (run.empty() || std::find(runs.begin(), runs.end(), run) != runs.end()) return;
    runs.push_back(std::move(run));
  }

  void explain(std::vector<std::string>& explanation) {
    if (!explanation.empty()) attempt_.explanation = std::move(explanation);
  }

  const JournalEntry& entry_;
  Attempt& attempt_;
};

void tell(const JournalEntry& entry, Attempt& attempt) {
  attempt.entries.push_back(entry);
  if (auto content = decode_entry(entry)) std::visit(Teller(entry, attempt), *content);
}

// What a program that failed printed, and where it is kept, may follow; it stays in the entry.
void keep_first_line(std::string& text) { text.erase(std::min(text.find('\n'), text.size())); }

}  // namespace

AttemptState state_after(DecisionVerdict verdict) {
  switch (verdict) {
    case DecisionVerdict::kKeep: return AttemptState::kKept;
    case DecisionVerdict::kRevert: return AttemptState::kReverted;
    case DecisionVerdict::kInconclusive: return AttemptState::kInconclusive;
    case DecisionVerdict::kNoDifference: return AttemptState::kNoDifference;
    case DecisionVerdict::kInvalid: break;
  }
  return AttemptState::kInvalid;
}

std::vector<Attempt> attempts_of(const std::vector<JournalEntry>& entries) {
  std::vector<Attempt> attempts;
  std::unordered_map<std::string_view, std::size_t> position;
  for (const Told& told : in_order(entries)) {
    const std::string& id = opens(*told.entry) ? told.entry->id : told.entry->attempt;
    if (id.empty()) continue;
    const auto [found, is_new] = position.try_emplace(id, attempts.size());
    if (is_new) attempts.emplace_back().id = id;
    tell(*told.entry, attempts[found->second]);
  }
  for (Attempt& attempt : attempts) keep_first_line(attempt.reason);
  return attempts;
}

std::vector<Remark> remarks_of(const std::vector<JournalEntry>& entries) {
  std::vector<Remark> remarks;
  for (const JournalEntry& entry : entries) {
    if (entry.kind != NoteEntry::kKind || !entry.attempt.empty()) continue;
    remarks.push_back(
        {entry.written, decode_entry_as<NoteEntry>(entry).value_or(NoteEntry{}).text});
  }
  return remarks;
}

}  // namespace proofline

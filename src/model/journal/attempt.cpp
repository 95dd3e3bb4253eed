// SPDX-License-Identifier: Apache-2.0
//
// Each entry of an attempt adds to what is known of it; what comes later overrules. What was
// closed stays so until somebody closes it anew.
#include "model/journal/attempt.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "model/journal/attempt_states.h"
#include "model/journal/entry_json.h"

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

// An attempt is called as the entry that opened it; nobody can open it a second time.
bool opens(const JournalEntry& entry) {
  return entry.kind == "open" && (entry.attempt.empty() || entry.attempt == entry.id);
}

std::optional<GainRange> range_of(std::optional<double> low, std::optional<double> high) {
  if (!low || !high) return std::nullopt;
  return GainRange{*low, *high};
}

void take_open(const rapidjson::Value& body, const JournalEntry& entry, Attempt& attempt) {
  attempt.opened = entry.written;
  attempt.hypothesis = body_text(body, "hypothesis");
  attempt.kind = body_text(body, "kind");
  if (const rapidjson::Value* expected = body_member(body, "expected")) {
    attempt.expected = range_of(body_number(*expected, "low"), body_number(*expected, "high"));
  }
  attempt.risk = body_text(body, "risk");
  attempt.commit = body_text(body, "commit");
  attempt.diff_stat = body_text(body, "diff_stat");
  attempt.commands = body_texts(body, "commands");
}

void take_gates(const rapidjson::Value& body, Attempt& attempt) {
  attempt.state = AttemptState::kOpen;
  attempt.reason.clear();
  for (const rapidjson::Value* gate : body_objects(body, "gates")) {
    if (body_text(*gate, "state") != "failed") continue;
    attempt.state = AttemptState::kFailed;
    attempt.reason = body_text(*gate, "name") + ": " + body_text(*gate, "detail");
    return;
  }
}

void take_decision(const rapidjson::Value& body, Attempt& attempt) {
  constexpr std::pair<std::string_view, AttemptState> kVerdicts[] = {
      {"KEEP", AttemptState::kKept},
      {"REVERT", AttemptState::kReverted},
      {"INCONCLUSIVE", AttemptState::kInconclusive},
      {"INVALID", AttemptState::kInvalid}};
  const std::string verdict = body_text(body, "verdict");
  const auto* known = std::find_if(std::begin(kVerdicts), std::end(kVerdicts),
                                   [&](const auto& one) { return one.first == verdict; });
  if (known == std::end(kVerdicts)) return;
  attempt.state = known->second;
  attempt.reason = body_text(body, "reason");
  attempt.realised_gain.reset();
  attempt.realised.reset();
  const rapidjson::Value* overall = body_member(body, "overall");
  if (overall == nullptr || attempt.state == AttemptState::kInvalid) return;
  const auto gain = [&](std::string_view name) -> std::optional<double> {
    const auto ratio = body_number(*overall, name);
    return ratio ? std::optional(1 - *ratio) : std::nullopt;
  };
  attempt.realised_gain = gain("ratio");
  // The longest time is the lowest gain.
  attempt.realised = range_of(gain("high"), gain("low"));
}

void take_close(const rapidjson::Value& body, const JournalEntry& entry, Attempt& attempt) {
  const std::string name = body_text(body, "state");
  const auto* state = std::find_if(kAttemptStates.begin(), kAttemptStates.end(),
                                   [&](AttemptState one) { return to_string(one) == name; });
  if (state == kAttemptStates.end() || *state == AttemptState::kOpen) return;
  attempt.state = *state;
  attempt.closed = entry.written;
  if (std::string reason = body_text(body, "reason"); !reason.empty()) {
    attempt.reason = std::move(reason);
  }
}

// What a program that failed printed, and where it is kept, may follow; it stays in the entry.
void keep_first_line(std::string& text) { text.erase(std::min(text.find('\n'), text.size())); }

void take(const JournalEntry& entry, Attempt& attempt) {
  attempt.entries.push_back(entry);
  const rapidjson::Document body = parse_entry_body(entry.body);
  if (body.IsNull()) return;
  if (opens(entry)) return take_open(body, entry, attempt);
  if (entry.kind == "close") return take_close(body, entry, attempt);
  if (std::string run = body_text(body, "run");
      !run.empty() &&
      std::find(attempt.runs.begin(), attempt.runs.end(), run) == attempt.runs.end()) {
    attempt.runs.push_back(std::move(run));
  }
  if (entry.kind == "profile" || entry.kind == "decision") {
    if (auto explanation = body_texts(body, "explanation"); !explanation.empty()) {
      attempt.explanation = std::move(explanation);
    }
  }
  if (!attempt.closed.empty()) return;
  if (entry.kind == "correctness") take_gates(body, attempt);
  if (entry.kind == "decision") take_decision(body, attempt);
}

constexpr std::string_view kOtherKinds = "other";

void count(const Attempt& attempt, Calibration& calibration) {
  // A single number stands for what rounds to it in whole per cent.
  constexpr double kHalfPerCent = 0.005;
  const GainRange& expected = *attempt.expected;
  const double slack = expected.low == expected.high ? kHalfPerCent : 0;
  const double gain = *attempt.realised_gain;
  const auto n = static_cast<double>(++calibration.attempts);
  if (gain < expected.low - slack) {
    ++calibration.below;
  } else if (gain > expected.high + slack) {
    ++calibration.above;
  } else {
    ++calibration.within;
  }
  calibration.expected_mean += ((expected.low + expected.high) / 2 - calibration.expected_mean) / n;
  calibration.realised_mean += (gain - calibration.realised_mean) / n;
}

}  // namespace

std::string_view to_string(AttemptState state) {
  switch (state) {
    case AttemptState::kOpen: return "open";
    case AttemptState::kKept: return "kept";
    case AttemptState::kReverted: return "reverted";
    case AttemptState::kInconclusive: return "inconclusive";
    case AttemptState::kInvalid: return "invalid";
    case AttemptState::kFailed: return "failed";
    case AttemptState::kAbandoned: return "abandoned";
  }
  return "";
}

std::vector<Attempt> attempts_of(const std::vector<JournalEntry>& entries) {
  std::vector<Attempt> attempts;
  std::unordered_map<std::string_view, std::size_t> position;
  for (const Told& told : in_order(entries)) {
    const std::string& id = opens(*told.entry) ? told.entry->id : told.entry->attempt;
    if (id.empty()) continue;
    const auto [found, is_new] = position.try_emplace(id, attempts.size());
    if (is_new) attempts.emplace_back().id = id;
    take(*told.entry, attempts[found->second]);
  }
  for (Attempt& attempt : attempts) keep_first_line(attempt.reason);
  return attempts;
}

std::vector<Calibration> calibrations_of(const std::vector<Attempt>& attempts) {
  std::vector<const Attempt*> counted;
  std::map<std::string_view, std::size_t> of_kind;
  for (const Attempt& attempt : attempts) {
    if (!attempt.expected || !attempt.realised_gain) continue;
    counted.push_back(&attempt);
    ++of_kind[attempt.kind];
  }
  if (counted.empty()) return {};
  Calibration all;
  Calibration other;
  other.kind = kOtherKinds;
  std::map<std::string_view, Calibration> kinds;
  for (const Attempt* attempt : counted) {
    count(*attempt, all);
    const bool own_row = !attempt->kind.empty() && attempt->kind != kOtherKinds &&
                         of_kind[attempt->kind] >= kFewestOfAKind;
    count(*attempt, own_row ? kinds[attempt->kind] : other);
  }
  all.small_kinds =
      static_cast<std::size_t>(std::count_if(of_kind.begin(), of_kind.end(), [](const auto& one) {
        return !one.first.empty() && one.first != kOtherKinds && one.second < kFewestOfAKind;
      }));
  std::vector<Calibration> result{all};
  for (auto& [kind, calibration] : kinds) {
    calibration.kind = kind;
    result.push_back(calibration);
  }
  // Without a kind of its own it would say again what all of them say.
  if (other.attempts > 0 && !kinds.empty()) result.push_back(other);
  return result;
}

}  // namespace proofline

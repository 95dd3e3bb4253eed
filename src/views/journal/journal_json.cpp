// SPDX-License-Identifier: Apache-2.0
#include "views/journal/journal_json.h"

#include <optional>

#include "views/json_parts.h"

namespace proofline {
namespace {

void begin_result(std::string_view result, std::string_view where, JsonWriter& json) {
  json.begin_object();
  write_tool(json);
  json.member("result", result);
  json.member("journal", where);
}

void write_range(const GainRange& range, JsonWriter& json) {
  json.member("low", range.low);
  json.member("high", range.high);
}

void write_expected(const std::optional<GainRange>& expected, JsonWriter& json) {
  json.key("expected");
  if (!expected) return json.null();
  json.begin_object();
  write_range(*expected, json);
  json.end_object();
}

void write_realised(const Attempt& attempt, JsonWriter& json) {
  json.key("realised");
  if (!attempt.realised_gain) return json.null();
  json.begin_object();
  json.member("gain", *attempt.realised_gain);
  const auto& range = attempt.realised;
  json.member("low", range ? std::optional(range->low) : std::nullopt);
  json.member("high", range ? std::optional(range->high) : std::nullopt);
  json.end_object();
}

void write_entry_members(const JournalEntry& entry, JsonWriter& json) {
  json.member("id", entry.id);
  json.member("attempt", entry.attempt);
  json.member("kind", entry.kind);
  json.member("written", entry.written);
  json.member("chain", entry.chain);
  json.member("sequence", entry.sequence);
}

// The body is a text, as it was hashed.
void write_entry(const JournalEntry& entry, JsonWriter& json) {
  json.begin_object();
  write_entry_members(entry, json);
  json.member("body", entry.body);
  json.member("previous", entry.previous);
  json.member("hash", entry.hash);
  json.end_object();
}

void write_attempt(const Attempt& attempt, bool entries, JsonWriter& json) {
  json.begin_object();
  json.member("id", attempt.id);
  json.member("opened", attempt.opened);
  json.member("closed", attempt.closed);
  json.member("hypothesis", attempt.hypothesis);
  json.member("kind", attempt.kind);
  write_expected(attempt.expected, json);
  write_realised(attempt, json);
  json.member("state", to_string(attempt.state));
  json.member("reason", attempt.reason);
  json.member("risk", attempt.risk);
  json.member("commit", attempt.commit);
  json.member("diff_stat", attempt.diff_stat);
  texts_member(json, "commands", attempt.commands);
  texts_member(json, "explanation", attempt.explanation);
  texts_member(json, "runs", attempt.runs);
  if (entries) {
    json.array("entries", attempt.entries,
               [&](const JournalEntry& entry) { write_entry(entry, json); });
  }
  json.end_object();
}

void write_calibration(const Calibration& one, JsonWriter& json) {
  json.begin_object();
  json.member("kind", one.kind);
  json.member("attempts", std::uint64_t{one.attempts});
  json.member("below", std::uint64_t{one.below});
  json.member("within", std::uint64_t{one.within});
  json.member("above", std::uint64_t{one.above});
  json.member("expected_mean", one.expected_mean);
  json.member("realised_mean", one.realised_mean);
  json.end_object();
}

void write_baseline(const Baseline& baseline, JsonWriter& json) {
  json.begin_object();
  json.member("name", baseline.name);
  json.member("path", baseline.path);
  json.member("side", baseline.side);
  json.member("sha256", baseline.sha256);
  json.member("set", baseline.set);
  json.member("gpu", baseline.gpu);
  json.objects("measurements", baseline.measurements, [&](const RecordedMeasurement& one) {
    json.member("configuration", one.configuration);
    json.member("state", one.state);
    json.member("median_ns", one.median_ns);
    json.member("low_ns", one.low_ns);
    json.member("high_ns", one.high_ns);
    json.member("samples", one.samples);
  });
  json.end_object();
}

}  // namespace

void write_journal_json(const JournalReading& reading, bool entries, JsonWriter& json) {
  begin_result("journal", reading.where, json);
  write_notes(reading.notes, json);
  json.array("attempts", reading.attempts,
             [&](const Attempt& attempt) { write_attempt(attempt, entries, json); });
  json.array("calibration", reading.calibrations,
             [&](const Calibration& one) { write_calibration(one, json); });
  json.objects("remarks", reading.remarks, [&](const Remark& one) {
    json.member("written", one.written);
    json.member("text", one.text);
  });
  json.end_object();
}

void write_baselines_json(std::string_view where, const std::vector<Baseline>& baselines,
                          const std::vector<Note>& notes, JsonWriter& json) {
  begin_result("journal-baselines", where, json);
  write_notes(notes, json);
  json.array("baselines", baselines,
             [&](const Baseline& baseline) { write_baseline(baseline, json); });
  json.end_object();
}

void write_verification_json(std::string_view where, const Verification& verification,
                             JsonWriter& json) {
  begin_result("journal-verification", where, json);
  json.member("whole", verification.breaks.empty());
  json.member("entries", verification.entries);
  json.member("chains", verification.chains);
  json.objects("breaks", verification.breaks, [&](const ChainBreak& one) {
    json.member("chain", one.chain);
    json.member("sequence", one.sequence);
    json.member("what", one.what);
  });
  json.end_object();
}

void write_written_json(std::string_view where, const JournalEntry& entry, JsonWriter& json) {
  begin_result("journal-entry", where, json);
  write_entry_members(entry, json);
  json.end_object();
}

void write_sync_json(const JournalSync& sync, JsonWriter& json) {
  begin_result("journal-sync", sync.to, json);
  json.member("from", sync.from);
  json.member("entries", sync.entries);
  json.member("adopted", sync.adopted);
  json.end_object();
}

}  // namespace proofline

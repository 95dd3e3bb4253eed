// SPDX-License-Identifier: Apache-2.0
//
// The descriptions below are the format of stored entries. Members are added at the end alone, and
// those of GainRange, Gate and RecordedMeasurement too: stored bytes are hashed.
#include "store/entries/entry_codec.h"

#include "base/json_object.h"
#include "base/record_json.h"
#include "base/record_reader.h"

namespace proofline {

Record describe(const GainRange* /*type*/) {
  return {
      about("gain_range"),
      member<&GainRange::low>("low").required(),
      member<&GainRange::high>("high").required(),
  };
}

Record describe(const AttemptItem* /*type*/) {
  return {
      about("attempt_item"),
      member<&AttemptItem::playbook>("playbook"),
      member<&AttemptItem::id>("id"),
      member<&AttemptItem::kernel>("kernel"),
      member<&AttemptItem::gpu>("gpu"),
      member<&AttemptItem::cc>("cc"),
      member<&AttemptItem::answers>("answers"),
      member<&AttemptItem::play>("play"),
  };
}

Record describe(const Intent* /*type*/) {
  return {
      about("intent"),
      member<&Intent::hypothesis>("hypothesis"),
      member<&Intent::kind>("kind"),
      member<&Intent::expected>("expected"),
      member<&Intent::risk>("risk"),
      member<&Intent::commit>("commit"),
      member<&Intent::diff_stat>("diff_stat"),
      member<&Intent::commands>("commands").redacted(),
      member<&Intent::item>("item").if_there(),
  };
}

Record describe(const CorrectnessEntry* /*type*/) {
  return {
      about("correctness_entry"),
      member<&CorrectnessEntry::gates>("gates"),
      member<&CorrectnessEntry::run>("run"),
  };
}

Record describe(const RecordedMeasurement* /*type*/) {
  return {
      about("recorded_measurement"),
      member<&RecordedMeasurement::configuration>("configuration"),
      member<&RecordedMeasurement::state>("state"),
      member<&RecordedMeasurement::reason>("reason"),
      member<&RecordedMeasurement::correctness>("correctness"),
      member<&RecordedMeasurement::max_abs_error>("max_abs_error"),
      member<&RecordedMeasurement::max_rel_error>("max_rel_error"),
      member<&RecordedMeasurement::median_ns>("median_ns"),
      member<&RecordedMeasurement::low_ns>("low_ns"),
      member<&RecordedMeasurement::high_ns>("high_ns"),
      member<&RecordedMeasurement::samples>("samples"),
      member<&RecordedMeasurement::throttled>("throttled"),
      member<&RecordedMeasurement::throttled_only>("throttled_only"),
  };
}

Record describe(const RecordedSide* /*type*/) {
  return {
      about("recorded_side"),
      member<&RecordedSide::label>("label"),
      member<&RecordedSide::command>("command").redacted(),
      member<&RecordedSide::gpu>("gpu"),
      member<&RecordedSide::driver>("driver"),
      member<&RecordedSide::locked_sm_mhz>("locked_sm_mhz"),
      member<&RecordedSide::measurements>("measurements"),
  };
}

Record describe(const BenchmarkEntry* /*type*/) {
  return {
      about("benchmark_entry"),
      member<&BenchmarkEntry::interleaved>("interleaved"),
      member<&BenchmarkEntry::sides>("sides"),
      member<&BenchmarkEntry::run>("run"),
  };
}

Record describe(const ProfileEntry* /*type*/) {
  return {
      about("profile_entry"),
      member<&ProfileEntry::explanation>("explanation"),
      member<&ProfileEntry::run>("run"),
  };
}

Record describe(const AcceptanceEntry* /*type*/) {
  return {
      about("acceptance_entry"),
      member<&AcceptanceEntry::state>("state"),
      member<&AcceptanceEntry::text>("text"),
  };
}

Record describe(const RecordedRatio* /*type*/) {
  return {
      about("recorded_ratio"),
      member<&RecordedRatio::ratio>("ratio"),
      member<&RecordedRatio::low>("low"),
      member<&RecordedRatio::high>("high"),
  };
}

Record describe(const RecordedChange* /*type*/) {
  return {
      about("recorded_change"),
      member<&RecordedChange::configuration>("configuration"),
      member<&RecordedChange::change>("change"),
      member<&RecordedChange::a_ns>("a_ns"),
      member<&RecordedChange::b_ns>("b_ns"),
      member<&RecordedChange::time>("time"),
      member<&RecordedChange::cycles>("cycles"),
      member<&RecordedChange::pairs>("pairs"),
      member<&RecordedChange::throttled>("throttled"),
      member<&RecordedChange::flags>("flags"),
  };
}

Record describe(const DecisionEntry* /*type*/) {
  return {
      about("decision_entry"),
      member<&DecisionEntry::verdict>("verdict"),
      member<&DecisionEntry::reason>("reason"),
      member<&DecisionEntry::a>("a"),
      member<&DecisionEntry::a_label>("a_label").redacted(),
      member<&DecisionEntry::b>("b"),
      member<&DecisionEntry::b_label>("b_label").redacted(),
      member<&DecisionEntry::confidence>("confidence"),
      member<&DecisionEntry::threshold>("threshold"),
      member<&DecisionEntry::overall>("overall"),
      member<&DecisionEntry::gates>("gates"),
      member<&DecisionEntry::configurations>("configurations"),
      member<&DecisionEntry::unmatched>("unmatched"),
      member<&DecisionEntry::explanation>("explanation"),
      member<&DecisionEntry::next>("next"),
      member<&DecisionEntry::run>("run"),
  };
}

Record describe(const CloseEntry* /*type*/) {
  return {
      about("close_entry"),
      member<&CloseEntry::state>("state"),
      member<&CloseEntry::reason>("reason"),
  };
}

Record describe(const BaselineEntry* /*type*/) {
  return {
      about("baseline_entry"),
      member<&BaselineEntry::name>("name"),
      member<&BaselineEntry::path>("path"),
      member<&BaselineEntry::side>("side"),
      member<&BaselineEntry::sha256>("sha256"),
      member<&BaselineEntry::interleaved>("interleaved"),
      member<&BaselineEntry::sides>("sides"),
  };
}

Record describe(const NoteEntry* /*type*/) {
  return {
      about("note_entry"),
      member<&NoteEntry::text>("text"),
  };
}

Record describe(const MissedEntry* /*type*/) {
  return {
      about("missed_entry"),
      member<&MissedEntry::chain>("chain"),
      member<&MissedEntry::sequence>("sequence"),
      member<&MissedEntry::hash>("hash"),
  };
}

Record describe(const UnknownEntry* /*type*/) {
  return {
      about("unknown_entry"),
      member<&UnknownEntry::run>("run"),
  };
}

namespace {

// Makes the content be of this kind where it has the name.
template <class... Entry>
void become(std::string_view kind, std::variant<Entry...>& content) {
  (void)((Entry::kKind == kind && (content.template emplace<Entry>(), true)) || ...);
}

}  // namespace

std::string encode_entry(const EntryContent& content) {
  return json_text([&](JsonWriter& json) {
    std::visit([&](const auto& entry) { write_record(entry, json); }, content);
  });
}

NewEntry new_entry(std::string id, std::string attempt, const EntryContent& content) {
  const auto kind = std::visit([](const auto& entry) { return entry.kKind; }, content);
  return {std::move(id), std::move(attempt), std::string(kind), encode_entry(content)};
}

std::optional<EntryContent> decode_entry(const JournalEntry& entry) {
  const rapidjson::Document body = parse_json_object(entry.body);
  if (body.IsNull()) return std::nullopt;
  EntryContent content = UnknownEntry{};
  become(entry.kind, content);
  std::visit([&](auto& of_its_kind) { read_record(body, of_its_kind); }, content);
  return content;
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "model/journal/baseline.h"

#include <map>
#include <utility>

#include "model/journal/entry_json.h"

namespace proofline {
namespace {

std::uint64_t count_of(const rapidjson::Value& object, std::string_view name) {
  const rapidjson::Value* value = body_member(object, name);
  return value != nullptr && value->IsUint64() ? value->GetUint64() : 0;
}

bool is_true(const rapidjson::Value& object, std::string_view name) {
  const rapidjson::Value* member = body_member(object, name);
  return member != nullptr && member->IsTrue();
}

Baseline baseline_of(const JournalEntry& entry) {
  const rapidjson::Document body = parse_entry_body(entry.body);
  Baseline baseline;
  baseline.name = body_text(body, "name");
  baseline.path = body_text(body, "path");
  baseline.side = body_text(body, "side");
  baseline.sha256 = body_text(body, "sha256");
  baseline.set = entry.written;
  const auto sides = body_objects(body, "sides");
  for (const rapidjson::Value* side : sides) {
    if (baseline.gpu.empty()) baseline.gpu = body_text(*side, "gpu");
    for (const rapidjson::Value* one : body_objects(*side, "measurements")) {
      std::string configuration = sides.size() > 1 ? body_text(*side, "label").append(" ") : "";
      configuration += body_text(*one, "configuration");
      baseline.measurements.push_back({std::move(configuration), body_text(*one, "state"),
                                       body_number(*one, "median_ns"), body_number(*one, "low_ns"),
                                       body_number(*one, "high_ns"), count_of(*one, "samples"),
                                       is_true(*one, "throttled_only")});
    }
  }
  return baseline;
}

// Within a chain the sequence holds, even where the clock was set back.
bool is_later(const JournalEntry& entry, const JournalEntry& known) {
  if (entry.chain == known.chain) return entry.sequence > known.sequence;
  return entry.written >= known.written;
}

}  // namespace

std::vector<Baseline> baselines_of(const std::vector<JournalEntry>& entries) {
  struct Set {
    const JournalEntry* entry = nullptr;
    Baseline baseline;
  };
  std::map<std::string, Set> latest;
  for (const JournalEntry& entry : entries) {
    if (entry.kind != "baseline") continue;
    Baseline baseline = baseline_of(entry);
    if (baseline.name.empty()) continue;
    Set& known = latest[baseline.name];
    if (known.entry == nullptr || is_later(entry, *known.entry)) {
      known = {&entry, std::move(baseline)};
    }
  }
  std::vector<Baseline> baselines;
  baselines.reserve(latest.size());
  for (auto& [name, set] : latest) baselines.push_back(std::move(set.baseline));
  return baselines;
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "store/entries/attempts.h"
#include "store/entries/entry_codec.h"

namespace proofline {
namespace {

Baseline baseline_of(BaselineEntry entry, std::string set) {
  Baseline baseline;
  baseline.name = std::move(entry.name);
  baseline.path = std::move(entry.path);
  baseline.side = std::move(entry.side);
  baseline.sha256 = std::move(entry.sha256);
  baseline.set = std::move(set);
  for (RecordedSide& side : entry.sides) {
    if (baseline.gpu.empty()) baseline.gpu = std::move(side.gpu);
    for (RecordedMeasurement& one : side.measurements) {
      if (entry.sides.size() > 1) one.configuration.insert(0, side.label + " ");
      baseline.measurements.push_back(std::move(one));
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
    auto baseline = decode_entry_as<BaselineEntry>(entry);
    if (!baseline || baseline->name.empty()) continue;
    Set& known = latest[baseline->name];
    if (known.entry == nullptr || is_later(entry, *known.entry)) {
      known = {&entry, baseline_of(std::move(*baseline), entry.written)};
    }
  }
  std::vector<Baseline> baselines;
  baselines.reserve(latest.size());
  for (auto& [name, set] : latest) baselines.push_back(std::move(set.baseline));
  return baselines;
}

}  // namespace proofline

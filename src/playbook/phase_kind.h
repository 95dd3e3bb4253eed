// SPDX-License-Identifier: Apache-2.0
//
// The kinds of phases that a playbook may have: their names and keys, as the reader, lint, `list
// phases` and the schema need them. What a kind does is src/workflow/run/phases/<name>_phase.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

namespace proofline {

enum class PhaseKind : std::uint8_t {
  kPreflight,
  kBuild,
  kWarm,
  kCorrectness,
  kSanitize,
  kBench,
  kPlot,
  kTimeline,
  kProfile,
  kSass,
  kDiagnose,
  kCheck,
  kChoose,
  kTry,
  kReport,
};

struct PhaseKey {
  enum class Type : std::uint8_t { kText, kTexts, kNumber, kLogic };

  std::string_view name;
  Type type;
};

struct PhaseKindInfo {
  PhaseKind kind;
  std::string_view name;
  // False: a part of the judgement, which follows by itself when all that measures is done.
  bool measures;
  std::string_view help;  // one line for `list phases`
  PhaseKey own_keys[8];   // besides those that all phases have; those in use come first

  constexpr std::span<const PhaseKey> keys() const {
    const auto* end = std::find_if(std::begin(own_keys), std::end(own_keys),
                                   [](const PhaseKey& key) { return key.name.empty(); });
    return {own_keys, static_cast<std::size_t>(end - own_keys)};
  }
};

// In the order of the enumerators.
inline constexpr PhaseKindInfo kPhaseKinds[] = {
    {PhaseKind::kPreflight, "preflight", true, "examine tools, GPU, clocks and permissions", {}},
    {PhaseKind::kBuild, "build", true, "run the build command", {}},
    {PhaseKind::kWarm, "warm", true, "run the program once, untimed", {}},
    {PhaseKind::kCorrectness,
     "correctness",
     true,
     "run the check command; a failure ends the run",
     {}},
    {PhaseKind::kSanitize,
     "sanitize",
     true,
     "run compute-sanitizer; a finding ends the run",
     {{"tools", PhaseKey::Type::kTexts}}},
    {PhaseKind::kBench,
     "bench",
     true,
     "time the program",
     {{"starts", PhaseKey::Type::kNumber},
      {"warm_up", PhaseKey::Type::kNumber},
      {"time_by", PhaseKey::Type::kText}}},
    {PhaseKind::kPlot, "plot", true, "draw the benchmarks so far", {}},
    {PhaseKind::kTimeline,
     "timeline",
     true,
     "record a timeline",
     {{"delay", PhaseKey::Type::kNumber}, {"duration", PhaseKey::Type::kNumber}}},
    {PhaseKind::kProfile,
     "profile",
     true,
     "collect counters of each kernel with ncu",
     {{"preset", PhaseKey::Type::kText},
      {"sections", PhaseKey::Type::kTexts},
      {"metrics", PhaseKey::Type::kTexts},
      {"clock", PhaseKey::Type::kText},
      {"cache", PhaseKey::Type::kText},
      {"replay", PhaseKey::Type::kText},
      {"skip", PhaseKey::Type::kNumber},
      {"count", PhaseKey::Type::kNumber}}},
    {PhaseKind::kSass,
     "sass",
     true,
     "write down the machine code of the profiles so far",
     {{"cfg", PhaseKey::Type::kLogic}, {"listing", PhaseKey::Type::kLogic}}},
    {PhaseKind::kDiagnose, "diagnose", true, "diagnose the profiles so far", {}},
    {PhaseKind::kCheck, "check", false, "judge every check over the evidence", {}},
    {PhaseKind::kChoose, "choose", false, "choose the next task, where `when` holds", {}},
    {PhaseKind::kTry, "try", false, "try the change", {}},
    {PhaseKind::kReport, "report", false, "write the deliverables", {}},
};

constexpr const PhaseKindInfo& info_of(PhaseKind kind) {
  return kPhaseKinds[static_cast<std::size_t>(kind)];
}
// Empty after the last kind, by which a reader of names knows the end of them.
constexpr std::string_view to_string(PhaseKind kind) {
  return static_cast<std::size_t>(kind) < std::size(kPhaseKinds) ? info_of(kind).name
                                                                 : std::string_view();
}

// Null where no kind has this name.
constexpr const PhaseKindInfo* find_phase_kind(std::string_view name) {
  const auto* found = std::find_if(std::begin(kPhaseKinds), std::end(kPhaseKinds),
                                   [&](const PhaseKindInfo& one) { return one.name == name; });
  return found == std::end(kPhaseKinds) ? nullptr : found;
}

inline constexpr std::size_t kMeasuringPhases =
    static_cast<std::size_t>(std::count_if(std::begin(kPhaseKinds), std::end(kPhaseKinds),
                                           [](const PhaseKindInfo& one) { return one.measures; }));

static_assert(std::all_of(std::begin(kPhaseKinds), std::end(kPhaseKinds),
                          [](const PhaseKindInfo& one) { return &info_of(one.kind) == &one; }) &&
                  info_of(PhaseKind::kReport).kind == PhaseKind::kReport,
              "each kind has its row, in the order of the enumerators");

}  // namespace proofline

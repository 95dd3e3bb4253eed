// SPDX-License-Identifier: Apache-2.0
//
// Every fact that an expression may speak of, of any kind published by: the analyses of a
// launch, the diagnosis, benchmarks, logs, ceilings, the hardware, and what the user tells.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/diagnosis/fact_info.h"
#include "playbook/dimension.h"

namespace proofline {

enum class ValueType : std::uint8_t { kLogic, kText, kNumber };
std::string_view to_string(ValueType type);  // "a text"

// What the value of an expression will be, known before any file is read.
struct ValueKind {
  ValueType type = ValueType::kNumber;
  Dimension dimension;  // of a number
  bool share = false;   // likewise
  bool any = false;     // only the evidence will tell, so everything fits

  static constexpr ValueKind logic() { return {ValueType::kLogic, {}, false, false}; }
  static constexpr ValueKind text() { return {ValueType::kText, {}, false, false}; }
  static constexpr ValueKind unknown() { return {ValueType::kNumber, {}, false, true}; }
  static constexpr ValueKind number(const UnitScale& unit) {
    return {ValueType::kNumber, unit.dimension, unit.share, false};
  }
};

struct CatalogueFact : FactInfo {
  std::string_view source;  // the group that publishes it: "occupancy", "benchmark"
  bool of_kernel = true;    // one for each kernel, not one for all the evidence
};

std::span<const CatalogueFact> fact_catalogue();
const CatalogueFact* find_catalogue_fact(std::string_view name);

// Of a fact or a metric; nothing where no such name is known.
std::optional<ValueKind> kind_of_fact(std::string_view name);

// Known names that look most like this one, best first.
std::vector<std::string> facts_near(std::string_view name);

}  // namespace proofline

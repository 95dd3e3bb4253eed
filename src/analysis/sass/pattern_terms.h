// SPDX-License-Identifier: Apache-2.0
//
// The values that a pattern can ask for: what they are called, what their bounds are written in,
// and where they can be measured.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "analysis/sass/pattern.h"

namespace proofline {

// What bounds of a value may be written in, besides plain numbers.
enum class TermUnit : std::uint8_t { kNumber, kBytes, kShare, kRatio };

// Where a value can be measured.
enum class TermReach : std::uint8_t { kAnywhere, kNotAfter, kLoops, kRoles, kFunction };

struct TermName {
  std::string_view name;
  ValueClaim::Term::Measure measure;
  bool selects;  // "(" selector ")" follows
  TermUnit unit = TermUnit::kNumber;
  TermReach reach = TermReach::kAnywhere;
};

std::span<const TermName> term_names();
const TermName& name_of(const ValueClaim::Term& term);

}  // namespace proofline

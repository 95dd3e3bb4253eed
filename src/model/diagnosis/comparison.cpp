// SPDX-License-Identifier: Apache-2.0
//
// Names of the enums of a comparison.
#include "model/diagnosis/comparison.h"

#include "base/record.h"

namespace proofline {

std::string_view to_string(MatchKind kind) {
  switch (kind) {
    case MatchKind::kExact: return "exact";
    case MatchKind::kName: return "name";
    case MatchKind::kNormalised: return "normalised-name";
    case MatchKind::kFunction: return "function";
    case MatchKind::kForced: return "forced";
    case MatchKind::kChosen: return "chosen";
    case MatchKind::kWork: return "work";
  }
  return "";
}

std::string_view to_string(SpreadVerdict verdict) {
  switch (verdict) {
    case SpreadVerdict::kUnknown: return "unknown";
    case SpreadVerdict::kWithin: return "within";
    case SpreadVerdict::kOutside: return "outside";
  }
  return "";
}

std::string_view to_string(FindingStatus status) {
  switch (status) {
    case FindingStatus::kGone: return "gone";
    case FindingStatus::kNew: return "new";
    case FindingStatus::kStayed: return "stayed";
    case FindingStatus::kUnknown: return "unknown";
  }
  return "";
}

Record describe(const Difference* /*type*/) {
  return {
      about("difference", "Something about the captures, not the code, that is not the same."),
      member<&Difference::what>("what", "gpu, grid, sm-clock, cache-control, ..."),
      member<&Difference::a>("a"),
      member<&Difference::b>("b"),
      member<&Difference::refuses>("refuses", "durations across it do not compare"),
  };
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// Names of the enums of a comparison.
#include "model/diagnosis/comparison.h"

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

}  // namespace proofline

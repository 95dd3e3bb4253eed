// SPDX-License-Identifier: Apache-2.0
//
// Enums are names in every output, never numbers.
#include "model/diagnosis/diagnosis.h"

namespace proofline {

std::string_view to_string(GainKind kind) {
  switch (kind) {
    case GainKind::kCeiling: return "ceiling";
    case GainKind::kStallShare: return "share";
    case GainKind::kMeasured: return "measured";
  }
  return "";
}

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::kHigh: return "high";
    case Severity::kMedium: return "medium";
    case Severity::kLow: return "low";
    case Severity::kInfo: return "info";
  }
  return "";
}

std::string_view to_string(Bound bound) {
  switch (bound) {
    case Bound::kMemory: return "memory";
    case Bound::kCompute: return "compute";
    case Bound::kLatency: return "latency";
    case Bound::kSync: return "sync";
    case Bound::kOccupancy: return "occupancy";
    case Bound::kLaunch: return "launch";
    case Bound::kNone: return "none";
  }
  return "";
}

}  // namespace proofline

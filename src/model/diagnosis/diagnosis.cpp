// SPDX-License-Identifier: Apache-2.0
//
// Enums are names in every output, never numbers.
#include "model/diagnosis/diagnosis.h"

#include "base/record.h"

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

Record describe(const DiagnosisSource* /*type*/) {
  return {
      about("source"),
      member<&DiagnosisSource::path>("path"),
      member<&DiagnosisSource::format>("format", "see `proofline list readers`"),
      member<&DiagnosisSource::producer>("producer", "what recorded it; \"\" unknown"),
  };
}

Record describe(const Gain* /*type*/) {
  return {
      about("gain", "How much of the duration a fix could save.").closed(),
      member<&Gain::low>("low").share(),
      member<&Gain::high>("high").share(),
      member<&Gain::kind>("kind"),
  };
}

Record describe(const Verdict* /*type*/) {
  return {
      about("verdict"),
      member<&Verdict::bound>("bound"),
      member<&Verdict::at>("at", "where it binds: dram, tensor, barrier, ...; \"\" nowhere"),
      member<&Verdict::headline>("headline").not_empty(),
      member<&Verdict::provisional>("provisional", "too many rules lacked data"),
  };
}

Record describe(const LaunchSpread* /*type*/) {
  return {
      about("spread"),
      member<&LaunchSpread::count>("count").at_least(1),
      member<&LaunchSpread::min_ns>("min_ns"),
      member<&LaunchSpread::median_ns>("median_ns"),
      member<&LaunchSpread::max_ns>("max_ns"),
      member<&LaunchSpread::total_ns>("total_ns"),
  };
}

}  // namespace proofline

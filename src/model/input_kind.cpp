// SPDX-License-Identifier: Apache-2.0
#include "model/input_kind.h"

namespace proofline {

std::string_view to_string(InputKind kind) {
  switch (kind) {
    case InputKind::kProfile: return "profile";
    case InputKind::kCode: return "code";
    case InputKind::kBenchmark: return "benchmark";
    case InputKind::kSanitizerLog: return "sanitizer log";
    case InputKind::kCeilings: return "ceilings";
    case InputKind::kRecording: return "recording";
    case InputKind::kTimeline: return "timeline";
    case InputKind::kPreflight: return "preflight";
  }
  return "";
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// What a file can be read as. One file may be several: a report of Nsight Compute is a profile and
// holds code.
#pragma once

#include <string_view>

namespace proofline {

enum class InputKind {
  kProfile,
  kCode,
  kBenchmark,
  kSanitizerLog,
  kCeilings,
  kRecording,
  kTimeline,
  kPreflight
};
inline constexpr InputKind kInputKinds[] = {
    InputKind::kProfile,  InputKind::kCode,      InputKind::kBenchmark, InputKind::kSanitizerLog,
    InputKind::kCeilings, InputKind::kRecording, InputKind::kTimeline,  InputKind::kPreflight};

std::string_view to_string(InputKind kind);  // "sanitizer log"

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// The fuzz target of sanitizers' logs. Whatever the bytes are, reading them must neither crash nor
// hang, and nothing but a whole summary without errors may pass for a clean run.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/input.h"
#include "promise.h"
#include "readers/sanitizer/sanitizer_log.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace proofline;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  is_sanitizer_log(bytes);
  InputLimits limits;
  limits.max_bytes = 16U << 20U;  // small enough to leave the fuzzer's memory limit alone
  auto input = Input::from_memory(bytes, "fuzz", limits);
  if (!input) return 0;
  auto log = read_sanitizer_log(*input);
  if (!log) return 0;
  for (const SanitizerFinding& finding : log->findings) {
    require(finding.count > 0 && !finding.words.empty(), "a finding has words");
    for (std::size_t i = 0; finding.threads && i < 3; ++i) {
      require(finding.threads->first[i] <= finding.threads->last[i], "ranges ascend");
    }
  }
  SanitizerToolResult result;
  result.log = std::move(*log);
  judge_log(result);
  if (result.outcome == SanitizerOutcome::kClean) {
    require(result.log.complete && result.log.summary, "a clean run has its summary");
    require(result.log.summary->errors == 0 && result.log.counts().errors == 0,
            "a clean run has no errors");
  }
  return 0;
}

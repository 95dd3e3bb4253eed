// SPDX-License-Identifier: Apache-2.0
//
// Nothing but a whole summary without errors passes for a clean run.
#include <cstddef>
#include <string_view>
#include <utility>

#include "model/machine/sanitizer.h"
#include "promise.h"
#include "promises.h"

namespace proofline::fuzz {

void check_sanitizer_log(const Format& format, std::string_view bytes) {
  auto input = Input::from_memory(bytes, "fuzz", limits());
  if (!input) return;
  auto log = format.read_sanitizer_log(*input, "");
  if (!log) return;
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
}

}  // namespace proofline::fuzz

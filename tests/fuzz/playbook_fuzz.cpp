// SPDX-License-Identifier: Apache-2.0
//
// The fuzz target of playbook files. Whatever the bytes are, looking them over must end, with every
// problem at a place; one without errors can be held against evidence.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "playbook/check.h"
#include "playbook/file/read_playbook.h"
#include "playbook/lint.h"
#include "promise.h"
#include "support/made_evidence.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace proofline;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const LintedPlaybook linted = lint_playbook(text, "playbook");
  require(linted.problems.size() <= kMostProblems, "problems are bounded");
  for (const PlaybookProblem& one : linted.problems) {
    require(one.place.line > 0 && !one.message.empty(), "a problem has a place and a message");
  }
  if (!linted.ok()) return 0;
  const MadeEvidence evidence;
  const CheckRun run = run_checks(linted.playbook, {{{"kernel", "k", "", "", ""}, &evidence}}, {});
  for (const CheckResult& check : run.checks) {
    require(check.verdict != CheckVerdict::kUnknown || !check.missing.empty(),
            "what is unknown says why");
  }
  return 0;
}

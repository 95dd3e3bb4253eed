// SPDX-License-Identifier: Apache-2.0
#include "proofline/code.h"

#include <utility>

#include "analysis/sass/expectations.h"
#include "analysis/sass/pattern.h"
#include "api/access.h"
#include "base/propagate.h"
#include "workflow/code/analysed_code.h"

namespace proofline {
namespace {

Code::Function summary_of(const FunctionReport& report) {
  Code::Function function;
  function.name = report.shown;
  function.mangled = report.name;
  function.arch = report.arch;
  function.instructions = report.stats.instructions;
  function.registers = report.resources.registers;
  function.live_registers = report.live_registers;
  function.shared_bytes = report.resources.shared_bytes;
  const LocalUseCounts& spills = report.local.of(LocalUse::kSpill);
  function.spills = spills.loads.accesses + spills.stores.accesses;
  function.loops = report.loops.size();
  return function;
}

Code::State state_of(ExpectationVerdict verdict) {
  switch (verdict) {
    case ExpectationVerdict::kPass: return Code::State::kPass;
    case ExpectationVerdict::kFail: return Code::State::kFail;
    case ExpectationVerdict::kUnknown: break;
  }
  return Code::State::kUnknown;
}

}  // namespace

std::vector<Code::Function> Code::functions() const {
  std::vector<Function> functions;
  for (const FunctionReport& report : side_->report.functions) {
    functions.push_back(summary_of(report));
  }
  return functions;
}

const std::vector<Note>& Code::notes() const { return side_->report.notes; }

Result<std::vector<Code::Check>> Code::check(std::string_view pattern, Claim claim) const {
  ASSIGN_OR_RETURN(const auto parsed, parse_pattern(pattern));
  std::vector<Check> checks;
  for (std::size_t i = 0; i < side_->functions.size(); ++i) {
    const AnalysedFunction& function = side_->functions[i];
    Expectation result = evaluate(parsed, claim == Claim::kForbidden, function.code, function.flow,
                                  side_->report.opcodes, function.scope);
    checks.push_back(
        {side_->report.functions[i].shown, state_of(result.verdict), std::move(result.text)});
  }
  return checks;
}

Result<Code> load_code(const std::string& path, const LoadCodeOptions& options) {
  CodeOptions code;
  code.function = options.function;
  code.disassembler = options.nvdisasm ? "auto" : "native";
  ASSIGN_OR_RETURN(auto side, analyse_code(path, code, {.functions = true}, {}));
  return ApiAccess::make(std::move(side));
}

}  // namespace proofline

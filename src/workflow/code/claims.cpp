// SPDX-License-Identifier: Apache-2.0
#include "workflow/code/claims.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "analysis/sass/expectations.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"

namespace proofline {

Result<std::vector<Claim>> parse_claims(const std::vector<std::string>& expected,
                                        const std::vector<std::string>& unwanted,
                                        Announcer& announcer) {
  std::vector<Claim> claims;
  const auto add = [&](const std::vector<std::string>& texts, bool forbidden) -> Result<void> {
    for (const std::string& text : texts) {
      auto pattern = parse_pattern(text);
      if (!pattern) {
        return fail(
            pattern.error().kind,
            fmt::format("{} {}", option(forbidden ? "forbid" : "expect"), pattern.error().message));
      }
      for (const std::string& remark : pattern->remarks) {
        announcer.say("note: " + escape_terminal(remark));
      }
      claims.push_back({std::move(*pattern), forbidden});
    }
    return {};
  };
  RETURN_IF_ERROR(add(expected, false));
  RETURN_IF_ERROR(add(unwanted, true));
  return claims;
}

void check_claims(std::span<const Claim> claims, const AnalysedFunction& function,
                  const OpcodeNames& opcodes, FunctionReport& report) {
  for (const Claim& claim : claims) {
    ExpectationReport& one = report.expectations.emplace_back();
    one.pattern = claim.pattern.text;
    one.forbidden = claim.forbidden;
    one.result = evaluate(claim.pattern, claim.forbidden, function.code, function.flow, opcodes,
                          function.scope);
    for (const std::uint32_t i : one.result.instructions) {
      one.addresses.push_back(function.code.instructions[i].address);
    }
  }
}

}  // namespace proofline

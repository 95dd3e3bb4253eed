// SPDX-License-Identifier: Apache-2.0
#include "workflow/code/report_code.h"

#include <utility>

#include "workflow/code/analysed_code.h"

namespace proofline {

std::optional<ComparedCode> compare_report_code(const std::string& a, const std::string& b,
                                                const std::string& function,
                                                const InputLimits& limits) {
  if (a == "-" || b == "-") return std::nullopt;  // it was read already
  CodeOptions options;
  options.function = function;
  options.disassembler = "native";  // no other program is run for a mere explanation
  auto side_a = analyse_code(a, options, {.functions = true}, limits);
  if (!side_a) return std::nullopt;
  auto side_b = analyse_code(b, options, {.functions = true}, limits);
  if (!side_b) return std::nullopt;
  CodeComparison comparison = compare_code(*side_a, *side_b, true);
  return ComparedCode{std::move(*side_a), std::move(*side_b), std::move(comparison)};
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// The functions of expressions that take numbers: min, clamp, pow2 and the like, and what fits on a
// GPU.
#pragma once

#include <string>
#include <vector>

#include "playbook/expression.h"
#include "playbook/fact_source.h"
#include "playbook/typed_value.h"

namespace proofline {

// `result` has what the arguments were made of, and gets the value, or why there is none; `what` is
// the call as it is written.
void compute_call(const ExpressionNode& call, const std::vector<double>& numbers,
                  const std::string& what, const FactSource& source, TypedValue& result);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// What the rules on memory of others share: the kernel moves sectors over a link while it runs.
#pragma once

#include <string_view>

#include "rules/rule.h"

namespace proofline {

struct RemoteMemory {
  std::string_view owner;  // as a sentence names it: "host memory"
  const FactInfo& bytes_per_second;
  const FactInfo& share;
  std::string_view next;
};

Outcome evaluate_remote_memory(Trial& trial, const RemoteMemory& memory);

}  // namespace proofline

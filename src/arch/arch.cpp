// SPDX-License-Identifier: Apache-2.0
//
// Looking up a compute capability among the generations.
#include "arch/arch.h"

namespace proofline {

const SmLimits* find_sm_limits(std::string_view compute_capability) {
  for (const Arch& arch : archs()) {
    for (const SmLimits& limits : arch.capabilities) {
      if (limits.compute_capability == compute_capability) return &limits;
    }
  }
  return nullptr;
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "model/measurement/ceilings.h"

#include <algorithm>

namespace proofline {

const Ceiling* find_ceiling(const Ceilings& ceilings, std::string_view name) {
  const auto found = std::find_if(ceilings.ceilings.begin(), ceilings.ceilings.end(),
                                  [&](const Ceiling& each) { return each.name == name; });
  return found == ceilings.ceilings.end() ? nullptr : &*found;
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "model/code/sameness.h"

namespace proofline {

std::string_view to_string(Sameness sameness) {
  switch (sameness) {
    case Sameness::kIdentical: return "identical";
    case Sameness::kRenamed: return "renamed";
    case Sameness::kRescheduled: return "rescheduled";
    case Sameness::kSameOpcodes: return "same-opcodes";
    case Sameness::kDifferent: return "different";
    case Sameness::kBytesDiffer: return "bytes-differ";
    case Sameness::kUnknown: return "unknown";
  }
  return "";
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "model/timeline/timeline.h"

namespace proofline {

std::string_view to_string(CopyDirection direction) {
  switch (direction) {
    case CopyDirection::kUnknown: return "unknown";
    case CopyDirection::kHostToDevice: return "HtoD";
    case CopyDirection::kDeviceToHost: return "DtoH";
    case CopyDirection::kDeviceToDevice: return "DtoD";
    case CopyDirection::kHostToHost: return "HtoH";
    case CopyDirection::kPeerToPeer: return "PtoP";
  }
  return "";
}

}  // namespace proofline

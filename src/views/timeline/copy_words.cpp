// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/copy_words.h"

namespace proofline {

std::string_view direction_text(CopyDirection direction) {
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

std::string_view memory_text(HostMemory memory) {
  switch (memory) {
    case HostMemory::kNone: return "-";
    case HostMemory::kPageable: return "pageable";
    case HostMemory::kPinned: return "pinned";
  }
  return "";
}

std::string_view size_text(CopySize size) {
  switch (size) {
    case CopySize::kSmall: return "below 64 KiB";
    case CopySize::kMedium: return "64 KiB to 1 MiB";
    case CopySize::kLarge: return "1 MiB and more";
  }
  return "";
}

}  // namespace proofline

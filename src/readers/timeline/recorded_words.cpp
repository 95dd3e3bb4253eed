// SPDX-License-Identifier: Apache-2.0
#include "readers/timeline/recorded_words.h"

#include "vocabulary/api_calls.h"

namespace proofline {

CopyDirection cupti_direction(std::uint64_t copy_kind) {
  switch (copy_kind) {
    case 1:
    case 3: return CopyDirection::kHostToDevice;
    case 2:
    case 4: return CopyDirection::kDeviceToHost;
    case 5:
    case 6:
    case 7:
    case 8: return CopyDirection::kDeviceToDevice;
    case 9: return CopyDirection::kHostToHost;
    case 10: return CopyDirection::kPeerToPeer;
    default: return CopyDirection::kUnknown;
  }
}

MemoryKind cupti_memory(std::uint64_t kind) {
  switch (kind) {
    case 1: return MemoryKind::kPageable;
    case 2: return MemoryKind::kPinned;
    case 3:
    case 6: return MemoryKind::kDevice;
    case 4: return MemoryKind::kArray;
    case 5:
    case 7: return MemoryKind::kManaged;
    default: return MemoryKind::kUnknown;
  }
}

WaitFor cupti_wait(std::uint64_t type) {
  switch (type) {
    case 1: return WaitFor::kEvent;
    case 2: return WaitFor::kEventInQueue;
    case 3: return WaitFor::kStream;
    case 4: return WaitFor::kContext;
    default: return WaitFor::kUnknown;
  }
}

std::string_view copy_word(CopyDirection direction) {
  switch (direction) {
    case CopyDirection::kUnknown: return "";
    case CopyDirection::kHostToDevice: return "HtoD";
    case CopyDirection::kDeviceToHost: return "DtoH";
    case CopyDirection::kDeviceToDevice: return "DtoD";
    case CopyDirection::kHostToHost: return "HtoH";
    case CopyDirection::kPeerToPeer: return "PtoP";
  }
  return "";
}

std::string_view memory_word(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kUnknown: return "Unknown";
    case MemoryKind::kPageable: return "Pageable";
    case MemoryKind::kPinned: return "Pinned";
    case MemoryKind::kDevice: return "Device";
    case MemoryKind::kArray: return "Array";
    case MemoryKind::kManaged: return "Managed";
  }
  return "";
}

std::string_view cupti_overhead_name(std::uint64_t kind) {
  switch (kind) {
    case 1: return "compiling";
    case 1U << 16U: return "CUPTI: flushing buffers";
    case 2U << 16U: return "CUPTI: instrumenting";
    case 3U << 16U: return "CUPTI: creating resources";
    case 4U << 16U: return "module loading";
    case 5U << 16U: return "lazy function loading";
    case 6U << 16U: return "command buffer full";
    case 7U << 16U: return "CUPTI: requesting a buffer";
    case 8U << 16U: return "CUPTI: starting to watch unified memory";
    default: return "overhead";
  }
}

std::string_view recorded_call_name(std::string_view name) {
  if (name.starts_with("__")) name.remove_prefix(2);
  return plain_api_name(plain_api_name(name));
}

RecordedRangeName recorded_range_name(std::string_view text) {
  std::string_view name = text;
  for (const std::string_view number : {", op_id = ", ", seq = "}) {
    name = name.substr(0, name.find(number));
  }
  const bool is_operator = name != text && name.find("::") != std::string_view::npos;
  return {name, is_operator ? HostWork::kOperator : HostWork::kAnnotation};
}

}  // namespace proofline

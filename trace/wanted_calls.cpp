// SPDX-License-Identifier: Apache-2.0
#include "wanted_calls.h"

#include <cstddef>
#include <cstring>

namespace proofline::trace {

bool is_wanted_call(const char* name) {
  // How they begin, after "cuda" and after "cu".
  static constexpr const char* kRuntime[] = {
      "Launch",
      "GraphLaunch",
      "GraphInstantiate",
      "GraphUpload",
      "GraphExecUpdate",
      "StreamBeginCapture",
      "StreamEndCapture",
      "Memcpy",
      "Memset",
      "MemPrefetch",
      "Malloc",
      "Free",
      "HostAlloc",
      "HostRegister",
      "HostUnregister",
      "DeviceSynchronize",
      "ThreadSynchronize",
      "StreamSynchronize",
      "EventSynchronize",
      "StreamWaitEvent",
      "EventRecord",
      "StreamCreate",
      "StreamDestroy",
      "LibraryLoad",
      "LibraryUnload",
      "InitModule",
  };
  static constexpr const char* kDriver[] = {
      "Launch",
      "GraphLaunch",
      "GraphInstantiate",
      "GraphUpload",
      "GraphExecUpdate",
      "StreamBeginCapture",
      "StreamEndCapture",
      "Memcpy",
      "Memset",
      "MemPrefetch",
      "MemAlloc",
      "MemFree",
      "MemHostAlloc",
      "MemHostRegister",
      "MemHostUnregister",
      "MemCreate",
      "MemRelease",
      "MemMap",
      "MemUnmap",
      "CtxSynchronize",
      "StreamSynchronize",
      "EventSynchronize",
      "StreamWaitEvent",
      "EventRecord",
      "StreamCreate",
      "StreamDestroy",
      "ModuleLoad",
      "ModuleUnload",
      "LibraryLoad",
      "LibraryUnload",
      "KernelGetFunction",
      "LinkComplete",
  };
  const auto begins = [](const char* text, const char* part) {
    return std::strncmp(text, part, std::strlen(part)) == 0;
  };
  const auto begins_with_one = [&](const char* text, const auto& parts) {
    for (const char* part : parts) {
      if (begins(text, part)) return true;
    }
    return false;
  };
  if (begins(name, "__")) name += 2;
  if (begins(name, "cuda")) return begins_with_one(name + 4, kRuntime);
  return begins(name, "cu") && begins_with_one(name + 2, kDriver);
}

}  // namespace proofline::trace

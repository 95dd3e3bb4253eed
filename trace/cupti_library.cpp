// SPDX-License-Identifier: Apache-2.0
#include "cupti_library.h"

#include <dlfcn.h>
#include <link.h>

#include <climits>
#include <cstring>
#include <initializer_list>

namespace proofline::trace {
namespace {

// Copies the path of the first libcupti that is loaded; to open it here could deadlock with another
// thread that opens a library, since the list is locked.
int copy_path_of_cupti(struct dl_phdr_info* info, std::size_t, void* path) {
  const char* slash = info->dlpi_name != nullptr ? std::strrchr(info->dlpi_name, '/') : nullptr;
  if (slash == nullptr || std::strncmp(slash, "/libcupti.so", 12) != 0) return 0;
  const std::size_t bytes = std::strlen(info->dlpi_name) + 1;
  if (bytes > PATH_MAX) return 0;
  std::memcpy(path, info->dlpi_name, bytes);
  return 1;
}

void* open_cupti(const char* path) {
  char loaded[PATH_MAX];
  if (::dl_iterate_phdr(copy_path_of_cupti, loaded) != 0) return ::dlopen(loaded, RTLD_NOW);
  if (path != nullptr && *path != '\0') return ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  for (const char* name : {"libcupti.so.13", "libcupti.so.12"}) {
    if (void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return ::dlopen("libcupti.so", RTLD_NOW | RTLD_LOCAL);
}

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

}  // namespace

const char* load_cupti(const char* path, CuptiFunctions& functions) {
  void* library = open_cupti(path);
  if (library == nullptr) {
    const char* reason = ::dlerror();
    return reason != nullptr ? reason : "libcupti cannot be loaded";
  }
  const bool complete =
      find(library, "cuptiGetVersion", functions.get_version) &&
      find(library, "cuptiGetResultString", functions.get_result_string) &&
      find(library, "cuptiSubscribe", functions.subscribe) &&
      find(library, "cuptiUnsubscribe", functions.unsubscribe) &&
      find(library, "cuptiActivityRegisterCallbacks", functions.register_callbacks) &&
      find(library, "cuptiActivityEnable", functions.enable) &&
      find(library, "cuptiActivityFlushAll", functions.flush_all) &&
      find(library, "cuptiActivityGetNextRecord", functions.get_next_record) &&
      find(library, "cuptiActivityGetNumDroppedRecords", functions.get_dropped) &&
      find(library, "cuptiActivitySetAttribute", functions.set_attribute);
  find(library, "cuptiActivityDisable", functions.disable);
  find(library, "cuptiGetTimestamp", functions.get_timestamp);
  find(library, "cuptiGetCallbackName", functions.get_callback_name);
  find(library, "cuptiActivityEnableRuntimeApi", functions.enable_runtime_api);
  find(library, "cuptiActivityEnableDriverApi", functions.enable_driver_api);
  find(library, "cuptiSetThreadIdType", functions.set_thread_id_type);
  find(library, "cuptiActivityConfigureUnifiedMemoryCounter", functions.configure_unified_memory);
  find(library, "InitializeInjectionNvtx2", functions.initialize_nvtx);
  return complete ? nullptr : "libcupti lacks a function that recording needs";
}

std::uint32_t driver_version() {
  int version = 0;
  int (*get)(int*) = nullptr;
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (library != nullptr && find(library, "cuDriverGetVersion", get)) get(&version);
  return version > 0 ? static_cast<std::uint32_t>(version) : 0;
}

}  // namespace proofline::trace

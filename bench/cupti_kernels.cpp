// SPDX-License-Identifier: Apache-2.0
#include "cupti_kernels.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <string>

#include "base/environment.h"
#include "base/propagate.h"
#include "base/text.h"
#include "buffer_pool.h"
#include "cupti_library.h"
#include "tools/recorder/find_cupti.h"

namespace proofline::bench {
namespace {

// CUPTI calls back until the process ends, so this is never destroyed.
struct State {
  trace::CuptiFunctions cupti{};
  int (*disable)(std::uint32_t kind) = nullptr;
  bool is_prepared = false;
  trace::BufferPool buffers;
  std::mutex mutex;  // of what follows
  std::vector<KernelSpan> kernels;
  std::uint64_t lost = 0;
};

State& state() {
  static auto* const kState = new State;
  return *kState;
}

void on_buffer_requested(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  *buffer = state().buffers.take();
  *size = *buffer != nullptr ? trace::BufferPool::kBufferBytes : 0;
  *max_records = 0;  // as many as fit
}

void on_buffer_completed(void*, std::uint32_t, std::uint8_t* buffer, std::size_t,
                         std::size_t valid) {
  if (buffer == nullptr) return;
  State& all = state();
  {
    const std::lock_guard lock(all.mutex);
    void* record = nullptr;
    while (all.cupti.get_next_record(buffer, valid, &record) == trace::kCuptiSuccess) {
      if (*static_cast<const std::uint32_t*>(record) != trace::kActivityConcurrentKernel) continue;
      const auto& kernel = *static_cast<const trace::KernelActivity*>(record);
      if (kernel.start == 0 || kernel.end < kernel.start) {
        ++all.lost;
      } else {
        all.kernels.push_back({kernel.start, kernel.end});
      }
    }
    std::size_t dropped = 0;
    if (all.cupti.get_dropped(nullptr, 0, &dropped) == trace::kCuptiSuccess) all.lost += dropped;
  }
  all.buffers.give_back(buffer, valid);
}

tl::unexpected<Error> failed(const char* call, int result) {
  const char* words = nullptr;
  state().cupti.get_result_string(result, &words);
  return fail(ErrorKind::kTool, fmt::format("CUPTI cannot be used here: {}: {}", call,
                                            words != nullptr ? escape_terminal(words) : "failed"));
}

// The recorder, which never stops, does without this one; it is in the library that has the others.
void find_disable(State& all) {
  Dl_info library{};
  if (::dladdr(reinterpret_cast<void*>(all.cupti.enable), &library) == 0) return;
  if (void* handle = ::dlopen(library.dli_fname, RTLD_NOW | RTLD_NOLOAD)) {
    all.disable = reinterpret_cast<int (*)(std::uint32_t)>(::dlsym(handle, "cuptiActivityDisable"));
  }
}

Result<void> prepare(State& all) {
  if (!environment_variable("CUDA_INJECTION64_PATH").empty()) {
    return fail(ErrorKind::kTool, "CUPTI cannot be used here: another tool profiles this program");
  }
  ASSIGN_OR_RETURN(const auto path, find_cupti(cupti_search()));
  if (const char* trouble = trace::load_cupti(path.c_str(), all.cupti)) {
    return fail(ErrorKind::kTool,
                fmt::format("CUPTI cannot be used here: {}", escape_terminal(trouble)));
  }
  find_disable(all);
  std::uint32_t version = 0;
  if (all.cupti.get_version(&version) != trace::kCuptiSuccess || version < trace::kOldestCupti) {
    return fail(ErrorKind::kTool, "CUPTI cannot be used here: it is older than CUDA 9");
  }
  std::uint8_t yes = 1;  // older versions do not know this, and zero the buffers themselves
  std::size_t size = sizeof yes;
  all.cupti.set_attribute(trace::kAttributeZeroedBuffers, &size, &yes);
  const int result = all.cupti.register_callbacks(on_buffer_requested, on_buffer_completed);
  if (result != trace::kCuptiSuccess) return failed("cuptiActivityRegisterCallbacks", result);
  all.is_prepared = true;
  return {};
}

}  // namespace

Result<void> start_noting_kernels() {
  State& all = state();
  if (!all.is_prepared) {
    if (auto prepared = prepare(all); !prepared) return prepared;
  }
  const int result = all.cupti.enable(trace::kActivityConcurrentKernel);
  if (result != trace::kCuptiSuccess) return failed("cuptiActivityEnable", result);
  const std::lock_guard lock(all.mutex);
  all.kernels.clear();
  all.lost = 0;
  return {};
}

Result<std::vector<KernelSpan>> take_kernels() {
  State& all = state();
  const int result = all.cupti.flush_all(trace::kFlushForced);
  if (result != trace::kCuptiSuccess) return failed("cuptiActivityFlushAll", result);
  const std::lock_guard lock(all.mutex);
  if (all.lost > 0) {
    return fail(ErrorKind::kTool, fmt::format("CUPTI lost the times of {} kernels", all.lost));
  }
  std::vector<KernelSpan> kernels;
  kernels.swap(all.kernels);
  std::sort(kernels.begin(), kernels.end(),
            [](const KernelSpan& a, const KernelSpan& b) { return a.start_ns < b.start_ns; });
  return kernels;
}

void stop_noting_kernels() {
  State& all = state();
  if (all.disable != nullptr) all.disable(trace::kActivityConcurrentKernel);
}

Result<std::vector<double>> execution_times(const std::vector<KernelSpan>& kernels,
                                            std::size_t executions) {
  if (executions == 0 || kernels.empty() || kernels.size() % executions != 0) {
    return fail(ErrorKind::kTool,
                fmt::format("CUPTI saw {} kernels in {} executions, so that it is not known which "
                            "belong together; --time-by events can do without",
                            kernels.size(), executions));
  }
  const std::size_t each = kernels.size() / executions;
  std::vector<double> times;
  times.reserve(executions);
  for (std::size_t first = 0; first < kernels.size(); first += each) {
    std::uint64_t end = 0;
    for (std::size_t i = first; i < first + each; ++i) end = std::max(end, kernels[i].end_ns);
    times.push_back(static_cast<double>(end - kernels[first].start_ns));
  }
  return times;
}

}  // namespace proofline::bench

// SPDX-License-Identifier: Apache-2.0
#include "clock_watch.h"

#include <dlfcn.h>

#include <chrono>
#include <utility>

#include "model/machine.h"

namespace proofline::bench {
namespace {

constexpr int kNvmlSuccess = 0;
constexpr int kSmClock = 1;
constexpr std::chrono::milliseconds kPeriod{5};

// Held back by heat or power. Idleness and a clock that somebody chose are neither.
constexpr std::uint64_t kThrottled =
    kClockPowerCap | kClockSlowdown | kClockWarm | kClockHot | kClockPowerBrake;

}  // namespace

class ClockWatch::Library {
 public:
  Library(std::uint32_t index, const std::string& name)
      : handle_(::dlopen(name.c_str(), RTLD_NOW)) {
    if (handle_ == nullptr) return;
    const auto initialise = find<int (*)()>("nvmlInit_v2");
    const auto get_gpu = find<int (*)(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2");
    get_clock_ = find<GetClock>("nvmlDeviceGetClockInfo");
    get_reasons_ = find<GetReasons>("nvmlDeviceGetCurrentClocksEventReasons");
    if (get_reasons_ == nullptr) {  // its older name
      get_reasons_ = find<GetReasons>("nvmlDeviceGetCurrentClocksThrottleReasons");
    }
    if (initialise == nullptr || get_gpu == nullptr) return;
    initialised_ = initialise() == kNvmlSuccess;
    if (!initialised_ || get_gpu(index, &gpu_) != kNvmlSuccess) gpu_ = nullptr;
  }
  ~Library() {
    if (const auto shut_down = find<int (*)()>("nvmlShutdown"); initialised_ && shut_down) {
      shut_down();
    }
    if (handle_ != nullptr) ::dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  bool is_usable() const { return gpu_ != nullptr && get_clock_ != nullptr; }

  std::optional<double> sm_mhz() const {
    unsigned mhz = 0;
    if (get_clock_(gpu_, kSmClock, &mhz) != kNvmlSuccess) return std::nullopt;
    return mhz;
  }
  std::uint64_t reasons() const {
    Wide reasons = 0;
    if (get_reasons_ == nullptr || get_reasons_(gpu_, &reasons) != kNvmlSuccess) return 0;
    return reasons;
  }

 private:
  using Wide = unsigned long long;  // NOLINT(google-runtime-int): the type of NVML's interface
  using GetClock = int (*)(void*, int, unsigned*);
  using GetReasons = int (*)(void*, Wide*);

  template <class Function>
  Function find(const char* name) const {
    return handle_ != nullptr ? reinterpret_cast<Function>(::dlsym(handle_, name)) : nullptr;
  }

  void* handle_;
  void* gpu_ = nullptr;
  bool initialised_ = false;
  GetClock get_clock_ = nullptr;
  GetReasons get_reasons_ = nullptr;
};

ClockWatch::ClockWatch(std::uint32_t index, const std::string& library)
    : thread_([this, index, library] { watch(index, library); }) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_ready_; });
}

ClockWatch::~ClockWatch() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

ClockReading ClockWatch::read() {
  const std::lock_guard lock(mutex_);
  return {sm_mhz_, std::exchange(throttled_since_, throttled_now_)};
}

std::optional<double> ClockWatch::locked_mhz() const {
  const std::lock_guard lock(mutex_);
  return locked_mhz_;
}

void ClockWatch::look(const Library& nvml) {
  const std::optional<double> mhz = nvml.sm_mhz();
  const std::uint64_t reasons = nvml.reasons();
  const std::lock_guard lock(mutex_);
  sm_mhz_ = mhz;
  throttled_now_ = (reasons & kThrottled) != 0;
  throttled_since_ = throttled_since_ || throttled_now_;
  if ((reasons & kClockSetting) != 0) locked_mhz_ = mhz;
}

void ClockWatch::watch(std::uint32_t index, const std::string& library) {
  const Library nvml(index, library);
  if (nvml.is_usable()) look(nvml);
  std::unique_lock lock(mutex_);
  is_ready_ = true;
  changed_.notify_all();
  while (nvml.is_usable() && !changed_.wait_for(lock, kPeriod, [this] { return stopping_; })) {
    lock.unlock();
    look(nvml);
    lock.lock();
  }
}

}  // namespace proofline::bench

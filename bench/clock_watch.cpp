// SPDX-License-Identifier: Apache-2.0
#include "clock_watch.h"

#include <chrono>
#include <utility>

#include "model/machine/gpu.h"
#include "model/machine/machine.h"

namespace proofline::bench {
namespace {

constexpr std::chrono::milliseconds kPeriod{5};

}  // namespace

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
  return {sm_mhz_, std::exchange(throttled_since_, throttled_now_), watts_};
}

std::optional<double> ClockWatch::locked_mhz() const {
  const std::lock_guard lock(mutex_);
  return locked_mhz_;
}

void ClockWatch::look(const NvmlGpu& gpu) {
  const std::optional<double> mhz = gpu.sm_mhz();
  const std::optional<double> watts = gpu.watts();
  const std::uint64_t reasons = gpu.reasons().value_or(0);
  const std::lock_guard lock(mutex_);
  sm_mhz_ = mhz;
  watts_ = watts;
  throttled_now_ = is_held_back(reasons);
  throttled_since_ = throttled_since_ || throttled_now_;
  if ((reasons & kClockSetting) != 0) locked_mhz_ = mhz;
}

void ClockWatch::watch(std::uint32_t index, const std::string& library) {
  const NvmlGpu gpu(index, library);
  if (gpu.is_usable()) look(gpu);
  std::unique_lock lock(mutex_);
  is_ready_ = true;
  changed_.notify_all();
  while (gpu.is_usable() && !changed_.wait_for(lock, kPeriod, [this] { return stopping_; })) {
    lock.unlock();
    look(gpu);
    lock.lock();
  }
}

}  // namespace proofline::bench

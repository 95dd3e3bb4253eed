// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "base/propagate.h"
#include "cupti_kernels.h"
#include "timers.h"

namespace proofline::bench {
namespace {

// Getting the times from CUPTI costs more than a short execution, so several share it.
constexpr std::size_t kExecutions = 16;
// From here on one is enough.
constexpr double kLongKernelNs = 10e6;

template <class T>
T value_or_throw(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

class CuptiTimer : public Timer {
 public:
  CuptiTimer(Execution& execution, Gpu& gpu, CacheState cache)
      : execution_(execution), gpu_(gpu), is_cold_(cache == CacheState::kCold) {}
  ~CuptiTimer() override { stop_noting_kernels(); }
  CuptiTimer(const CuptiTimer&) = delete;
  CuptiTimer& operator=(const CuptiTimer&) = delete;

  void take(std::vector<double>& ns) override {
    // The first execution prepares the cache for the others.
    const std::size_t untimed = is_cold_ ? 0 : 1;
    const std::size_t executions = untimed + (last_ns_ >= kLongKernelNs ? 1 : kExecutions);
    for (std::size_t i = 0; i < executions; ++i) {
      if (is_cold_) gpu_.overwrite_cache();
      execution_();
    }
    require(cudaStreamSynchronize(gpu_.stream()), "cudaStreamSynchronize");
    const auto times = value_or_throw(execution_times(value_or_throw(take_kernels()), executions));
    ns.insert(ns.end(), times.begin() + static_cast<std::ptrdiff_t>(untimed), times.end());
    last_ns_ = times.back();
  }

 private:
  Execution& execution_;
  Gpu& gpu_;
  bool is_cold_;
  double last_ns_ = 0;
};

}  // namespace

Result<std::unique_ptr<Timer>> make_cupti_timer(Execution& execution, Gpu& gpu, CacheState cache) {
  RETURN_IF_ERROR(start_noting_kernels());
  return std::make_unique<CuptiTimer>(execution, gpu, cache);
}

}  // namespace proofline::bench

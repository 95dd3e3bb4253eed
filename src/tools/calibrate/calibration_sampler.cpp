// SPDX-License-Identifier: Apache-2.0
#include "tools/calibrate/calibration_sampler.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/interrupt.h"
#include "base/propagate.h"
#include "base/statistics.h"

namespace proofline {
namespace {

constexpr double kWarmUpMs = 200;    // an idle GPU takes part of this to raise its clocks
constexpr double kLaunchMs = 3;      // long against the gaps between launches
constexpr double kMeasurableMs = 1;  // long against the resolution of events, half a microsecond
constexpr std::size_t kPilotLaunches = 5;
constexpr std::size_t kLeastSamples = 20;
constexpr std::size_t kMostSamples = 1'000'000;
// A round takes at least a tenth of a microsecond on any GPU.
constexpr std::uint32_t kMostRounds = std::uint32_t{1} << 20U;

class Sampler {
 public:
  Sampler(const CudaGpu& gpu, const CalibrationWork& work) : gpu_(&gpu), work_(&work) {}

  // Finds how many rounds a launch shall have.
  Result<void> aim() {
    for (rounds_ = 1; rounds_ <= kMostRounds; rounds_ *= 2) {
      ASSIGN_OR_RETURN(const auto ms, take_ms());
      if (ms < kMeasurableMs) continue;
      const double wanted = std::round(rounds_ * kLaunchMs / ms);
      rounds_ = static_cast<std::uint32_t>(std::clamp<double>(wanted, 1, kMostRounds));
      return {};
    }
    return fail(ErrorKind::kTool, "the GPU takes no time, however much it is given to do");
  }

  // Of one launch.
  Result<double> take_ms(const std::function<void()>& meanwhile = {}) const {
    if (interrupts() > 0) return fail(ErrorKind::kInterrupted, "the calibration was interrupted");
    return gpu_->time_ms([this] { return work_->launch(rounds_); }, meanwhile);
  }

  // Takes at least so many launches, until they add up to that time; their rates.
  Result<std::vector<double>> take(std::size_t launches, double all_ms,
                                   const std::function<void()>& meanwhile = {}) const {
    std::vector<double> rates;
    double spent_ms = 0;
    while (rates.size() < launches || (spent_ms < all_ms && rates.size() < kMostSamples)) {
      ASSIGN_OR_RETURN(const auto ms, take_ms(meanwhile));
      if (!(ms > 0)) return fail(ErrorKind::kTool, "the GPU's timer does not advance");
      rates.push_back(work_->per_round * rounds_ / (ms / 1e3));
      spent_ms += ms;
    }
    return rates;
  }

  const std::string& how() const { return work_->how; }

 private:
  const CudaGpu* gpu_;
  const CalibrationWork* work_;
  std::uint32_t rounds_ = 1;
};

// Its length is found at low clocks, then again at those of a busy GPU.
Result<void> warm_up(Sampler& sampler) {
  if (auto aimed = sampler.aim(); !aimed) return aimed;
  RETURN_IF_ERROR(sampler.take(1, kWarmUpMs));
  return sampler.aim();
}

// A way that fails is left to the others.
Result<Sampler> fastest(const CudaGpu& gpu, const std::vector<CalibrationWork>& ways) {
  Result<Sampler> best = fail(ErrorKind::kTool, "there is no way to measure it");
  double best_rate = 0;
  for (const CalibrationWork& way : ways) {
    Sampler sampler(gpu, way);
    const auto ready = best ? sampler.aim() : warm_up(sampler);
    const auto rates = ready ? sampler.take(kPilotLaunches, 0) : tl::make_unexpected(ready.error());
    if (rates && median(*rates) > best_rate) {
      best_rate = median(*rates);
      best = sampler;
    } else if (!rates && !best) {
      best = tl::make_unexpected(rates.error());
    }
  }
  return best;
}

}  // namespace

Result<Ceiling> sample_ceiling(const CudaGpu& gpu, const std::vector<CalibrationWork>& ways,
                               double seconds, const std::function<GpuClock()>& read_clock) {
  ASSIGN_OR_RETURN(const auto sampler, fastest(gpu, ways));
  Ceiling ceiling;
  std::vector<double> clocks;
  ASSIGN_OR_RETURN(const auto rates, sampler.take(kLeastSamples, seconds * 1e3, [&] {
    const GpuClock clock = read_clock();
    if (clock.sm_mhz) clocks.push_back(*clock.sm_mhz);
    if (clock.held_back) ++ceiling.throttled;
  }));
  ceiling.per_second = median(rates);
  const Interval interval = median_interval_in_series(rates, 0.95);
  if (std::isfinite(interval.low) && std::isfinite(interval.high)) ceiling.interval = interval;
  ceiling.samples = rates.size();
  if (!clocks.empty()) ceiling.sm_mhz = median(clocks);
  ceiling.how = sampler.how();
  return ceiling;
}

}  // namespace proofline

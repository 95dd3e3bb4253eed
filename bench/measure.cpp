// SPDX-License-Identifier: Apache-2.0
#include "measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "comparison.h"
#include "judge.h"
#include "timers.h"

namespace proofline::bench {
namespace {

constexpr double kWarmUpSeconds = 0.1;  // until clocks are up
constexpr std::size_t kElementsAtOnce = std::size_t{1} << 16U;

double seconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

void poison(void* data, std::size_t bytes, cudaStream_t stream) {
  require(cudaMemsetAsync(data, 0xff, bytes, stream), "cudaMemsetAsync");
}

// So that the starts of a program say the same, and it is said once.
double rounded_us(double ns) { return std::round(ns / 500) / 2; }

Comparison compare(const detail::CheckRequest& check) {
  Comparison comparison(check.tolerance.absolute, check.tolerance.relative, check.reference);
  std::vector<unsigned char> raw(std::min(check.count, kElementsAtOnce) * check.element_bytes);
  for (std::size_t first = 0; first < check.count; first += kElementsAtOnce) {
    const std::size_t count = std::min(check.count - first, kElementsAtOnce);
    const auto* from = static_cast<const unsigned char*>(check.data) + first * check.element_bytes;
    require(cudaMemcpy(raw.data(), from, count * check.element_bytes, cudaMemcpyDeviceToHost),
            "cudaMemcpy");
    for (std::size_t i = 0; i < count; ++i) {
      const auto element = check.compare(raw.data() + i * check.element_bytes, first + i);
      comparison.add(element.actual, element.expected, element.error);
    }
  }
  return comparison;
}

}  // namespace

void Meter::measure(const std::function<void(Launch)>& function, const MeasureTask& task,
                    Measurement& measurement) {
  gpu_.begin_peak();
  Execution execution(function, gpu_.stream(), task.sets);
  if (!is_right(execution, task, measurement)) return;
  if (options_.check_only) {
    measurement.state = MeasurementState::kSkipped;
    measurement.reason = "only checked, not timed, as was asked";
    return;
  }
  const double expected_ns = warm_up(execution);
  const Chosen chosen = choose_timer(execution, task.time_by, expected_ns);
  measurement.timed_by = chosen.timed_by;
  measurement.cache = options_.cache;
  Sampling sampling = take_samples(
      *chosen.timer, options_.limits, [this] { return gpu_.read_clock(); }, seconds_now);
  measurement.samples = std::move(sampling.samples);
  measurement.stopped = sampling.stopped;
  gpu_.look_at_memory();
  measurement.peak_memory_bytes = gpu_.peak_memory_bytes();
  Roofs roofs = gpu_.roofs();
  roofs.flops_per_second = task.flops_per_second;
  judge(measurement, roofs);
}

// The first execution of all, into poisoned output.
bool Meter::is_right(Execution& execution, const MeasureTask& task, Measurement& measurement) {
  const cudaStream_t stream = gpu_.stream();
  for (const auto& check : task.checks) {
    poison(check.data, check.count * check.element_bytes, stream);
  }
  for (const auto& large : task.inspections) poison(large.data, large.bytes, stream);
  execution();
  for (const auto& large : task.inspections) large.reduce(stream);
  require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  gpu_.look_at_memory();
  for (const auto& check : task.checks) {
    const Comparison comparison = compare(check);
    merge(measurement.correctness, comparison.result());
    if (measurement.reason.empty()) measurement.reason = comparison.complaint();
  }
  if (measurement.correctness.state != CheckState::kFailed) return true;
  measurement.state = MeasurementState::kWrong;
  return false;
}

// The shortest time seen on the way.
double Meter::warm_up(Execution& execution) {
  const auto timer = make_event_timer(execution, gpu_, options_.cache);
  std::vector<double> ns;
  const double start = seconds_now();
  do {
    timer->take(ns);
  } while (seconds_now() - start < kWarmUpSeconds);
  return *std::min_element(ns.begin(), ns.end());
}

Meter::Chosen Meter::choose_timer(Execution& execution, TimerChoice choice, double expected_ns) {
  const bool is_free = choice == TimerChoice::kAuto;
  const TimedBy preferred = preferred_timer(choice, options_.cache);
  if (preferred == TimedBy::kCupti && is_free && !has_only_kernels(execution, gpu_)) {
    notes_.insert(
        "what may be more than kernels is timed by events, since CUPTI times kernels alone");
  } else if (preferred == TimedBy::kCupti) {
    auto timer = make_cupti_timer(execution, gpu_, options_.cache);
    if (timer) return {std::move(*timer), TimedBy::kCupti};
    if (!is_free) throw std::runtime_error(timer.error().message);
    notes_.insert("executions with a cold cache are timed by events: " + timer.error().message);
  }
  if (preferred == TimedBy::kCudaGraph) {
    try {
      return {make_graph_timer(execution, gpu_, expected_ns), TimedBy::kCudaGraph};
    } catch (const CudaError& error) {
      if (!is_free || !is_usable_after_error()) throw;
      notes_.insert(
          fmt::format("what cannot be captured into a graph is timed by events: {}", error.what()));
    }
  }
  return {event_timer(execution), TimedBy::kCudaEvents};
}

std::unique_ptr<Timer> Meter::event_timer(Execution& execution) {
  if (!overhead_) overhead_ = measure_event_overhead(gpu_);
  if (overhead_->trouble.empty()) {
    notes_.insert(
        fmt::format("times by events are less about {:.1f} us, which they see besides a kernel",
                    rounded_us(overhead_->ns)));
  } else {
    notes_.insert(
        fmt::format("times by events hold the GPU's pauses at each launch, since these could not "
                    "be measured: {}",
                    overhead_->trouble));
  }
  return without_overhead(make_event_timer(execution, gpu_, options_.cache), overhead_->ns);
}

}  // namespace proofline::bench

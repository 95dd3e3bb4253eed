// SPDX-License-Identifier: Apache-2.0
#include "measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
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

void poison(const detail::CheckRequest& check, cudaStream_t stream) {
  require(cudaMemsetAsync(check.data, 0xff, check.count * check.element_bytes, stream),
          "cudaMemsetAsync");
}

Comparison compare(const detail::CheckRequest& check) {
  Comparison comparison(check.tolerance.absolute, check.tolerance.relative, check.reference);
  std::vector<unsigned char> raw(std::min(check.count, kElementsAtOnce) * check.element_bytes);
  std::vector<double> values(std::min(check.count, kElementsAtOnce));
  for (std::size_t first = 0; first < check.count; first += kElementsAtOnce) {
    const std::size_t count = std::min(check.count - first, kElementsAtOnce);
    const auto* from = static_cast<const unsigned char*>(check.data) + first * check.element_bytes;
    require(cudaMemcpy(raw.data(), from, count * check.element_bytes, cudaMemcpyDeviceToHost),
            "cudaMemcpy");
    check.to_doubles(raw.data(), count, values.data());
    for (std::size_t i = 0; i < count; ++i) comparison.add(values[i], check.expected(first + i));
  }
  return comparison;
}

}  // namespace

Meter::Meter(Gpu& gpu, const Options& options) : gpu_(gpu), options_(options) {
  if (options.time_by != TimerChoice::kCupti) overhead_ = measure_overhead(gpu);
}

void Meter::measure(const std::function<void(Launch)>& function, const MeasureTask& task,
                    Measurement& measurement) {
  Execution execution(function, gpu_.stream(), task.sets);
  if (!is_right(execution, task, measurement)) return;
  const double expected_ns = warm_up(execution);
  const Chosen chosen = choose_timer(execution, expected_ns);
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
  for (const auto& check : task.checks) poison(check, gpu_.stream());
  execution();
  require(cudaStreamSynchronize(gpu_.stream()), "cudaStreamSynchronize");
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

Meter::Chosen Meter::choose_timer(Execution& execution, double expected_ns) {
  const TimedBy preferred = preferred_timer(options_.time_by, options_.cache, expected_ns);
  if (preferred == TimedBy::kCupti) {
    auto timer = make_cupti_timer(execution, gpu_, options_.cache);
    if (timer) return {std::move(*timer), TimedBy::kCupti};
    if (options_.time_by != TimerChoice::kAuto) throw std::runtime_error(timer.error().message);
    notes_.insert(
        "short kernels with a cold cache are timed by events, which see more than the "
        "kernel: " +
        timer.error().message);
  }
  if (preferred == TimedBy::kCudaGraph) {
    note_overhead();
    try {
      auto timer = make_graph_timer(execution, gpu_, expected_ns);
      return {without_overhead(std::move(timer), overhead_.graph_ns), TimedBy::kCudaGraph};
    } catch (const CudaError& error) {
      if (options_.time_by != TimerChoice::kAuto || !is_usable_after_error()) throw;
      notes_.insert(
          fmt::format("what cannot be captured into a graph is timed by events: {}", error.what()));
    }
  }
  note_overhead();
  auto timer = make_event_timer(execution, gpu_, options_.cache);
  return {without_overhead(std::move(timer), overhead_.events_ns), TimedBy::kCudaEvents};
}

void Meter::note_overhead() {
  if (overhead_.trouble.empty()) {
    notes_.insert(
        fmt::format("times by events are less {:.2f} us, by graph replay less {:.2f} us: "
                    "what they see besides a kernel, measured against CUPTI",
                    overhead_.events_ns / 1e3, overhead_.graph_ns / 1e3));
  } else {
    notes_.insert(
        fmt::format("times by events and by graph replay hold the GPU's pause at each "
                    "launch, since it could not be measured: {}",
                    overhead_.trouble));
  }
}

}  // namespace proofline::bench

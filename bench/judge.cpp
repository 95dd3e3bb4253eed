// SPDX-License-Identifier: Apache-2.0
#include "judge.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/statistics.h"

namespace proofline::bench {
namespace {

double median_ns(const std::vector<Sample>& samples) {
  std::vector<double> ns;
  ns.reserve(samples.size());
  for (const Sample& sample : samples) ns.push_back(sample.ns);
  return median(ns);
}

void invalidate(Measurement& measurement, std::string reason) {
  measurement.state = MeasurementState::kInvalid;
  measurement.reason = std::move(reason);
}

}  // namespace

void judge(Measurement& measurement, const Roofs& roofs) {
  if (measurement.samples.empty()) return;
  const double ns = median_ns(measurement.samples);
  if (!(ns > 0)) {
    return invalidate(measurement, "it has no duration: does it launch anything on launch.stream?");
  }
  if (measurement.bytes && roofs.dram_bytes_per_second && measurement.cache == CacheState::kCold) {
    // What was written last can still lie in L2, and never cost memory any time.
    const double gigabytes = (*measurement.bytes - roofs.l2_bytes) / ns;
    const double roof = *roofs.dram_bytes_per_second / 1e9;
    if (gigabytes > roof) {
      return invalidate(measurement,
                        fmt::format("{:.0f} GB/s is above the {:.0f} GB/s that this "
                                    "GPU's memory can do: are the declared bytes right?",
                                    gigabytes, roof));
    }
  }
  if (measurement.flops && roofs.flops_per_second) {
    const double teraflops = *measurement.flops / ns / 1e3;
    const double roof = *roofs.flops_per_second / 1e12;
    if (teraflops > roof) {
      invalidate(measurement, fmt::format("{:.2f} TFLOP/s is above the roof of {:.2f} TFLOP/s: are "
                                          "the declared FLOPs right?",
                                          teraflops, roof));
    }
  }
}

}  // namespace proofline::bench

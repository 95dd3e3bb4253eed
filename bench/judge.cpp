// SPDX-License-Identifier: Apache-2.0
#include "judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/measurement/measured_time.h"
#include "base/text.h"

namespace proofline::bench {
namespace {

// What a measurement makes of one measured ceiling.
struct Reached {
  const Ceiling* ceiling = nullptr;
  double per_second = 0;
  double height = 0;  // of the ceiling
  double share() const { return per_second / height; }
};

// Arithmetic and L2 go with the SM clock, which may have been lower when the ceiling was measured.
double height_of(const Ceiling& ceiling, const MeasuredTime& time) {
  if (ceiling.name == "dram" || !ceiling.sm_mhz || !time.sm_mhz) return ceiling.per_second;
  return ceiling.per_second * std::max(1.0, *time.sm_mhz / *ceiling.sm_mhz);
}

std::optional<Reached> reached(const Roofs& roofs, std::string_view name, double amount,
                               const MeasuredTime& time) {
  const Ceiling* ceiling = find_ceiling(roofs.measured, name);
  if (ceiling == nullptr) return std::nullopt;
  return Reached{ceiling, amount / *time.median_ns * 1e9, height_of(*ceiling, time)};
}

// Of the device's memory; of L2 where that can have served all, or must have served a part.
std::optional<Reached> reached_of_memory(const Measurement& measurement, const Roofs& roofs,
                                         const MeasuredTime& time) {
  const double bytes = *measurement.bytes;
  if (measurement.cache != CacheState::kHot || bytes > roofs.l2_bytes) {
    const auto all = reached(roofs, "dram", bytes, time);
    if (!all || all->share() <= kMostRoofShare) return all;
    const auto beyond_l2 = reached(roofs, "dram", bytes - roofs.l2_bytes, time);
    if (beyond_l2->share() > kMostRoofShare) return beyond_l2;
  }
  return reached(roofs, "l2", bytes, time);
}

std::optional<Reached> reached_of_arithmetic(const Measurement& measurement, const Roofs& roofs,
                                             const MeasuredTime& time) {
  auto result = reached(roofs, measurement.flop_kind, *measurement.flops, time);
  if (result && result->ceiling->bytes) return std::nullopt;  // a kind that is called "dram"
  return result;
}

// The first reason stays.
void invalidate(Measurement& measurement, std::string reason) {
  if (measurement.state == MeasurementState::kInvalid) return;
  measurement.state = MeasurementState::kInvalid;
  measurement.reason = std::move(reason);
}

void judge_by_ceiling(Measurement& measurement, const std::optional<Reached>& reached) {
  if (!reached) return;
  if (!measurement.roof_share || reached->share() > *measurement.roof_share) {
    measurement.roof_share = reached->share();
    measurement.roof = reached->ceiling->name;
    measurement.roof_at_least = reached->ceiling->at_least;
  }
  if (reached->ceiling->at_least || reached->share() <= kMostRoofShare) return;
  const bool bytes = reached->ceiling->bytes;
  const double unit = bytes ? 1e9 : 1e12;
  const char* unit_text = bytes ? "GB/s" : "TFLOP/s";
  invalidate(
      measurement,
      fmt::format("{:.1f} {} is above the {:.1f} {} that this GPU was measured to do at most "
                  "({}): are the declared {} right? If so, calibrate again",
                  reached->per_second / unit, unit_text, reached->height / unit, unit_text,
                  quote(reached->ceiling->name), bytes ? "bytes" : "FLOPs"));
}

// By what the memory is built for.
void judge_by_dram(Measurement& measurement, const Roofs& roofs, double ns) {
  if (!measurement.bytes || !roofs.dram_bytes_per_second) return;
  if (measurement.cache != CacheState::kCold) return;
  // The last writes can still be in L2 and did not take DRAM time.
  const double gigabytes = (*measurement.bytes - roofs.l2_bytes) / ns;
  const double roof = *roofs.dram_bytes_per_second / 1e9;
  if (gigabytes <= roof) return;
  invalidate(measurement, fmt::format("{:.0f} GB/s is above the {:.0f} GB/s that this GPU's memory "
                                      "can do: are the declared bytes right?",
                                      gigabytes, roof));
}

void judge_by_given_roof(Measurement& measurement, const Roofs& roofs, double ns) {
  if (!measurement.flops || !roofs.flops_per_second) return;
  const double teraflops = *measurement.flops / ns / 1e3;
  const double roof = *roofs.flops_per_second / 1e12;
  if (teraflops <= roof) return;
  invalidate(measurement, fmt::format("{:.2f} TFLOP/s is above the roof of {:.2f} TFLOP/s: are the "
                                      "declared FLOPs right?",
                                      teraflops, roof));
}

}  // namespace

void judge(Measurement& measurement, const Roofs& roofs) {
  if (measurement.samples.empty()) return;
  const MeasuredTime time = measured_time(measurement);
  const double ns = *time.median_ns;
  if (!(ns > 0)) {
    return invalidate(measurement, "it has no duration: does it launch anything on launch.stream?");
  }
  judge_by_dram(measurement, roofs, ns);
  judge_by_given_roof(measurement, roofs, ns);
  if (measurement.bytes) {
    judge_by_ceiling(measurement, reached_of_memory(measurement, roofs, time));
  }
  if (measurement.flops) {
    judge_by_ceiling(measurement, reached_of_arithmetic(measurement, roofs, time));
  }
}

}  // namespace proofline::bench

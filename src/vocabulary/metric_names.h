// SPDX-License-Identifier: Apache-2.0
//
// Metrics that ncu renamed over the years, newest name first. The `_sol_pct` names are those of ncu
// before 2020.2.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace proofline {

using MetricAlternatives = std::span<const std::string_view>;

inline constexpr std::array<std::string_view, 3> kDuration = {
    "gpu__time_duration.sum", "gpu__time_duration.avg", "gpu__time_duration"};
inline constexpr std::array<std::string_view, 2> kSmThroughput = {
    "sm__throughput.avg.pct_of_peak_sustained_elapsed", "sm__sol_pct"};
inline constexpr std::array<std::string_view, 2> kMemoryThroughput = {
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__compute_memory_sol_pct"};
// The share of elapsed cycles comes first: the share of active cycles can exceed 100 %.
inline constexpr std::array<std::string_view, 3> kL1Throughput = {
    "l1tex__throughput.avg.pct_of_peak_sustained_elapsed",
    "l1tex__throughput.avg.pct_of_peak_sustained_active", "tex__sol_pct"};
inline constexpr std::array<std::string_view, 3> kL2Throughput = {
    "lts__throughput.avg.pct_of_peak_sustained_elapsed", "ltc__sol_pct", "lts__sol_pct"};
inline constexpr std::array<std::string_view, 2> kSmCount = {
    "launch__sm_count", "device__attribute_multiprocessor_count"};
inline constexpr std::array<std::string_view, 1> kAchievedOccupancy = {
    "sm__warps_active.avg.pct_of_peak_sustained_active"};
inline constexpr std::array<std::string_view, 1> kTheoreticalOccupancy = {
    "sm__maximum_warps_per_active_cycle_pct"};

}  // namespace proofline

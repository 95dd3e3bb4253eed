// SPDX-License-Identifier: Apache-2.0
//
// Sums over a timeline by name: kernels, calls, operators and copies; and the delay between a
// launch and the start of its kernel.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/timeline/launches.h"
#include "analysis/timeline/time_selection.h"
#include "model/timeline/timeline.h"

namespace proofline {

// Events of one name. The median of an even number of them is the lower of the middle two.
struct NameTimes {
  std::uint32_t name = 0;  // in Timeline::names
  std::uint64_t count = 0;
  std::int64_t sum_ns = 0;
  std::int64_t min_ns = 0;
  std::int64_t median_ns = 0;
  std::int64_t max_ns = 0;
};

// The longest in total first; ties by name.
std::vector<NameTimes> kernel_times(const Timeline& timeline, const TimeSelection& selection = {});
std::vector<NameTimes> call_times(const Timeline& timeline, const TimeSelection& selection = {});
// GPU time by the innermost operator that launched it.
std::vector<NameTimes> operator_times(const Timeline& timeline, const Launches& launches,
                                      const TimeSelection& selection = {});

enum class HostMemory : std::uint8_t { kNone, kPageable, kPinned };
std::string_view to_string(HostMemory memory);  // "pageable"; "" none
// The kind of memory at the host's end of a copy.
HostMemory host_memory(const GpuOp& op);

enum class CopySize : std::uint8_t { kSmall, kMedium, kLarge };
std::string_view to_string(CopySize size);  // "below 64 KiB"
inline constexpr std::uint64_t kMediumCopyBytes = std::uint64_t{64} << 10U;
inline constexpr std::uint64_t kLargeCopyBytes = std::uint64_t{1} << 20U;

struct CopyTimes {
  CopyDirection direction = CopyDirection::kUnknown;
  HostMemory memory = HostMemory::kNone;
  CopySize size = CopySize::kSmall;
  std::uint64_t count = 0;
  std::int64_t sum_ns = 0;
  std::optional<std::uint64_t> bytes = 0;  // none where a copy does not tell
};
// By direction, the host's memory and size; the longest in total first.
std::vector<CopyTimes> copy_times(const Timeline& timeline, const TimeSelection& selection = {});

struct LaunchDelays {
  std::uint64_t count = 0;  // of kernels whose call is known
  std::int64_t min_ns = 0;
  std::int64_t median_ns = 0;
  std::int64_t max_ns = 0;
  std::uint64_t negative = 0;       // that started before their call: clocks that disagree
  std::uint32_t deepest_queue = 0;  // operations called and not started
  double mean_queue = 0;            // over time
};
LaunchDelays launch_delays(const Timeline& timeline, const Launches& launches,
                           const TimeSelection& selection = {});

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/start_up.h"

#include <algorithm>
#include <cstddef>

namespace proofline {
namespace {

// A program that works evenly has a twentieth of its idle time in the first twentieth of its
// operations. Where most of it is there, that is start-up.
constexpr std::size_t kStartUpPart = 20;
constexpr double kLeastOfIdle = 2.0 / 3;
// Below that, no rule would find anything in it.
constexpr double kLeastOfSpan = 0.05;
// With fewer operations a twentieth of them is too few to tell.
constexpr std::size_t kLeastOpsToTell = 200;

}  // namespace

std::optional<std::int64_t> end_of_start_up(const Timeline& timeline,
                                            const std::vector<DeviceTime>& devices) {
  const auto busiest = std::max_element(
      devices.begin(), devices.end(),
      [](const DeviceTime& a, const DeviceTime& b) { return a.ops.size() < b.ops.size(); });
  if (!timeline.from_program_start || busiest == devices.end()) return std::nullopt;
  const std::vector<std::uint32_t>& ops = busiest->ops;
  if (ops.size() < kLeastOpsToTell) return std::nullopt;
  const std::int64_t end = timeline.ops[ops[ops.size() / kStartUpPart]].start_ns;
  const std::int64_t all = time_parts(*busiest, busiest->start_ns, busiest->end_ns).idle_ns;
  const std::int64_t before = time_parts(*busiest, busiest->start_ns, end).idle_ns;
  const bool is_most =
      static_cast<double>(before) >= kLeastOfIdle * static_cast<double>(all) &&
      static_cast<double>(before) >= kLeastOfSpan * static_cast<double>(busiest->span_ns());
  if (before == 0 || !is_most) return std::nullopt;
  return end;
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// Chooses launches by number, then by name, and says what there is where nothing fits.
#include "workflow/profile/select_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "diagnosis/group.h"
#include "workflow/profile/patterns.h"

namespace proofline {
namespace {

std::string paths_of(std::span<const Profile> profiles) {
  std::string text;
  for (const Profile& profile : profiles) text += (text.empty() ? "" : ", ") + quote(profile.path);
  return text;
}

// --kernel 3: the kernel that tables give this number, which is that of its first launch.
std::optional<std::size_t> kernel_number(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

// Of what is chosen, the launches of the kernel that launch `number` belongs to.
Result<std::vector<std::vector<std::size_t>>> select_kernel(
    std::span<const Profile> profiles, std::size_t number,
    std::vector<std::vector<std::size_t>> chosen) {
  bool any = false;
  std::size_t most = 0;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    most = std::max(most, profiles[i].launches.size());
    std::vector<std::size_t> of_kernel;
    for (LaunchGroup& group : group_launches(profiles[i])) {
      if (std::binary_search(group.launches.begin(), group.launches.end(), number)) {
        of_kernel = std::move(group.launches);
      }
    }
    std::erase_if(chosen[i], [&](std::size_t position) {
      return !std::binary_search(of_kernel.begin(), of_kernel.end(), position);
    });
    any = any || !chosen[i].empty();
  }
  if (any) return chosen;
  return fail(
      ErrorKind::kInput,
      fmt::format(
          "{}: no kernel {}; launches are numbered 0 to {}, and a name of digits is {} '({})'",
          paths_of(profiles), number, most - 1, option("kernel"), number));
}

}  // namespace

Result<std::vector<std::vector<std::size_t>>> select_launches(std::span<const Profile> profiles,
                                                              const LaunchFilter& filter) {
  std::size_t most = 0;
  for (const Profile& profile : profiles) most = std::max(most, profile.launches.size());
  for (const std::size_t position : filter.launches) {
    if (position < most) continue;
    return fail(ErrorKind::kInput, fmt::format("{}: no launch {}; it has launches 0 to {}",
                                               paths_of(profiles), position, most - 1));
  }
  std::vector<std::vector<std::size_t>> chosen;
  for (const Profile& profile : profiles) {
    std::vector<std::size_t>& positions = chosen.emplace_back(filter.launches);
    std::erase_if(positions, [&](std::size_t p) { return p >= profile.launches.size(); });
    if (!filter.launches.empty()) continue;
    positions.resize(profile.launches.size());
    std::iota(positions.begin(), positions.end(), 0);
  }
  if (filter.kernel.empty()) return chosen;
  if (const auto number = kernel_number(filter.kernel)) {
    return select_kernel(profiles, *number, std::move(chosen));
  }
  ASSIGN_OR_RETURN(const auto pattern, KernelPattern::compile(filter.kernel, option("kernel")));
  bool any = false;
  std::string known;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    std::erase_if(chosen[i],
                  [&](std::size_t p) { return !pattern.matches(profiles[i].launches[p]); });
    any = any || !chosen[i].empty();
    known += known_kernels(profiles[i]);
  }
  if (any) return chosen;
  return fail(ErrorKind::kInput, fmt::format("{}: no kernel matches {}; it has:{}",
                                             paths_of(profiles), quote(filter.kernel), known));
}

}  // namespace proofline

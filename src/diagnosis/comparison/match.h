// SPDX-License-Identifier: Apache-2.0
//
// Which kernel of one profile is which kernel of another. Names made by a JIT carry hashes and
// counters that change with every build; the rest of the name and the shape still tell. Two kernels
// are a pair only where no other pairing is possible; what is left is named, never guessed.
//
//   fn_moe_5f3a91c2          fn_moe_0b77e412            normalised name
//   softmax_0d1d2de          softmax_0d1d2d             normalised name
//   tile<64>(float *)        tile<128>(float *, int)    function, once nothing else is left for it
//   add_kernel<Add<float>>   add_kernel<Mul<float>>     no pair
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/diagnosis/comparison.h"

namespace proofline {

struct MatchSubject {
  LaunchKind kind = LaunchKind::kKernel;
  std::string_view name;
  std::string_view function;
  std::optional<Dim3> grid;
  std::optional<Dim3> block;
  std::optional<std::uint32_t> device;
  std::optional<double> total_ns;
};

struct KernelPair {
  std::size_t a = 0;  // positions in the two lists
  std::size_t b = 0;
  MatchKind kind = MatchKind::kExact;
};

struct Unpaired {
  std::size_t position = 0;
  std::optional<std::size_t> candidate;  // the nearest on the other side, paired or not
  std::string reason;
};

struct Matching {
  std::vector<KernelPair> pairs;  // in the order of the first list
  std::vector<Unpaired> only_in_a;
  std::vector<Unpaired> only_in_b;
};

// `force`: when each side has one kernel only, they are a pair whatever their names. `chosen`:
// functions of both sides that are pairs before all else.
Matching match_kernels(const std::vector<MatchSubject>& a, const std::vector<MatchSubject>& b,
                       bool force,
                       const std::vector<std::pair<std::string, std::string>>& chosen = {});

// The name with '#' for each part that looks like a hash (six or more hex digits, at least one of
// them a digit) and for a counter or a list of specialised arguments at the end of the function's
// name ("_12", "_0d1d2de").
std::string normalise_kernel_name(std::string_view name, std::string_view function);

}  // namespace proofline

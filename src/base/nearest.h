// SPDX-License-Identifier: Apache-2.0
//
// "Did you mean": the known names nearest to one that is not known.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proofline {

// Letters to insert, delete, replace or swap with their neighbour until a is b, no letter touched
// twice; limit + 1 where it takes more than the limit.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

// The candidates nearest to the name, best first, at most `most`; none where nothing is near. Those
// that the name is a part of count as near. Upper and lower case are the same. The views are those
// of the candidates.
std::vector<std::string_view> nearest(std::string_view name,
                                      std::span<const std::string_view> candidates,
                                      std::size_t most);

// "; did you mean NAME?" with the nearest candidate, to end a sentence with; "" where none is near.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace proofline

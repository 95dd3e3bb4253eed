// SPDX-License-Identifier: Apache-2.0
//
// Time that passes, as progress shows it.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace proofline {

// "0:07", "12:30", "1:02:30".
std::string clock_text(std::chrono::seconds time);
std::string elapsed_text(std::chrono::steady_clock::time_point start);
// ", about 0:40 left", by how long the part that is done took; "" while nothing is.
std::string left_text(std::chrono::steady_clock::time_point start, std::size_t done,
                      std::size_t all);

}  // namespace proofline

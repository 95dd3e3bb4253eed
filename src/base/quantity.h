// SPDX-License-Identifier: Apache-2.0
//
// Numbers in the words that people use: 12345 ns is "12.35 us", 4.1e12 byte/s is "4.1 TB/s", 0.861
// of a whole is "86.1 %". Four significant digits say all that a measurement can.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace proofline {

// "12.35 us"; "-" for no time.
std::string time_text(std::optional<double> nanoseconds);

// "1.2 MB"; "-" for no size.
std::string bytes_text(std::optional<std::uint64_t> bytes);

// A number in its unit as facts spell it: "share", "%", "ns", "hz", "byte", "byte/s"; a rate or a
// number without a unit is scaled or grouped, and every other unit follows the number.
std::string quantity_text(double number, std::string_view unit);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// What a number in an expression is a number of. Two dimensions count, time and bytes; all else
// (instructions, warps, FLOP) are plain counts. Inside expressions time is in seconds and size in
// bytes, so that a byte/s of one fact compares with the bytes over the time of two others.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace proofline {

struct Dimension {
  int time = 0;
  int bytes = 0;

  friend bool operator==(const Dimension&, const Dimension&) = default;
};

// "a time", "bytes a second", "a plain number"
std::string to_text(const Dimension& dimension);

struct UnitScale {
  Dimension dimension;
  double factor = 1;   // a value in this unit times this is what expressions count in
  bool share = false;  // part of a whole: 0 to 1
};

// Of a fact or metric, as ncu spells units ("ns", "byte/s", "%", "share", "inst/cycle").
UnitScale scale_of_unit(std::string_view unit);

// A unit after a number in an expression: "%", "us", "KiB", "GB/s", "TFLOP/s".
struct WrittenUnit {
  std::string_view text;
  UnitScale scale;
};
// The longest one that the text begins with; nothing where there is none.
std::optional<WrittenUnit> unit_at(std::string_view text);

// The base unit that a result of this dimension is shown in: "ns", "byte", "byte/s"; "" plain.
std::string unit_for(const Dimension& dimension, bool share);

}  // namespace proofline

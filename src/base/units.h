// SPDX-License-Identifier: Apache-2.0
//
// Numbers and units as a profiler prints them, undone: "1,234.50" with unit "Kbyte" is 1234500
// "byte". All scales are powers of ten, so the scale goes into the number's text before it is
// converted: a value printed in "ms" becomes the same double as one printed in "ns".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace proofline {

struct ScaledUnit {
  int exponent = 0;  // a printed number times ten to this is in the base unit
  std::string base;  // "byte", "ns", "hz", "byte/s", ...; a unit that we do not know stays as it is
};

// Takes the spellings of all ncu versions: "us" and "usecond", "Ghz" and "cycle/nsecond". Prefixes
// are decimal for bytes too (a Kbyte is 1000 byte). A prefix below the stroke scales the number the
// same way as one above it ("%/Kbyte" is 1000 times less than "%/byte"): odd, but what ncu does;
// only time below the stroke is a true division ("sector/ns").
ScaledUnit parse_unit(std::string_view text);

// Whether the word is a unit that ncu prints, scaled or not; "" is none.
bool is_unit(std::string_view text);

// The decimal separator: ncu follows the locale of the machine it ran on.
enum class DecimalMark { kPoint, kComma };

// std::monostate: not a number. A double may be infinite or NaN.
using Number = std::variant<std::monostate, double, std::uint64_t>;

// "1,234,567.89" or "1.234.567,89", times ten to the exponent. A whole number stays one when the
// exponent is 0 and it fits; thousands separators are optional but must be in place.
Number parse_number(std::string_view text, int exponent = 0,
                    DecimalMark mark = DecimalMark::kPoint);

// Finds the decimal mark from all the numbers of a file: "2,75" and "1.234.567" speak for the
// comma, "2.75" for the point, and "1,234" for neither.
class DecimalMarkVote {
 public:
  void see(std::string_view text);
  DecimalMark result() const { return comma_ > point_ ? DecimalMark::kComma : DecimalMark::kPoint; }

 private:
  std::uint64_t point_ = 0;
  std::uint64_t comma_ = 0;
};

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// Chooses prefixes and digits: four significant ones say all that a measurement can.
#include "views/quantity.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "base/text.h"
#include "model/diagnosis/facts.h"
#include "model/profile/display_name.h"

namespace proofline {
namespace {

std::string number_text(double number) {
  constexpr double kLargestWhole = 1e15;  // beyond it a double has no digits behind the point
  const double size = std::abs(number);
  if (size >= kLargestWhole || (size < 1e-3 && size > 0)) return fmt::format("{:.3e}", number);
  if (size < 1000) return without_zeros(fmt::format("{:.4g}", number));
  return (number < 0 ? "-" : "") + group_digits(static_cast<std::uint64_t>(std::llround(size)));
}

std::string scaled_text(double number, std::string_view unit) {
  constexpr std::string_view kPrefixes[] = {"", "k", "M", "G", "T", "P"};
  std::size_t step = 0;
  while (std::abs(number) >= 999.5 && step + 1 < std::size(kPrefixes)) {
    number /= 1000;
    ++step;
  }
  return fmt::format("{} {}{}", without_zeros(fmt::format("{:.3g}", number)), kPrefixes[step],
                     unit);
}

// What is left out of a name is told apart by its hash.
std::string name_within(std::string_view name, std::size_t most) {
  if (name.size() <= most) return std::string(name);
  return elide_middle(to_valid_utf8(name), most) + "#" + short_hash(name);
}

}  // namespace

std::string time_text(std::optional<double> nanoseconds) {
  if (!nanoseconds) return "-";
  if (*nanoseconds < 1e3) return fmt::format("{:.0f} ns", *nanoseconds);
  if (*nanoseconds < 1e6) return fmt::format("{:.2f} us", *nanoseconds / 1e3);
  if (*nanoseconds < 1e9) return fmt::format("{:.2f} ms", *nanoseconds / 1e6);
  return fmt::format("{:.2f} s", *nanoseconds / 1e9);
}

std::string dim_text(const std::optional<Dim3>& dim) {
  if (!dim) return "-";
  const auto& [x, y, z] = *dim;
  if (z != 1) return fmt::format("{}x{}x{}", x, y, z);
  if (y != 1) return fmt::format("{}x{}", x, y);
  return std::to_string(x);
}

std::string quantity_text(const std::variant<double, std::string>& value, std::string_view unit) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  const double number = std::get<double>(value);
  if (unit.empty()) return number_text(number);
  if (unit == kShare) return share_text(number);
  if (unit == "%") return share_text(number / 100);
  if (unit == "ns") return time_text(number);
  if (unit == "hz") return scaled_text(number, "Hz");
  if (unit == "byte") return scaled_text(number, "B");
  if (unit == "byte/s") return scaled_text(number, "B/s");
  if (unit.ends_with("/s")) return scaled_text(number, unit);
  return fmt::format("{} {}", number_text(number), unit);
}

std::string shown_name(std::string_view name) { return name_within(name, 400); }

std::string table_name(std::string_view kernel) { return shown_name(without_signature(kernel)); }

Cell number_cell(std::optional<double> number) {
  return {number && std::isfinite(*number) ? fmt::format("{}", *number) : "", true};
}

}  // namespace proofline

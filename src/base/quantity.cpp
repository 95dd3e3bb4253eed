// SPDX-License-Identifier: Apache-2.0
#include "base/quantity.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "base/text.h"

namespace proofline {
namespace {

std::string number_text(double number) {
  constexpr double kLargestWhole = 1e15;  // beyond it a double has no digits after the point
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

}  // namespace

std::string time_text(std::optional<double> nanoseconds) {
  if (!nanoseconds) return "-";
  if (*nanoseconds < 1e3) return fmt::format("{:.0f} ns", *nanoseconds);
  if (*nanoseconds < 1e6) return fmt::format("{:.2f} us", *nanoseconds / 1e3);
  if (*nanoseconds < 1e9) return fmt::format("{:.2f} ms", *nanoseconds / 1e6);
  return fmt::format("{:.2f} s", *nanoseconds / 1e9);
}

std::string bytes_text(std::optional<std::uint64_t> bytes) {
  return bytes ? scaled_text(static_cast<double>(*bytes), "B") : "-";
}

std::string quantity_text(double number, std::string_view unit) {
  if (unit.empty()) return number_text(number);
  if (unit == "share") return share_text(number);
  if (unit == "%") return share_text(number / 100);
  if (unit == "ns") return time_text(number);
  if (unit == "hz") return scaled_text(number, "Hz");
  if (unit == "byte") return scaled_text(number, "B");
  if (unit == "byte/s") return scaled_text(number, "B/s");
  if (unit.ends_with("/s")) return scaled_text(number, unit);
  return fmt::format("{} {}", number_text(number), unit);
}

}  // namespace proofline

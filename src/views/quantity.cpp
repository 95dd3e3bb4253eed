// SPDX-License-Identifier: Apache-2.0
#include "views/quantity.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "model/profile/display_name.h"

namespace proofline {
namespace {

// What is left out of a name is told apart by its hash.
std::string name_within(std::string_view name, std::size_t most) {
  if (name.size() <= most) return std::string(name);
  return elide_middle(to_valid_utf8(name), most) + "#" + short_hash(name);
}

}  // namespace

std::string dim_text(const std::optional<Dim3>& dim) {
  if (!dim) return "-";
  const auto& [x, y, z] = *dim;
  if (z != 1) return fmt::format("{}x{}x{}", x, y, z);
  if (y != 1) return fmt::format("{}x{}", x, y);
  return std::to_string(x);
}

std::string quantity_text(const std::variant<double, std::string>& value, std::string_view unit) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return quantity_text(std::get<double>(value), unit);
}

std::string shown_name(std::string_view name) { return name_within(name, 400); }

std::string table_name(std::string_view kernel) { return shown_name(without_signature(kernel)); }

Cell number_cell(std::optional<double> number) {
  return {number && std::isfinite(*number) ? fmt::format("{}", *number) : "", true};
}

}  // namespace proofline

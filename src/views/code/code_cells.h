// SPDX-License-Identifier: Apache-2.0
//
// Cells and amounts as all tables of machine code show them.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/text.h"
#include "views/document.h"

namespace proofline {

inline Cell count_cell(std::uint64_t value) { return {group_digits(value), true}; }
inline Cell count_cell(const std::optional<std::uint32_t>& value) {
  return value ? count_cell(std::uint64_t{*value}) : Cell{"-"};
}

inline std::string bytes_text(std::uint64_t bytes) {
  return bytes < 1024 ? fmt::format("{} B", bytes)
                      : fmt::format("{:.4g} KiB", static_cast<double>(bytes) / 1024);
}

}  // namespace proofline

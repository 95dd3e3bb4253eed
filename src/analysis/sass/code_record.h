// SPDX-License-Identifier: Apache-2.0
//
// What descriptions of machine code share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/record.h"

namespace proofline {

// "0x01c0"
std::string hex_text(std::uint32_t address);
std::optional<std::string> hex_text(const std::optional<std::uint32_t>& address);
std::vector<std::string> hex_text(const std::vector<std::uint32_t>& addresses);

// An address of code, or a list of them.
template <auto kPointer, class Owner = typename shapes::MemberPointer<decltype(kPointer)>::Owner>
Member address(std::string_view name, std::string_view meaning = {}) {
  return derived(name, meaning, [](const Owner& object) { return hex_text(object.*kPointer); })
      .pattern("^0x[0-9a-f]{4,}$");
}

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// The version of all JSON that we write. Within one major number members are only added, so what
// has our major number can be read.
#pragma once

#include <string_view>

namespace proofline {

inline constexpr std::string_view kSchemaVersion = "1.0";
inline constexpr std::string_view kReadableSchemas = "1.x";  // in words, for an error

constexpr bool is_readable_schema(std::string_view version) {
  return version.starts_with(kSchemaVersion.substr(0, kSchemaVersion.find('.') + 1));
}
static_assert(is_readable_schema(kReadableSchemas));

}  // namespace proofline

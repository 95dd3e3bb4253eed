// SPDX-License-Identifier: Apache-2.0
//
// Text as RE2 takes it: its own string pieces are not std's in every version.
#pragma once

#include <re2/stringpiece.h>

#include <string_view>

namespace proofline {

inline re2::StringPiece regex_text(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace proofline

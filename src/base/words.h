// SPDX-License-Identifier: Apache-2.0
//
// A command line in one string as a list of words, by a shell's rules for quotes and nothing else:
// no variables, no patterns, no other programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace proofline {

// Words are separated by white space; '...' is literal, in "..." a backslash makes " and \ plain,
// and outside of quotes any character. kUsage for a quote that is not closed.
Result<std::vector<std::string>> split_words(std::string_view text);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// The messages of compute-sanitizer and cuda-memcheck, line by line into a finding: the heading
// says what happened, the lines below it where, by whom, and to what.
#pragma once

#include <string_view>

#include "model/machine/sanitizer.h"

namespace proofline {

// The finding that this heading begins; kUnknown where we do not know its words.
SanitizerFinding begin_finding(std::string_view heading);

// Whether a line that is not indented belongs to a message nevertheless: manuals and mails lose the
// indentation.
bool is_detail(std::string_view text);

// Adds a line below the heading. What we do not know is kept among the details.
void add_detail(std::string_view text, SanitizerFinding& finding);

}  // namespace proofline

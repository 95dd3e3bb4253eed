// SPDX-License-Identifier: Apache-2.0
//
// What the sanitizer's tools found, as a document:
//
//   memcheck reports 1 finding
//
//   Tool       Outcome   Findings  Errors  Warnings    Time
//   synccheck  clean            0       0         0   0.7 s
//   memcheck   findings         1      24         0   1.3 s
//
//   1. out-of-bounds global write of 4 bytes in write_past_end, out_of_bounds.cu:8  (24 errors)
//      threads  (104,0,0) to (127,0,0) in block (7,0,0)
//      ...
#pragma once

#include <string_view>

#include "model/machine/sanitizer.h"
#include "views/document.h"

namespace proofline {

Document compose_sanitizer(const SanitizerRun& run);
// One row for each finding, for programs.
Document compose_sanitizer_rows(const SanitizerRun& run);

// What to do about findings of this kind.
std::string_view next_step(SanitizerKind kind);

}  // namespace proofline

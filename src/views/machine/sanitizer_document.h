// SPDX-License-Identifier: Apache-2.0
//
// What the sanitizer's tools found, as a document:
//
//   Errors found by memcheck
//
//   Tool      Outcome   Findings  Errors  Warnings  Time
//   --------  --------  --------  ------  --------  ----
//   memcheck  findings         4      27         0     -
//
//   memcheck
//   1. out-of-bounds global write of 4 bytes in write_past_end, out_of_bounds.cu:8  24 errors
//      says: Invalid __global__ write of size 4 bytes
//      at: write_past_end(float *, int)+0x90 in out_of_bounds.cu:8
//      threads: (104,0,0) to (127,0,0)
//      blocks: (7,0,0)
//      next: compare the index with the size of the allocation at this line; ...
//
// A finding is all errors of one kind at one place; Errors and Warnings count what the tool
// printed. "says" is the tool's own line.
#pragma once

#include <string_view>

#include "model/machine/sanitizer.h"
#include "views/document.h"

namespace proofline {

Document compose_sanitizer(const SanitizerRun& run);
// One row for each finding, for programs.
Document compose_sanitizer_rows(const SanitizerRun& run);

// What to do about findings of this kind.
std::string next_step(SanitizerKind kind);

Record describe(const SanitizerRun*);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// The table that `ncu --import FILE --page raw --csv --print-units base` prints, column for column:
//
//   "ID","Process ID",...,"Kernel Name",...,"CC","dram__bytes_read.sum",...
//   "","",...,"",...,"","byte",...
//   "0","525",...,"copy4(const float4 *, float4 *, unsigned long)",...,"9.0","268,474,688",...
//
// One row for each launch under a row of units; numbers with thousands separators and, unless
// whole, two decimals.
#pragma once

#include <string>

#include "model/profile/profile.h"
#include "views/document.h"
#include "views/profile/selection.h"

namespace proofline {

Document compose_raw_page(const Profile& profile, const Selection& selection);

// False for the lists of names after a throughput ("breakdown:...", "group:..."), which ncu's own
// pages leave out.
bool on_raw_page(std::string_view metric_name);

// A metric's value as the raw page prints it.
std::string raw_page_text(const Metric& metric);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// The unit of an Nsight Compute metric. A report stores names and values in base units but no
// units; ncu knows them from its own database. This is the one place of ours that knows them.
#pragma once

#include <string_view>

namespace proofline {

// The base unit as the unit row of `ncu --page raw --csv --print-units base` spells it ("byte",
// "byte/s", "hz", "%", "inst/cycle", "ns", ...); empty for a plain number, a string or a name that
// no rule knows. The view refers to static storage.
std::string_view metric_unit(std::string_view metric_name);

}  // namespace proofline

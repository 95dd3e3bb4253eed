// SPDX-License-Identifier: Apache-2.0
//
// A time as text in UTC. By strftime: fmt's formats of time are slow to compile.
#pragma once

#include <ctime>
#include <string>

namespace proofline {

// `format` is strftime's; "" where the time has no date.
std::string utc_text(std::time_t time, const char* format = "%Y-%m-%dT%H:%M:%SZ");

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// What each kind of reader promises, whatever the bytes are: neither to crash nor to hang, and of
// its result what <kind>_promises.cpp requires. Each is called only with a format that offers the
// kind.
#pragma once

#include <string_view>

#include "base/input.h"
#include "readers/format.h"

namespace proofline::fuzz {

// Small enough to leave the fuzzer's memory limit alone.
inline InputLimits limits() { return {.max_bytes = 16U << 20U}; }

void check_profile(const Format& format, std::string_view bytes);
void check_code(const Format& format, std::string_view bytes);
void check_benchmark(const Format& format, std::string_view bytes);
void check_sanitizer_log(const Format& format, std::string_view bytes);
void check_ceilings(const Format& format, std::string_view bytes);
void check_recording(const Format& format, std::string_view bytes);
void check_timeline(const Format& format, std::string_view bytes);

}  // namespace proofline::fuzz

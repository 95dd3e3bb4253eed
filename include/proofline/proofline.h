// SPDX-License-Identifier: Apache-2.0
//
// The public API of the proofline library.
//
//   auto profile = proofline::load("report.ncu-rep");
//   if (!profile) { std::cerr << profile.error().message; return 1; }
//   for (const auto& launch : profile->launches) { ... }
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/profile.h"
#include "proofline/version.h"
#include "readers/reader.h"

namespace proofline {

// Reads a profile of any known format, found by its bytes; "-" is standard input.
Result<Profile> load(const std::string& path, const ReadOptions& options = {});

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// Tells whether a file is still the one that the journal speaks of.
#pragma once

#include <string>

#include "base/result.h"

namespace proofline {

// The SHA-256 of a regular file's bytes, as 64 hex digits. kInput.
Result<std::string> file_sha256(const std::string& path);

}  // namespace proofline

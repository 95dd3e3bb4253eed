// SPDX-License-Identifier: Apache-2.0
//
// Writes the code embedded in a profile to files. Stored names are a stranger's: a file lands
// directly in the given folder under a name made safe, never over an existing file, never through a
// link.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/profile/profile.h"

namespace proofline {

enum class ExtractKind { kCubin, kPtx, kSource };

struct ExtractedFile {
  std::string path;
  std::string stored_name;  // as the report has it; empty for cubins and PTX
  std::uint64_t bytes;
};

Result<std::vector<ExtractedFile>> extract(const Profile& profile, ExtractKind kind,
                                           const std::string& folder);

// Letters, digits, '.', '_', '-' of the stored name's last part; never empty, never hidden.
std::string safe_file_name(std::string_view stored_name);

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace proofline {

// The names in a folder, new, changed or removed, are on the disk afterwards: syncing a file stores
// what is in it, not what it is called. "" is this folder. Where a file system cannot do it, or the
// folder may not be read, there is nothing that a caller could do.
void sync_folder(const std::filesystem::path& folder);

}  // namespace proofline

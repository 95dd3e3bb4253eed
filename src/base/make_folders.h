// SPDX-License-Identifier: Apache-2.0
//
// The one way to create a project's .proofline folder or one below it.
#pragma once

#include <string>
#include <system_error>

namespace proofline {

inline constexpr const char* kProjectFolder = ".proofline";

// As std::filesystem::create_directories(), and the new names are on the disk. A .proofline that is
// new gets a .gitignore for all in it: runs are large and belong to one machine. The user may
// change or remove that; it does not come back.
bool make_folders(const std::string& path, std::error_code& error);

}  // namespace proofline

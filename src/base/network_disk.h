// SPDX-License-Identifier: Apache-2.0
//
// Detects network file systems, where locks and writes of one machine may reach another late or
// never.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace proofline {

// By what statfs() says of a file system: "NFS", "SMB", ...; "" of a local one, overlays of
// containers included, where locks hold.
std::string_view network_file_system(std::uint32_t type);

// Of the file or folder at this path; "" too where there is none.
std::string_view network_disk_of(const std::string& path);

}  // namespace proofline

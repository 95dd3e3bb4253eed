// SPDX-License-Identifier: Apache-2.0
#include "base/network_disk.h"

#include <sys/vfs.h>

#include <algorithm>
#include <iterator>

namespace proofline {
namespace {

struct FileSystem {
  std::uint32_t type;
  std::string_view name;
};

// statfs(2) and linux/magic.h; those of Lustre, GPFS and BeeGFS are in their own sources.
constexpr FileSystem kNetworkFileSystems[] = {
    {0x6969, "NFS"},        {0x517b, "SMB"},
    {0xff534d42, "SMB"},    {0xfe534d42, "SMB"},
    {0x5346414f, "AFS"},    {0x6b414653, "AFS"},
    {0x73757245, "Coda"},   {0x00c36400, "Ceph"},
    {0x01021997, "9P"},     {0x65735546, "FUSE"},
    {0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"},
    {0x19830326, "BeeGFS"}, {0x01161970, "GFS2"},
    {0x7461636f, "OCFS2"},  {0x786f4256, "VirtualBox"},
};

}  // namespace

std::string_view network_file_system(std::uint32_t type) {
  const auto* found = std::find_if(std::begin(kNetworkFileSystems), std::end(kNetworkFileSystems),
                                   [&](const FileSystem& one) { return one.type == type; });
  return found == std::end(kNetworkFileSystems) ? std::string_view() : found->name;
}

std::string_view network_disk_of(const std::string& path) {
  struct statfs system {};
  if (::statfs(path.c_str(), &system) != 0) return {};
  return network_file_system(static_cast<std::uint32_t>(system.f_type));
}

}  // namespace proofline

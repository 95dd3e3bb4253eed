// SPDX-License-Identifier: Apache-2.0
#include "base/network_disk.h"

#include <gtest/gtest.h>
#include <linux/magic.h>

namespace proofline::network_disk_test {
namespace {

TEST(NetworkDisk, IsKnownByItsType) {
  EXPECT_EQ(network_file_system(NFS_SUPER_MAGIC), "NFS");
  EXPECT_EQ(network_file_system(CIFS_SUPER_MAGIC), "SMB");
  EXPECT_EQ(network_file_system(SMB2_SUPER_MAGIC), "SMB");
  EXPECT_EQ(network_file_system(CEPH_SUPER_MAGIC), "Ceph");
  EXPECT_EQ(network_file_system(FUSE_SUPER_MAGIC), "FUSE");
}

TEST(NetworkDisk, IsNoLocalOne) {
  for (const long type : {EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, TMPFS_MAGIC, OVERLAYFS_SUPER_MAGIC}) {
    EXPECT_EQ(network_file_system(static_cast<std::uint32_t>(type)), "") << type;
  }
  EXPECT_EQ(network_disk_of("/proc"), "");
  EXPECT_EQ(network_disk_of("/nowhere"), "");
}

}  // namespace
}  // namespace proofline::network_disk_test

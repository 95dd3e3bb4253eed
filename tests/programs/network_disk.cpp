// SPDX-License-Identifier: Apache-2.0
//
// Put before a program by LD_PRELOAD, it makes every disk one of NFS, as far as statfs() tells.
#include <linux/magic.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

extern "C" int statfs(const char* path, struct statfs* system) noexcept {
  const long done = ::syscall(SYS_statfs, path, system);
  if (done == 0) system->f_type = NFS_SUPER_MAGIC;
  return static_cast<int>(done);
}

// SPDX-License-Identifier: Apache-2.0
//
// Put before a program by LD_PRELOAD, it lets every write take only half of what it is given, as a
// disk that is nearly full, a pipe or a signal may do. What a pipe takes at once (PIPE_BUF) is
// never divided.
#include <limits.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

namespace {

std::size_t half(int file, std::size_t size) {
  struct stat status {};
  const bool pipe = ::fstat(file, &status) == 0 && S_ISFIFO(status.st_mode);
  return pipe && size <= PIPE_BUF ? size : size - size / 2;
}

}  // namespace

extern "C" {
ssize_t write(int file, const void* bytes, std::size_t size) {
  return ::syscall(SYS_write, file, bytes, half(file, size));
}
ssize_t pwrite(int file, const void* bytes, std::size_t size, off_t at) {
  return ::syscall(SYS_pwrite64, file, bytes, half(file, size), at);
}
ssize_t pwrite64(int file, const void* bytes, std::size_t size, off64_t at) {
  return ::syscall(SYS_pwrite64, file, bytes, half(file, size), at);
}
}

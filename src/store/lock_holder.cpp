// SPDX-License-Identifier: Apache-2.0
//
// Reads /proc/locks and not F_GETLK: for the latter we would have to open the file ourselves, and
// closing it would drop the locks that SQLite holds in this process.
#include "store/lock_holder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <sstream>

#include "base/text.h"

namespace proofline {
namespace {

// The bytes that SQLite locks instead of content, from PENDING_BYTE to the end of the shared range.
constexpr std::uint64_t kFirstLockByte = 0x40000000;
constexpr std::uint64_t kLastLockByte = kFirstLockByte + 2 + 510;

struct FileLock {
  bool writes = false;
  long pid = 0;
  std::uint64_t inode = 0;
  std::uint64_t first_byte = 0;
};

// "1: POSIX  ADVISORY  WRITE 1234 08:01:5678 1073741825 1073741825"
FileLock parse_lock(const std::string& line) {
  std::istringstream words(line);
  std::string number;
  std::string kind;
  std::string advisory;
  std::string mode;
  std::string file;
  FileLock lock;
  words >> number >> kind >> advisory >> mode >> lock.pid >> file >> lock.first_byte;
  if (!words || kind != "POSIX") return {};
  lock.writes = mode == "WRITE";
  std::istringstream(file.substr(file.rfind(':') + 1)) >> lock.inode;
  return lock;
}

std::string name_process(long pid) {
  std::ifstream comm(fmt::format("/proc/{}/comm", pid));
  std::string name;
  if (!std::getline(comm, name)) return fmt::format("process {}", pid);
  return fmt::format("process {} ({})", pid, escape_terminal(name));
}

}  // namespace

std::string lock_holder(const std::string& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) return "another process";
  std::ifstream locks("/proc/locks");
  long reader = 0;
  for (std::string line; std::getline(locks, line);) {
    const FileLock lock = parse_lock(line);
    // Of another container the process is not named: 0 or below.
    if (lock.pid <= 0 || lock.pid == ::getpid() || lock.inode != file.st_ino) continue;
    if (lock.first_byte < kFirstLockByte || lock.first_byte > kLastLockByte) continue;
    if (lock.writes) return name_process(lock.pid);
    reader = lock.pid;
  }
  return reader > 0 ? name_process(reader) : "another process";
}

}  // namespace proofline

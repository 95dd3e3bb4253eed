// SPDX-License-Identifier: Apache-2.0
#include "base/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/output.h"
#include "base/propagate.h"
#include "base/sync_folder.h"
#include "base/text.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as the kernel follows
// How long somebody may take to open the other end of a FIFO.
constexpr int kReaderPatienceMs = 10'000;
constexpr int kReaderTickMs = 10;

tl::unexpected<Error> cannot_write(const std::string& path, int error) {
  return fail(ErrorKind::kStorage, fmt::format("cannot write {}: {}", quote(path),
                                               std::generic_category().message(error)));
}

bool is_of_proc(const fs::path& link) {
  const UniqueFd itself(::open(link.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct statfs system {};
  return itself.is_open() && ::fstatfs(itself.get(), &system) == 0 &&
         system.f_type == PROC_SUPER_MAGIC;
}

// The target of the symbolic links at the end of the path. Links in /proc are not followed: their
// text names no file that could be replaced.
fs::path follow_links(fs::path path) {
  std::error_code error;
  for (int i = 0; i < kMostLinks && fs::is_symlink(path, error) && !is_of_proc(path); ++i) {
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  return path;
}

// Of /proc/self/fd/3: 3. It is written through, since to open it once more would begin at its
// front.
std::optional<int> own_descriptor(const fs::path& path) {
  std::error_code error;
  const fs::path folder = fs::canonical(path.parent_path(), error);
  if (folder != fs::path(fmt::format("/proc/{}/fd", ::getpid()))) return std::nullopt;
  const std::string name = path.filename().string();
  int fd = -1;
  const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), fd);
  if (failed != std::errc() || *end != '\0') return std::nullopt;
  return fd;
}

// Waits for a FIFO's reader, as a shell's > does, but not for ever.
UniqueFd open_in_place(const fs::path& path) {
  for (int waited = 0;; waited += kReaderTickMs) {
    UniqueFd file(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (file.is_open() || errno != ENXIO || waited >= kReaderPatienceMs) return file;
    ::poll(nullptr, 0, kReaderTickMs);
  }
}

// Who may not write a file is not to replace it either.
bool is_replaceable(const fs::path& path) {
  if (::access(path.c_str(), W_OK) != 0 && errno != ENOENT) return false;
  const fs::path folder = path.parent_path();
  return ::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0;
}

// 0 or the errno that prevented it. `part` does not exist.
int write_and_rename(const std::string& part, const std::string& path,
                     const std::function<int(int fd)>& write_to) {
  const UniqueFd file(::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.is_open()) return errno;
  struct stat before {};
  if (::stat(path.c_str(), &before) == 0) ::fchmod(file.get(), before.st_mode & 07777);
  int error = write_to(file.get());
  if (error == 0 && ::fsync(file.get()) != 0) error = errno;
  if (error == 0 && std::rename(part.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) ::unlink(part.c_str());
  return error;
}

}  // namespace

Result<WholeFile> WholeFile::prepare(const std::string& path) {
  WholeFile file(path);
  const fs::path target = follow_links(path);
  file.target_ = target.string();
  struct stat found {};
  const bool exists = ::stat(target.c_str(), &found) == 0;
  if (exists && S_ISDIR(found.st_mode)) return cannot_write(path, EISDIR);
  if (const auto own = own_descriptor(target)) {
    file.in_place_ = UniqueFd(::fcntl(*own, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  } else if (exists && (!S_ISREG(found.st_mode) || is_of_proc(target))) {
    file.in_place_ = open_in_place(target);
  } else {
    if (!is_replaceable(target)) return cannot_write(path, errno);
    return file;
  }
  if (!file.in_place_.is_open()) return cannot_write(path, errno);
  return file;
}

Result<void> WholeFile::write(std::string_view bytes) const {
  return write_by([&](int fd) { return write_all(fd, bytes); });
}

Result<void> WholeFile::write(const std::function<void(Output&)>& write_pieces) const {
  return write_by([&](int fd) {
    Output output(fd);
    write_pieces(output);
    output.flush();
    return output.error();
  });
}

Result<void> WholeFile::write_by(const std::function<int(int fd)>& write_to) const {
  int error = 0;
  if (in_place_.is_open()) {
    error = write_to(in_place_.get());
  } else {
    // With the process in its name, so that neither another one nor what a killed one left is in
    // the way.
    error = write_and_rename(fmt::format("{}.{}.part", target_, ::getpid()), target_, write_to);
    if (error == 0) sync_folder(fs::path(target_).parent_path());
  }
  if (error != 0) return cannot_write(path_, error);
  return {};
}

Result<void> write_whole_file(const std::string& path, std::string_view bytes) {
  ASSIGN_OR_RETURN(const auto file, WholeFile::prepare(path));
  return file.write(bytes);
}

}  // namespace proofline

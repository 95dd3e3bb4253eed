// SPDX-License-Identifier: Apache-2.0
//
// Files are read with pread, never mapped: a mapped file that somebody truncates kills the process.

#include "base/stored_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/option.h"

namespace proofline {
namespace {

tl::unexpected<Error> fail_errno(const std::string& what, int code) {
  return fail(ErrorKind::kInput, what + ": " + std::generic_category().message(code));
}

std::string_view describe_type(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode)) return "a character device";
  if (S_ISBLK(mode)) return "a block device";
  return "of an unknown kind";
}

bool same_time(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

}  // namespace

StoredFile::StoredFile(std::string label, std::uint64_t max_bytes)
    : label_(std::move(label)), max_bytes_(max_bytes) {}

StoredFile::~StoredFile() {
  if (close_fd_) ::close(fd_);
}

Result<void> StoredFile::open(const std::string& path) {
  // Without O_NONBLOCK, opening a FIFO without a writer would block. All checks are made on
  // the descriptor, so that nothing can be swapped between check and use.
  fd_ = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (fd_ < 0 && errno == ENXIO)
    return fail(ErrorKind::kInput, label_ + " is a socket or an absent device, not a regular file");
  if (fd_ < 0) return fail_errno("cannot open " + label_, errno);
  close_fd_ = true;
  struct stat now {};
  if (::fstat(fd_, &now) != 0) return fail_errno("cannot examine " + label_, errno);
  if (!S_ISREG(now.st_mode)) {
    std::string_view advice;
    if (S_ISFIFO(now.st_mode)) {
      advice = "; to read a pipe, redirect it to standard input and give - as the file";
    } else if (S_ISDIR(now.st_mode)) {
      advice = "; name a file in it, or give it to diagnose, which takes folders of reports";
    }
    return fail(ErrorKind::kInput, fmt::format("{} is {}, not a regular file{}", label_,
                                               describe_type(now.st_mode), advice));
  }
  at_open_ = now;
  if (size_at_open() > max_bytes_) return too_large();
  return {};
}

void StoredFile::open_standard_input() { fd_ = STDIN_FILENO; }

Result<std::size_t> StoredFile::read(char* to, std::size_t n) {
  if (const auto left = remaining())
    n = static_cast<std::size_t>(std::min<std::uint64_t>(n, *left));
  if (fd_ < 0 || n == 0) return std::size_t{0};
  ssize_t got = 0;
  do {
    got = at_open_ ? ::pread(fd_, to, n, static_cast<off_t>(position_)) : ::read(fd_, to, n);
  } while (got < 0 && wait_and_retry());
  if (got < 0)
    return fail_errno(fmt::format("cannot read {} at byte {}", label_, position_), errno);
  // Bytes that were there at open are gone.
  if (got == 0 && at_open_) return changed();
  position_ += static_cast<std::uint64_t>(got);
  if (position_ > max_bytes_) return too_large();
  return static_cast<std::size_t>(got);
}

Result<std::size_t> StoredFile::read_at(std::uint64_t offset, char* to, std::size_t n) const {
  const std::uint64_t left = offset < size_at_open() ? size_at_open() - offset : 0;
  n = static_cast<std::size_t>(std::min<std::uint64_t>(n, left));
  std::size_t done = 0;
  while (done < n) {
    const ssize_t got = ::pread(fd_, to + done, n - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return fail_errno(fmt::format("cannot read {} at byte {}", label_, offset + done), errno);
    }
    if (got == 0) return changed();
    done += static_cast<std::size_t>(got);
  }
  return done;
}

// After a failed read, by errno.
bool StoredFile::wait_and_retry() const {
  if (errno == EINTR) return true;
  if (errno != EAGAIN) return false;
  // Another process that shares our standard input can have made it non-blocking.
  pollfd input{fd_, POLLIN, 0};
  return ::poll(&input, 1, -1) >= 0 || errno == EINTR;
}

std::optional<std::uint64_t> StoredFile::remaining() const {
  if (!at_open_) return std::nullopt;
  return size_at_open() - position_;
}

Result<void> StoredFile::verify_unchanged() const {
  if (!at_open_) return {};
  struct stat now {};
  if (::fstat(fd_, &now) != 0) return fail_errno("cannot examine " + label_, errno);
  if (now.st_size != at_open_->st_size || !same_time(now.st_mtim, at_open_->st_mtim) ||
      !same_time(now.st_ctim, at_open_->st_ctim))
    return changed();
  return {};
}

tl::unexpected<Error> StoredFile::changed() const {
  return fail(ErrorKind::kInput,
              label_ + " changed while reading; try again when nothing writes to it");
}

tl::unexpected<Error> StoredFile::too_large() const {
  return fail(ErrorKind::kInput,
              fmt::format("{} has {} bytes{}, the limit is {}; raise it with {}", label_, size(),
                          at_open_ ? "" : " or more", max_bytes_, option("max-size")));
}

}  // namespace proofline

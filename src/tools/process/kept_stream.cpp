// SPDX-License-Identifier: Apache-2.0
//
// While the program runs, the second half of the file is a ring.
#include "tools/process/kept_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/option.h"
#include "base/text.h"

namespace proofline {
namespace {

constexpr std::uint64_t kHalf = KeptStream::kMostOutput / 2;
constexpr std::size_t kTailBytes = 64U << 10U;

}  // namespace

Result<void> KeptStream::open(const std::string& path) {
  file_ = UniqueFd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (file_.is_open()) return {};
  return fail(ErrorKind::kStorage,
              fmt::format("cannot write {}: {}; {} chooses another folder", quote(path),
                          std::generic_category().message(errno), option("runs")));
}

void KeptStream::write_at(std::uint64_t offset, std::string_view piece) {
  while (!piece.empty() && error_ == 0) {
    const ssize_t written =
        ::pwrite(file_.get(), piece.data(), piece.size(), static_cast<off_t>(offset));
    if (written < 0) {
      if (errno != EINTR) error_ = errno;
      continue;
    }
    piece.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

void KeptStream::take(std::string_view piece) {
  tail_ += piece;
  // Twice what is wanted, so that the end is not moved for each piece.
  if (tail_.size() > 2 * kTailBytes) tail_.erase(0, tail_.size() - kTailBytes);
  while (!piece.empty()) {
    const std::uint64_t offset = bytes_ < kHalf ? bytes_ : kHalf + (bytes_ - kHalf) % kHalf;
    const std::uint64_t room = (offset < kHalf ? kHalf : kMostOutput) - offset;
    const std::string_view now = piece.substr(0, room);
    write_at(offset, now);
    bytes_ += now.size();
    piece.remove_prefix(now.size());
  }
}

void KeptStream::close() {
  if (is_cut() && error_ == 0) {
    std::string ring(kHalf, '\0');
    const ssize_t got = ::pread(file_.get(), ring.data(), ring.size(), static_cast<off_t>(kHalf));
    if (got != static_cast<ssize_t>(kHalf)) error_ = got < 0 ? errno : EIO;
    const auto oldest = static_cast<std::ptrdiff_t>((bytes_ - kHalf) % kHalf);
    std::rotate(ring.begin(), ring.begin() + oldest, ring.end());
    const std::string gap = fmt::format("\n[proofline: {} bytes are left out here]\n",
                                        group_digits(bytes_ - kMostOutput));
    write_at(kHalf, gap);
    write_at(kHalf + gap.size(), ring);
  }
  file_.reset();
}

std::string KeptStream::tail() {
  if (tail_.size() > kTailBytes) tail_.erase(0, tail_.size() - kTailBytes);
  return std::move(tail_);
}

void KeptStream::report(const std::string& name, std::vector<Note>& notes) const {
  if (error_ != 0) {
    notes.push_back({NoteKind::kLoss, name,
                     fmt::format("what the program printed could not be kept: {}",
                                 std::generic_category().message(error_)),
                     1});
  } else if (is_cut()) {
    notes.push_back(
        {NoteKind::kInfo, name,
         fmt::format("the program printed {} bytes; the first and the last {} MiB are kept",
                     group_digits(bytes_), kHalf >> 20U),
         1});
  }
}

}  // namespace proofline

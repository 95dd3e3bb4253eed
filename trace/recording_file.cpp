// SPDX-License-Identifier: Apache-2.0
#include "recording_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace proofline::trace {

void RecordingFile::create(const char* folder, std::uint32_t pid, std::uint64_t unix_ns) {
  const int length =
      std::snprintf(path_, sizeof path_, "%s/%u-%llu%s", folder, pid,
                    static_cast<unsigned long long>(unix_ns), kRecordingExtension.data());
  const bool fits = length > 0 && static_cast<std::size_t>(length) < sizeof path_;
  const int file =
      fits ? ::open(path_, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
  if (file < 0) {
    path_[0] = '\0';
    return;
  }
  ::close(file);
  std::memcpy(bytes_, kRecordingMagic.data(), kRecordingMagic.size());
  size_ = kRecordingMagic.size();
}

void RecordingFile::begin(RecordKind kind) {
  if (size_ + kRecordHeaderBytes + kMaxRecordPayload > kCapacity) store();
  record_ = size_;
  put(static_cast<unsigned>(kind));
  size_ += kRecordHeaderBytes - 1;
}

void RecordingFile::number(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) put(static_cast<unsigned>(value & 0x7fU) | 0x80U);
  put(static_cast<unsigned>(value));
}

void RecordingFile::signed_number(std::int64_t value) {
  while (value < -0x40 || value >= 0x40) {
    put((static_cast<unsigned>(value) & 0x7fU) | 0x80U);
    value >>= 7;
  }
  put(static_cast<unsigned>(value) & 0x7fU);
}

void RecordingFile::text(const char* text) {
  const std::size_t room = kMaxRecordPayload - (size_ - record_ - kRecordHeaderBytes);
  const std::size_t whole = std::strlen(text);
  const std::size_t length = whole < room ? whole : room;
  std::memcpy(bytes_ + size_, text, length);
  size_ += length;
}

void RecordingFile::end() {
  const std::size_t length = size_ - record_ - kRecordHeaderBytes;
  bytes_[record_ + 1] = static_cast<unsigned char>(length & 0xffU);
  bytes_[record_ + 2] = static_cast<unsigned char>(length >> 8U);
}

void RecordingFile::store() {
  if (path_[0] != '\0' && size_ > 0) {
    const int file = ::open(path_, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    const bool stored = file >= 0 && write_all(file);
    if (file >= 0) ::close(file);
    if (!stored) path_[0] = '\0';
  }
  size_ = 0;
}

bool RecordingFile::write_all(int file) {
  // Beyond this limit the system would not refuse the bytes but kill the program.
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || written_ + size_ > limit.rlim_cur) return false;
  for (std::size_t at = 0; at < size_;) {
    const ssize_t wrote = ::write(file, bytes_ + at, size_ - at);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    at += static_cast<std::size_t>(wrote);
  }
  written_ += size_;
  return true;
}

}  // namespace proofline::trace

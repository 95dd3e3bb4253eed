// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a regular file or of standard input exactly as they are stored, within a size limit.
// The lowest layer of Input (base/input.h), which is what everyone else uses.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace proofline {

class StoredFile {
 public:
  // Until it is opened it is an empty file. The label names it in messages.
  StoredFile(std::string label, std::uint64_t max_bytes);
  ~StoredFile();
  StoredFile(const StoredFile&) = delete;
  StoredFile& operator=(const StoredFile&) = delete;

  Result<void> open(const std::string& path);
  void open_standard_input();

  // Up to n of the next bytes; none only at the end.
  Result<std::size_t> read(char* to, std::size_t n);
  // Up to n bytes at this offset of a regular file; fewer only at its end.
  Result<std::size_t> read_at(std::uint64_t offset, char* to, std::size_t n) const;
  bool is_regular() const { return at_open_.has_value(); }
  // What is left to read; known for regular files only, and only these can skip.
  std::optional<std::uint64_t> remaining() const;
  void skip(std::uint64_t n) { position_ += n; }
  // Of the next byte that read() gives.
  std::uint64_t position() const { return position_; }
  // The whole size as far as it is known: of standard input, what has come so far.
  std::uint64_t size() const { return at_open_ ? size_at_open() : position_; }
  // Fails if a regular file is no longer what it was when it was opened.
  Result<void> verify_unchanged() const;

 private:
  std::uint64_t size_at_open() const { return static_cast<std::uint64_t>(at_open_->st_size); }
  bool wait_and_retry() const;
  tl::unexpected<Error> changed() const;
  tl::unexpected<Error> too_large() const;

  std::string label_;
  std::uint64_t max_bytes_;
  int fd_ = -1;
  bool close_fd_ = false;
  std::optional<struct stat> at_open_;  // set for regular files only
  std::uint64_t position_ = 0;
};

}  // namespace proofline

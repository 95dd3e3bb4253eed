// SPDX-License-Identifier: Apache-2.0
//
// An unnamed file in TMPDIR, or /tmp: it is gone when the process ends, however it ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace proofline {

class TemporaryFile {
 public:
  static Result<TemporaryFile> create();  // kStorage

  std::uint64_t size() const { return size_; }
  Result<void> append(std::string_view bytes);  // kStorage
  // Up to n bytes at this offset; fewer only at the end.
  Result<std::size_t> read_at(std::uint64_t offset, char* to, std::size_t n) const;

 private:
  explicit TemporaryFile(UniqueFd fd);

  UniqueFd fd_;
  std::uint64_t size_ = 0;
};

}  // namespace proofline

// SPDX-License-Identifier: Apache-2.0
//
// A file without a name in the folder for temporary files (TMPDIR, else /tmp): whatever happens to
// us, nothing of it stays.
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

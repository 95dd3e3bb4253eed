// SPDX-License-Identifier: Apache-2.0
//
// The one way to write a file that the user named. A regular file is complete or as it was before:
// the new one has another name until it is whole. Anything but a regular file (a device, a FIFO, a
// descriptor such as /dev/stdout) is written in place; a symbolic link is kept and its target
// written.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/output.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace proofline {

class WholeFile {
 public:
  // Call it before slow work: kStorage where the path is known not to be writable.
  static Result<WholeFile> prepare(const std::string& path);

  // kStorage.
  Result<void> write(std::string_view bytes) const;
  // Piece by piece, for what need not be in memory whole.
  Result<void> write(const std::function<void(Output&)>& write_pieces) const;

 private:
  explicit WholeFile(std::string path) : path_(std::move(path)) {}

  // Returns 0 or an errno, as what is given to it does.
  Result<void> write_by(const std::function<int(int fd)>& write_to) const;

  std::string path_;    // as the user wrote it
  std::string target_;  // without a link at its end
  UniqueFd in_place_;   // of what is not to be replaced
};

// Both at once.
Result<void> write_whole_file(const std::string& path, std::string_view bytes);

}  // namespace proofline

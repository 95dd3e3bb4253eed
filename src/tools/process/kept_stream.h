// SPDX-License-Identifier: Apache-2.0
//
// What a program prints, on its way into a file that cannot fill the disk: of more than
// kMostOutput, the beginning and the end stay, and a line between them says how much is missing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "model/note.h"

namespace proofline {

class KeptStream {
 public:
  static constexpr std::uint64_t kMostOutput = 64U << 20U;

  // A new file. kStorage.
  Result<void> open(const std::string& path);
  void take(std::string_view piece);
  // After the last piece: puts the end of what was printed in its place.
  void close();

  // The last 64 KiB, once.
  std::string tail();
  // All that was printed.
  std::uint64_t bytes() const { return bytes_; }
  bool is_cut() const { return bytes_ > kMostOutput; }
  // What of it is not in the file of this name.
  void report(const std::string& name, std::vector<Note>& notes) const;

 private:
  void write_at(std::uint64_t offset, std::string_view piece);

  UniqueFd file_;
  int error_ = 0;
  std::uint64_t bytes_ = 0;
  std::string tail_;
};

}  // namespace proofline

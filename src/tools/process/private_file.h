// SPDX-License-Identifier: Apache-2.0
//
// A file for another program to read, that only this user can reach, gone when its owner goes.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace proofline {

class PrivateFile {
 public:
  PrivateFile() = default;
  ~PrivateFile();
  PrivateFile(const PrivateFile&) = delete;
  PrivateFile& operator=(const PrivateFile&) = delete;

  // In a new folder of mode 0700 below TMPDIR.
  Result<void> write(std::string_view bytes);
  std::string path() const { return folder_ + "/input"; }

 private:
  std::string folder_;
};

}  // namespace proofline

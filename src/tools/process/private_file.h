// SPDX-License-Identifier: Apache-2.0
//
// A file for another program to read or to write, that only this user can reach, gone when its
// owner goes.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace proofline {

class PrivateFile {
 public:
  explicit PrivateFile(std::string name = "input") : name_(std::move(name)) {}
  ~PrivateFile();
  PrivateFile(const PrivateFile&) = delete;
  PrivateFile& operator=(const PrivateFile&) = delete;

  // In a new folder of mode 0700 below TMPDIR.
  Result<void> write(std::string_view bytes);
  std::string path() const { return folder_ + "/" + name_; }

 private:
  std::string name_;
  std::string folder_;
};

}  // namespace proofline

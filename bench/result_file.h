// SPDX-License-Identifier: Apache-2.0
//
// A file that a result goes to once there is one: until then it is as it was before.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace proofline::bench {

class ResultFile {
 public:
  // Before anything slow is done. kStorage where it can be told already that nothing can be
  // written.
  static Result<ResultFile> prepare(const std::string& path);

  // A plain file is replaced as a whole, or not at all. kStorage.
  Result<void> write(std::string_view bytes) const;

 private:
  explicit ResultFile(std::string path) : path_(std::move(path)) {}

  std::string path_;
  UniqueFd in_place_;  // of a link or what is no file, as /dev/stdout: it is not to be replaced
};

}  // namespace proofline::bench

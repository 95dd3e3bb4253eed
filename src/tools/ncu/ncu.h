// SPDX-License-Identifier: Apache-2.0
//
// Nsight Compute's command line as it is installed here: where it is, which version, and which
// names it takes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "tools/ncu/ncu_names.h"

namespace proofline {

struct NcuVersion {
  int year = 0;
  int release = 0;
  int patch = 0;
  std::string text;  // "2025.3.1.0"

  bool is_before(int other_year, int other_release) const {
    return year != other_year ? year < other_year : release < other_release;
  }
};

// What `ncu --version` prints; nothing where that is not of ncu.
std::optional<NcuVersion> parse_ncu_version(std::string_view printed);

class Ncu {
 public:
  // The one in PATH or in a CUDA toolkit, else the newest of NVIDIA's own packages. kTool where
  // there is none, where it does not run, and where it is too old for our flags.
  static Result<Ncu> find();
  // The same with the program at this absolute path.
  static Result<Ncu> at(std::string path);

  const std::string& path() const { return path_; }
  const NcuVersion& version() const { return version_; }

  // The names that it takes, its user's own sections included; metrics are those of this machine's
  // GPUs. Each query takes about a second, so it is made only for names that the user typed.
  Result<std::vector<std::string>> sections() const;
  Result<std::vector<NcuMetric>> metrics() const;

 private:
  Ncu(std::string path, NcuVersion version)
      : path_(std::move(path)), version_(std::move(version)) {}

  std::string path_;
  NcuVersion version_;
};

}  // namespace proofline

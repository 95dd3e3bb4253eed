// SPDX-License-Identifier: Apache-2.0
//
// Nsight Systems' command line as it is installed here, and the two commands that make a file which
// we can read: one records, one exports what was recorded.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace proofline {

struct NsysRequest {
  std::string report;  // where to, without an extension
  double delay = 0;    // seconds before it begins; 0: none
  double duration = 0;
  std::vector<std::string> program;
};

class Nsys {
 public:
  // The one in PATH or in a CUDA toolkit, else the newest of NVIDIA's own packages. kTool where
  // there is none or it does not run.
  static Result<Nsys> find();

  const std::string& path() const { return path_; }
  const std::string& version() const { return version_; }

  // Leaves <report>.nsys-rep. Its exit code is the program's.
  std::vector<std::string> record_command(const NsysRequest& request) const;
  // Exports the report to SQLite, overwriting an existing file.
  std::vector<std::string> export_command(const std::string& report, const std::string& out) const;

 private:
  Nsys(std::string path, std::string version)
      : path_(std::move(path)), version_(std::move(version)) {}

  std::string path_;
  std::string version_;
};

}  // namespace proofline

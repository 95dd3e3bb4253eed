// SPDX-License-Identifier: Apache-2.0
//
// Runs a program that reads a stranger's file, such that code in that file which takes the program
// over gains nothing: it can read the system's programs and libraries and the given files, write to
// its own output, and no more. No network, no other file, no other process. docs/sandbox.md has the
// details.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "tools/process/process.h"

namespace proofline {

class Sandbox {
 public:
  // What keeps files away, besides the filter of system calls, which is always there. One of the
  // two is enough.
  struct Layers {
    bool namespaces;
    bool landlock;
  };

  // The strongest that this machine allows, tried out. kTool with the reasons where there is none.
  static Result<Sandbox> find();
  // Exactly these layers.
  static Result<Sandbox> with(Layers layers);

  // For the record: "namespaces, landlock 7, seccomp".
  std::string layers() const;

  // Like capture_program(). `readable`: absolute paths without links that the program may
  // read, besides itself.
  Result<Captured> run(const Program& program, std::size_t max_output,
                       std::span<const std::string> readable) const;

 private:
  explicit Sandbox(Layers layers) : layers_(layers) {}
  Layers layers_;
};

}  // namespace proofline
